package history

import (
	"encoding/base64"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// parts turns content blocks into what a provider takes: images stay images,
// documents of text become text in a <document> element, and other documents
// become a note. Empty texts are dropped.
func parts(blocks []Block) ([]provider.Part, error) {
	var out []provider.Part
	for _, b := range blocks {
		switch b := b.(type) {
		case Text:
			if b.Text != "" {
				out = append(out, provider.Part{Text: b.Text})
			}
		case Image:
			mediaType := b.MediaType
			if mediaType == "" {
				mediaType = "application/octet-stream"
			}
			out = append(out, provider.Part{MediaType: mediaType, Data: b.Data})
		case Document:
			text, err := document(b)
			if err != nil {
				return nil, err
			}
			out = append(out, provider.Part{Text: text})
		}
	}
	return out, nil
}

func document(d Document) (string, error) {
	if !textual(d.MediaType) {
		return "[The document \"" + d.Name + "\" (" + d.MediaType + ") cannot be read by this provider.]", nil
	}
	data, err := decode(d.Data)
	if err != nil {
		return "", provider.Errorf(provider.InvalidRequest, "The data of an attached document is not base64.")
	}
	text := string(data)
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	return "<document name=\"" + attribute.Replace(d.Name) + "\">\n" + text + "\n</document>", nil
}

var attribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;", "\r", "&#13;")

// decode reads base64 with or without padding, in either alphabet.
func decode(data string) ([]byte, error) {
	data = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "").Replace(data), "=")
	return base64.RawStdEncoding.DecodeString(data)
}

// textTypes are media types of text that do not begin with "text/".
var textTypes = map[string]bool{
	"application/json": true, "application/ld+json": true, "application/x-ndjson": true, "application/jsonl": true,
	"application/xml": true, "application/yaml": true, "application/x-yaml": true, "application/toml": true,
	"application/javascript": true, "application/ecmascript": true, "application/typescript": true,
	"application/x-javascript": true, "application/x-sh": true, "application/sql": true, "application/graphql": true,
	"application/csv": true,
}

func textual(mediaType string) bool {
	base, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		base = strings.ToLower(strings.TrimSpace(mediaType))
	}
	return strings.HasPrefix(base, "text/") || textTypes[base] ||
		strings.HasSuffix(base, "+json") || strings.HasSuffix(base, "+xml") || strings.HasSuffix(base, "+yaml")
}

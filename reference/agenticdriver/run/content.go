package run

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"time"
	"unicode/utf8"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// Bounds of content that comes with a run, in decoded bytes.
const (
	maxInline = 262_144
	maxInputs = 524_288
	// MaxEvidence is how many attachments and passages a run may have together.
	MaxEvidence = 16
)

// content is an attachment: what is told of it, and its bytes.
type content struct {
	manifest  protocol.ContextManifest
	bytes     []byte
	reference *protocol.ReferenceAttachment // nil: inline; else resolved when the run begins
}

func (c *content) text() bool {
	return c.manifest.MediaType == "text/plain" || c.manifest.MediaType == "text/markdown"
}

// inline checks the attachments that bring their content.
func (e *Engine) inline(list []protocol.Attachment) ([]content, error) {
	var out []content
	total := 0
	for _, a := range list {
		var c content
		var source protocol.Source
		var err error
		switch a := a.(type) {
		case *protocol.TextDocument:
			source, c.bytes, c.manifest.MediaType = a.Source, []byte(a.Text), protocol.InputMediaType(a.MediaType)
		case *protocol.ImageAttachment:
			source, c.manifest.MediaType = a.Source, protocol.InputMediaType(a.MediaType)
			c.bytes, err = Binary(a.Data, string(a.MediaType))
		case *protocol.PDFDocument:
			source, c.manifest.MediaType = a.Source, protocol.InputMediaType(a.MediaType())
			c.bytes, err = Binary(a.Data, a.MediaType())
		case *protocol.ReferenceAttachment:
			source = protocol.Source{ID: a.ID, Revision: a.Revision}
			c.reference, c.manifest.MediaType = a, a.MediaType
		}
		if err != nil {
			return nil, err
		}
		if len(c.bytes) > maxInline && !e.Policy.ContextUnlimited {
			return nil, failure.Newf(protocol.ErrorCodeCONTEXTTOOLARGE, "An attachment has more than %d bytes.", maxInline)
		}
		if total += len(c.bytes); total > maxInputs {
			return nil, failure.Newf(protocol.ErrorCodeCONTEXTTOOLARGE, "The attachments have more than %d bytes together.", maxInputs)
		}
		if err := CheckSource(&source, protocol.ErrorCodeINVALIDCONTEXT); err != nil {
			return nil, err
		}
		c.describe(&source, protocol.ContextOriginInline)
		out = append(out, c)
	}
	return out, nil
}

// sourceID is the id under which an attachment is a source.
func sourceID(a protocol.Attachment) string {
	switch a := a.(type) {
	case *protocol.TextDocument:
		return a.Source.ID
	case *protocol.ImageAttachment:
		return a.Source.ID
	case *protocol.PDFDocument:
		return a.Source.ID
	case *protocol.ReferenceAttachment:
		return a.ID
	}
	return ""
}

// describe fills the manifest.
func (c *content) describe(s *protocol.Source, origin protocol.ContextOrigin) {
	c.manifest.ID, c.manifest.Revision, c.manifest.Title, c.manifest.URI, c.manifest.Location = s.ID, s.Revision, s.Title, s.URI, s.Location
	c.manifest.Bytes, c.manifest.SHA256, c.manifest.Origin = int64(len(c.bytes)), canonical.SHA256(c.bytes), origin
}

// Resolve finds the content of a reference for the subject.
func Resolve(list []config.Reference, subject string, a *protocol.ReferenceAttachment) (*config.Reference, error) {
	for i := range list {
		r := &list[i]
		if r.ID != a.ID || !contains(r.Subjects, subject) && !contains(r.Subjects, "*") {
			continue
		}
		if r.Revision != a.Revision || r.MediaType != a.MediaType {
			return nil, failure.New(protocol.ErrorCodeCONTEXTCHANGED, "The reference has another revision or media type.")
		}
		if r.ExpiresAt != "" {
			if at, err := time.Parse(time.RFC3339, r.ExpiresAt); err != nil || !time.Now().Before(at) {
				return nil, failure.New(protocol.ErrorCodeCONTEXTEXPIRED, "The reference has expired.")
			}
		}
		return r, nil
	}
	return nil, failure.New(protocol.ErrorCodeCONTEXTNOTFOUND, "There is no such reference.")
}

// SourceOf is what is told of a reference.
func SourceOf(r *config.Reference) protocol.Source {
	source := protocol.Source{ID: r.ID, Revision: r.Revision}
	if r.Title != "" {
		source.Title = wire.Some(r.Title)
	}
	if r.URI != "" {
		source.URI = wire.Some(r.URI)
	}
	return source
}

// resolve fetches the content of a reference.
func (c *content) resolve(list []config.Reference, subject string) error {
	r, err := Resolve(list, subject, c.reference)
	if err != nil {
		return err
	}
	c.bytes = r.Content()
	if r.ExpiresAt != "" {
		c.manifest.ExpiresAt = wire.Some(r.ExpiresAt)
	}
	source := SourceOf(r)
	c.describe(&source, protocol.ContextOriginReference)
	return nil
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// Binary decodes canonical base64 and checks that the content begins as its
// media type does.
func Binary(data, mediaType string) ([]byte, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(data)
	if err != nil || base64.StdEncoding.EncodeToString(b) != data {
		return nil, failure.New(protocol.ErrorCodeINVALIDCONTEXT, "The data is not canonical base64.")
	}
	if !signed(b, mediaType) {
		return nil, failure.New(protocol.ErrorCodeINVALIDCONTEXT, "The data does not begin as its media type does.")
	}
	return b, nil
}

func signed(b []byte, mediaType string) bool {
	switch mediaType {
	case "image/png":
		return bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n"))
	case "image/jpeg":
		return bytes.HasPrefix(b, []byte{0xff, 0xd8, 0xff})
	case "image/webp":
		return len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP"
	case "application/pdf":
		return bytes.HasPrefix(b, []byte("%PDF-"))
	}
	return utf8.Valid(b)
}

// CheckSource checks what the schema of a source cannot say.
func CheckSource(s *protocol.Source, code protocol.ErrorCode) error {
	if s.URI.Set {
		u, err := url.Parse(s.URI.Value)
		if err != nil || u.Scheme == "" || u.User != nil {
			return failure.New(code, "The source's uri is not absolute, or holds credentials.")
		}
	}
	return CheckLocation(s.Location, code)
}

// CheckLocation checks that ends have beginnings and do not lie before them.
func CheckLocation(l *protocol.SourceLocation, code protocol.ErrorCode) error {
	if l == nil {
		return nil
	}
	if l.PageEnd.Set && (!l.Page.Set || l.PageEnd.Value < l.Page.Value) ||
		l.EndLine.Set && (!l.StartLine.Set || l.EndLine.Value < l.StartLine.Value) {
		return failure.New(code, "A location ends before it begins, or has no beginning.")
	}
	return nil
}

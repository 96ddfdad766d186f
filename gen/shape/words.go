package shape

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are the words Go writes in one case, as its own libraries do (https://go.dev/wiki/CodeReviewComments#initialisms).
var initialisms = map[string]string{
	"acl": "ACL", "api": "API", "ascii": "ASCII", "cli": "CLI", "cpu": "CPU", "css": "CSS", "dns": "DNS", "eof": "EOF",
	"guid": "GUID", "html": "HTML", "http": "HTTP", "https": "HTTPS", "id": "ID", "ids": "IDs", "ip": "IP", "json": "JSON",
	"jwt": "JWT", "mcp": "MCP", "mime": "MIME", "ocr": "OCR", "ok": "OK", "os": "OS", "pdf": "PDF", "ram": "RAM", "rpc": "RPC",
	"sdk": "SDK", "sha256": "SHA256", "sql": "SQL", "sse": "SSE", "ssh": "SSH", "tcp": "TCP", "tls": "TLS", "ts": "TS",
	"ttl": "TTL", "udp": "UDP", "ui": "UI", "uri": "URI", "url": "URL", "urls": "URLs", "usd": "USD", "utf8": "UTF8", "uuid": "UUID",
	"xml": "XML", "yaml": "YAML",
}

// GoName turns a name of a document ("runId", "turn.start", "max_tokens", "$ref") into an exported Go identifier
// (RunID, TurnStart, MaxTokens, Ref). A name without a letter or digit becomes its code points in hexadecimal.
func GoName(name string) string {
	var b strings.Builder
	for _, w := range words(name) {
		if up, ok := initialisms[strings.ToLower(w)]; ok {
			b.WriteString(up)
			continue
		}
		r, n := utf8.DecodeRuneInString(w)
		b.WriteRune(unicode.ToUpper(r))
		b.WriteString(w[n:])
	}
	out := b.String()
	if out == "" {
		if name == "" {
			return "Empty"
		}
		out = "X"
		for _, r := range name {
			out += fmt.Sprintf("%X", r)
		}
		return out
	}
	if r, _ := utf8.DecodeRuneInString(out); !unicode.IsUpper(r) {
		// A digit or a letter without case cannot start an exported name.
		return "X" + out
	}
	return out
}

// words splits at everything that is neither letter nor digit, and before an upper-case letter that begins a word
// (runId: run, Id; HTTPServer: HTTP, Server).
func words(name string) []string {
	var out []string
	var w []rune
	flush := func() {
		if len(w) > 0 {
			out = append(out, string(w))
			w = w[:0]
		}
	}
	rs := []rune(name)
	for i, r := range rs {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && len(w) > 0 {
			prevLower := !unicode.IsUpper(w[len(w)-1])
			nextLower := i+1 < len(rs) && unicode.IsLower(rs[i+1])
			if prevLower || nextLower {
				flush()
			}
		}
		w = append(w, r)
	}
	flush()
	return out
}

// singular names one element of a list named by a plural ("messages" -> "message", "entries" -> "entry");
// a word that is not plainly a plural gets the suffix Item, so that the element never takes the list's own name.
func singular(name string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, "ies") && len(name) > 4:
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(lower, "sses") || strings.HasSuffix(lower, "xes") || strings.HasSuffix(lower, "ches") || strings.HasSuffix(lower, "shes"):
		return name[:len(name)-2]
	case strings.HasSuffix(lower, "s") && !strings.HasSuffix(lower, "ss") && !strings.HasSuffix(lower, "us") && len(name) > 1:
		return name[:len(name)-1]
	}
	return name + "Item"
}

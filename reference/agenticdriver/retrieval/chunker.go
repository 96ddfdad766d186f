package retrieval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
)

// segment is a part of a document that no chunk crosses.
type segment struct {
	text     string
	line     int64                   // number of its first line
	location protocol.SourceLocation // without lines
}

// normalise makes every line end in LF.
func normalise(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// cut makes chunks of segments: as many whole lines as fit in maxBytes, a line
// that does not fit in pieces. Blank chunks are left out.
func cut(sourceID string, segments []segment, maxBytes int, p *policy.Policy) []protocol.Chunk {
	var chunks []protocol.Chunk
	for i := range segments {
		s := &segments[i]
		var text strings.Builder
		line := s.line
		first := line
		flush := func(last int64) {
			if t := text.String(); !blank(t) {
				location := s.location
				location.StartLine, location.EndLine = wire.Some(first), wire.Some(last)
				chunks = append(chunks, protocol.Chunk{ID: chunkID(sourceID, &location, t, len(chunks)), Text: t, Location: &location})
			}
			text.Reset()
		}
		for l := range strings.SplitAfterSeq(s.text, "\n") {
			if l == "" {
				continue
			}
			if text.Len()+len(l) > maxBytes {
				flush(line - 1)
				first = line
			}
			for len(l) > maxBytes && !p.ChunksMayExceed {
				n := maxBytes
				for !utf8.RuneStart(l[n]) {
					n--
				}
				text.WriteString(l[:n])
				flush(line)
				l = l[n:]
				if len(l) <= maxBytes { // the rest stands alone
					text.WriteString(l)
					flush(line)
					l = ""
				}
			}
			if l == "" {
				line++
				first = line
				continue
			}
			text.WriteString(l)
			line++
		}
		flush(line - 1)
	}
	return chunks
}

// blank tells whether there is nothing in the text but white space, as
// JavaScript counts it.
func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }) == ""
}

// chunkID is a digest of where a chunk is and what it says.
func chunkID(sourceID string, l *protocol.SourceLocation, text string, ordinal int) string {
	b := wire.AppendString([]byte{'['}, sourceID)
	b = append(b, ",{"...)
	member := func(name string, value []byte) {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(wire.AppendString(b, name), ':'), value...)
	}
	words := func(name string, v wire.Opt[string]) {
		if v.Set {
			member(name, wire.AppendString(nil, v.Value))
		}
	}
	number := func(name string, v wire.Opt[int64]) {
		if v.Set {
			member(name, wire.AppendInt(nil, v.Value))
		}
	}
	words("section", l.Section)
	number("page", l.Page)
	number("pageEnd", l.PageEnd)
	words("threadId", l.ThreadID)
	words("messageId", l.MessageID)
	number("startLine", l.StartLine)
	number("endLine", l.EndLine)
	b = append(b, "},"...)
	b = wire.AppendString(b, text)
	b = append(b, ',')
	b = wire.AppendInt(b, int64(ordinal))
	return "p-" + canonical.SHA256(append(b, ']'))
}

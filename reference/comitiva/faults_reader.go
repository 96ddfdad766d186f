package comitiva

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
)

// readerFaults are wrong ways to read the stream of requests: wrappers around
// standard input.
var readerFaults = []fault{
	{"speaks-unasked", "silence before the first request",
		"Writes a log event before anything is read.",
		func(s *setup) {
			s.policy.stdin = func(r io.Reader) io.Reader {
				return readerFunc(first(r.Read, func() {
					s.runner.emit(&protocol.Log{Level: protocol.LogLevelInfo, Message: "runner ready"})
				}))
			}
		}},
	{"crlf-is-malformed", "CRLF line ends",
		"Treats a line that ends with a carriage return as not JSON.",
		eachLine(func(_ *setup, line []byte) []byte {
			if bytes.HasSuffix(line, []byte("\r")) {
				return notJSON
			}
			return line
		})},
	{"blank-line-is-malformed", "blank lines",
		"Treats blank lines as not JSON.",
		eachLine(func(_ *setup, line []byte) []byte {
			if len(bytes.TrimSpace(line)) == 0 {
				return notJSON
			}
			return line
		})},
	{"chunks-decoded-alone", "characters split between reads",
		"Reads three bytes at a time and replaces what is not UTF-8 in each chunk alone.",
		func(s *setup) {
			s.policy.stdin = func(r io.Reader) io.Reader { return &chunkDecoder{r: r} }
		}},
	{"first-line-of-chunk-only", "several lines in one write",
		"Keeps only the first line of what one read gives.",
		func(s *setup) {
			s.policy.stdin = func(r io.Reader) io.Reader {
				return readerFunc(func(p []byte) (int, error) {
					n, err := r.Read(p[:min(len(p), 4096)])
					if end := bytes.IndexByte(p[:n], '\n'); end >= 0 {
						n = end + 1
					}
					return n, err
				})
			}
		}},
	{"line-limit-one-mebibyte", "large lines",
		"Treats a line of more than one mebibyte as not JSON.",
		eachLine(func(_ *setup, line []byte) []byte {
			if len(line) > 1<<20 {
				return notJSON
			}
			return line
		})},
	{"malformed-line-ends-serving", "serving after malformed lines",
		"Answers nothing more after the third line that is not JSON.",
		func(s *setup) {
			malformed := 0
			eachLine(func(_ *setup, line []byte) []byte {
				if malformed >= 3 {
					return nil
				}
				if isMalformed(line) {
					malformed++
				}
				return line
			})(s)
		}},
	{"malformed-line-on-stderr", "secrecy of malformed lines",
		"Writes the text of a malformed line to standard error.",
		eachLine(func(s *setup, line []byte) []byte {
			if isMalformed(line) {
				_, _ = s.stderr.Write(append(bytes.Clone(line), '\n'))
			}
			return line
		})},
	{"malformed-line-quoted", "secrecy of malformed lines",
		"Ends the log event about a malformed line with the text of the line.",
		func(s *setup) {
			s.policy.malformed = func(line []byte) string { return malformedText + " It was: " + string(line) }
		}},
	{"malformed-line-answered", "malformed lines",
		"Answers a malformed line with an error response in place of the log event.",
		func(s *setup) {
			s.policy.events = func(next emitter) emitter {
				return func(ev protocol.RunnerEvent) {
					if log, ok := ev.(*protocol.Log); ok && log.Message == malformedText {
						ev = &protocol.ResponseError{Error: *appError(protocol.ErrorCodeInvalidRequest, "Invalid request")}
					}
					next(ev)
				}
			}
		}},
	{"non-object-is-malformed", "JSON that is no object",
		"Treats JSON that is no object as not JSON.",
		eachLine(func(_ *setup, line []byte) []byte {
			if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '{' {
				return notJSON
			}
			return line
		})},
	{"secret-on-stderr", "secrecy on standard error",
		"Writes every request that carries a secret to standard error.",
		eachLine(func(s *setup, line []byte) []byte {
			if bytes.Contains(line, []byte(`"secret"`)) {
				_, _ = s.stderr.Write(append(bytes.Clone(line), '\n'))
			}
			return line
		})},
	{"unterminated-line-dropped", "the unterminated last line",
		"Drops what follows the last line feed when the stream ends.",
		func(s *setup) {
			s.policy.stdin = func(r io.Reader) io.Reader {
				lines := bufio.NewReader(r)
				return &lineFilter{next: func() ([]byte, error) {
					line, err := lines.ReadBytes('\n')
					if err != nil {
						return nil, err
					}
					return line, nil
				}}
			}
		}},
}

// notJSON stands in for a line that is to count as malformed.
var notJSON = []byte("!")

func isMalformed(line []byte) bool {
	return len(bytes.TrimSpace(line)) > 0 && !json.Valid(line)
}

// eachLine puts other lines in the place of those that are read; the line feed
// stays, unless change returns nil.
func eachLine(change func(s *setup, line []byte) []byte) func(*setup) {
	return func(s *setup) {
		s.policy.stdin = func(r io.Reader) io.Reader {
			lines := bufio.NewReader(r)
			return &lineFilter{next: func() ([]byte, error) {
				line, err := lines.ReadBytes('\n')
				body, ended := bytes.CutSuffix(line, []byte{'\n'})
				if len(line) > 0 {
					changed := bytes.Clone(change(s, body))
					if ended && changed != nil {
						changed = append(changed, '\n')
					}
					line = changed
				}
				return line, err
			}}
		}
	}
}

// lineFilter reads what next hands out.
type lineFilter struct {
	next func() ([]byte, error)
	rest []byte
	err  error
}

func (f *lineFilter) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.rest, f.err = f.next()
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// first calls do before the first call of read.
func first(read func([]byte) (int, error), do func()) func([]byte) (int, error) {
	begun := false
	return func(p []byte) (int, error) {
		if !begun {
			begun = true
			do()
		}
		return read(p)
	}
}

// chunkDecoder makes each small chunk UTF-8 without looking beyond it.
type chunkDecoder struct {
	r    io.Reader
	rest []byte
}

func (d *chunkDecoder) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		var chunk [3]byte
		n, err := d.r.Read(chunk[:])
		if n == 0 {
			return 0, err
		}
		for text := chunk[:n]; len(text) > 0; {
			c, size := utf8.DecodeRune(text)
			d.rest = utf8.AppendRune(d.rest, c)
			text = text[size:]
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

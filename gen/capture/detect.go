package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Input is the form of a recording.
type Input string

// The forms of recordings.
const (
	JSON   Input = "json"   // the whole is one JSON text
	NDJSON Input = "ndjson" // one JSON text a line; empty lines are passed over
	SSE    Input = "sse"    // server-sent events, whose data are JSON texts
)

// ParseInput reads the name of a form.
func ParseInput(name string) (Input, error) {
	switch i := Input(name); i {
	case JSON, NDJSON, SSE:
		return i, nil
	}
	return "", fmt.Errorf("there is no input form %q: choose json, ndjson or sse", name)
}

// ByName tells the form from the extension of a file's name, "" where it tells nothing.
func ByName(name string) Input {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json":
		return JSON
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".sse", ".eventstream":
		return SSE
	}
	return ""
}

// peek is how much of a recording Detect looks at.
const peek = 64 << 10

// Detect tells the form of a recording by how it begins, and returns a source with everything that src had. It reads no
// further than it has to, so that a recording can be followed while it is made.
//
// Field names and comments of server-sent events are no JSON, so they are certain. Where the first line is a JSON text
// of its own, or is longer than what is looked at, the recording is read line by line; so is one whose first line is
// broken and whose second line is a JSON text. Everything else is one JSON text.
func Detect(src io.Reader) (Input, io.Reader, error) {
	head := make([]byte, 0, peek)
	for idle := 0; ; {
		n, err := src.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return "", nil, err
		}
		if idle++; n > 0 {
			idle = 0
		} else if idle > 100 {
			return "", nil, io.ErrNoProgress
		}
		last := ended || len(head) == peek
		if !last && bytes.IndexByte(head[len(head)-n:], '\n') < 0 {
			continue // no line has been completed
		}
		if input := detect(head, last, ended); input != "" {
			return input, io.MultiReader(bytes.NewReader(head), src), nil
		}
	}
}

// detect decides by what has been read so far; "" asks for more, which is not given where last is set. ended tells that
// there is no more.
func detect(head []byte, last, ended bool) Input {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	first, rest, whole := bytes.Cut(text, []byte("\n"))
	if !whole && !last {
		return ""
	}
	switch {
	case isField(first):
		return SSE
	case !whole && ended:
		return JSON
	case !whole || isJSON(first):
		return NDJSON // also right for one JSON text in one line
	case !isContainer(first) || isBegun(first):
		return JSON
	}
	second, _, whole := bytes.Cut(bytes.TrimLeft(rest, " \t\r\n"), []byte("\n"))
	switch {
	case !whole && !last:
		return ""
	case (whole || ended) && isContainer(second) && isJSON(second):
		return NDJSON
	}
	return JSON
}

// isField tells a line of a stream of server-sent events: a comment or one of the known fields.
func isField(line []byte) bool {
	name, _, colon := bytes.Cut(bytes.TrimRight(line, "\r"), []byte(":"))
	switch string(name) {
	case "":
		return colon
	case "data", "event", "id", "retry":
		return true
	}
	return false
}

// isContainer tells a line that begins as messages do.
func isContainer(line []byte) bool { return len(line) > 0 && (line[0] == '{' || line[0] == '[') }

func isJSON(text []byte) bool { return textError(text) == nil }

// isBegun tells the beginning of a JSON text that goes on in the next line.
func isBegun(text []byte) bool {
	err := textError(text)
	return err != nil && err.Violations[0].Offset >= len(bytes.TrimRight(text, " \t\r\n"))
}

func textError(text []byte) *wire.Error {
	r := wire.Acquire(text, nil)
	r.Skip()
	var broken *wire.Error
	errors.As(r.Close(), &broken)
	return broken
}

package capture_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/gen/capture"
)

// read lists the messages of a recording as NUMBER LINE TEXT, errors as NUMBER LINE "too long".
func read(t *testing.T, r *capture.Reader) []string {
	t.Helper()
	var out []string
	for {
		m, err := r.Next()
		var long *capture.TooLongError
		switch {
		case errors.Is(err, io.EOF):
			return out
		case errors.As(err, &long):
			out = append(out, fmt.Sprintf("%d %d too long", long.Number, long.Line))
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, fmt.Sprintf("%d %d %s", m.Number, m.Line, m.Data))
		}
	}
}

func TestMessagesAndTheirLines(t *testing.T) {
	tests := map[string]struct {
		input capture.Input
		text  string
		limit int
		want  []string
	}{
		"one JSON text":               {input: capture.JSON, text: "{\n}\n", want: []string{"1 1 {\n}\n"}},
		"no JSON text":                {input: capture.JSON, text: "", want: []string{"1 1 "}},
		"a JSON text beyond":          {input: capture.JSON, text: "12345", limit: 4, want: []string{"1 1 too long"}},
		"a JSON text at the bound":    {input: capture.JSON, text: "1234", limit: 4, want: []string{"1 1 1234"}},
		"lines":                       {input: capture.NDJSON, text: "1\n2\r\n3", want: []string{"1 1 1", "2 2 2\r", "3 3 3"}},
		"empty lines":                 {input: capture.NDJSON, text: "\n1\n \t\r\n\n2\n", want: []string{"1 2 1", "2 5 2"}},
		"no lines":                    {input: capture.NDJSON, text: ""},
		"a line beyond the bound":     {input: capture.NDJSON, text: "1\n12345\n2\n", limit: 4, want: []string{"1 1 1", "2 2 too long", "3 3 2"}},
		"the last line beyond":        {input: capture.NDJSON, text: "1\n12345", limit: 4, want: []string{"1 1 1", "2 2 too long"}},
		"a carriage return in a line": {input: capture.NDJSON, text: "[1,\r2]\n3", want: []string{"1 1 [1,\r2]", "2 2 3"}},

		"events":                 {input: capture.SSE, text: "data: 1\n\ndata:2\n\n", want: []string{"1 1 1", "2 3 2"}},
		"all ends of lines":      {input: capture.SSE, text: "data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n", want: []string{"1 1 1", "2 3 2", "3 5 3"}},
		"data in several fields": {input: capture.SSE, text: "event: x\ndata: {\n: a comment\ndata\ndata:  \"a\":1}\n\n", want: []string{"1 2 {\n\n \"a\":1}"}},
		"a byte order mark":      {input: capture.SSE, text: "\ufeffdata: 1\n\n", want: []string{"1 1 1"}},
		"only one blank is cut":  {input: capture.SSE, text: "data:  1\n\n", want: []string{"1 1  1"}},
		"an event without data":  {input: capture.SSE, text: "event: ping\n\nid: 3\n\ndata: 1\n\n", want: []string{"1 5 1"}},
		"an event of empty data": {input: capture.SSE, text: "data\n\n", want: []string{"1 1 "}},
		"unknown fields":         {input: capture.SSE, text: "retry: 100\nDATA: 2\n data: 2\nfoo\ndata: 1\n\n", want: []string{"1 5 1"}},
		"comments between":       {input: capture.SSE, text: ": keep-alive\n\n:\n\ndata: 1\n:\n\n", want: []string{"1 5 1"}},
		"the end breaks in":      {input: capture.SSE, text: "data: 1\n\ndata: 2\n", want: []string{"1 1 1"}},
		"an event beyond":        {input: capture.SSE, text: "data: 12345\ndata: 6\n\ndata: 1\n\n", limit: 9, want: []string{"1 1 too long", "2 4 1"}},
		"the sum goes beyond":    {input: capture.SSE, text: "data: 123\ndata: 456\ndata:78\n\ndata: 1\n\n", limit: 9, want: []string{"1 1 too long", "2 5 1"}},
	}
	for name, test := range tests {
		for way, wrap := range map[string]func(io.Reader) io.Reader{"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader} {
			opts := []capture.Option{}
			if test.limit > 0 {
				opts = append(opts, capture.Limit(test.limit))
			}
			got := read(t, capture.NewReader(wrap(strings.NewReader(test.text)), test.input, opts...))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, way, diff)
			}
		}
	}
}

func TestEventsHaveTypeAndID(t *testing.T) {
	r := capture.NewReader(strings.NewReader("id: 7\nevent: run.done\ndata: 1\n\ndata: 2\n\nid: a\x00b\ndata: 3\n\nid\ndata: 4\n\n"), capture.SSE)
	for _, want := range []string{"run.done 7", "message 7", "message 7", "message "} {
		m, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Event + " " + m.ID; got != want {
			t.Errorf("event %d: %q, want %q", m.Number, got, want)
		}
	}
}

func TestPlacesOfAnEventAreThoseOfTheRecording(t *testing.T) {
	r := capture.NewReader(strings.NewReader("\ufeff: ä\ndata: {\nid: 1\ndata:\"ä\":\ndata:   1}\n\n"), capture.SSE)
	m, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ line, column, wantLine, wantColumn int }{
		{1, 1, 2, 7}, {2, 1, 4, 6}, {2, 4, 4, 9}, {3, 3, 5, 9}, {0, 0, 2, 1},
	} {
		line, column := m.Place(test.line, test.column)
		if line != test.wantLine || column != test.wantColumn {
			t.Errorf("%d:%d of %q is at %d:%d, want %d:%d", test.line, test.column, m.Data, line, column, test.wantLine, test.wantColumn)
		}
	}
}

func TestAnIncompleteEventIsTold(t *testing.T) {
	for text, want := range map[string]int{"data: 1\n\n": 0, "data: 1\n": 1, ": x\n\nevent: a\ndata: 1": 3, "data: 1\n\n: only a comment\n": 0} {
		r := capture.NewReader(strings.NewReader(text), capture.SSE)
		read(t, r)
		if got := r.Incomplete(); got != want {
			t.Errorf("%q: line %d, want %d", text, got, want)
		}
	}
}

func TestFormsAreDetected(t *testing.T) {
	tests := map[string]capture.Input{
		"":                                 capture.JSON,
		"{}":                               capture.JSON,
		"{\n  \"a\": 1\n}\n":               capture.JSON,
		"[\n{\"a\":1}\n]\n":                capture.JSON,
		"[\n{\"a\":1},\n{\"b\":1}\n]\n":    capture.JSON,
		"{\"a\":\n{\"b\":1}\n}":            capture.JSON,
		"nonsense\n{}\n":                   capture.JSON,
		"{}\n":                             capture.NDJSON,
		"\n {}\r\n\n{}\n":                  capture.NDJSON,
		"{\"a\" 1}\n{\"a\":1}\n":           capture.NDJSON,
		"1\n2\n":                           capture.NDJSON,
		strings.Repeat(" ", 70<<10) + "{}": capture.NDJSON,
		"data: {}\n\n":                     capture.SSE,
		"\ufeffevent: x\r\ndata: 1\r\n":    capture.SSE,
		": hello\n":                        capture.SSE,
		"id\n":                             capture.SSE,
	}
	for text, want := range tests {
		for _, src := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			got, rest, err := capture.Detect(src)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%.40q is %s, want %s", text, got, want)
			}
			if all, err := io.ReadAll(rest); err != nil || string(all) != text {
				t.Errorf("%.40q: something of the source is lost: %v", text, err)
			}
		}
	}
}

// A recording that is being made must be read while it grows.
func TestDetectionDoesNotWaitForMoreThanItNeeds(t *testing.T) {
	for text, want := range map[string]capture.Input{"{}\n": capture.NDJSON, ": hello\n": capture.SSE, "{\n": capture.JSON} {
		got, _, err := capture.Detect(io.MultiReader(strings.NewReader(text), iotest.ErrReader(errors.New("read too far"))))
		if err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestErrorsOfTheSourceEndTheRecording(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, input := range []capture.Input{capture.JSON, capture.NDJSON, capture.SSE} {
		r := capture.NewReader(io.MultiReader(strings.NewReader("data: 1"), iotest.ErrReader(broken)), input)
		if _, err := r.Next(); !errors.Is(err, broken) {
			t.Errorf("%s: %v", input, err)
		}
	}
	if _, _, err := capture.Detect(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("detection: %v", err)
	}
}

// However the source hands out its bytes, the messages are the same.
func TestMessagesDoNotDependOnHowTheSourceIsCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const alphabet = "\r\n\n: dataid{1}\ufeff"
	for range 3000 {
		var text strings.Builder
		for range random.IntN(60) {
			if random.IntN(3) == 0 {
				text.WriteString([]string{"data: {", "data:}\n\n", "\r\n", "\r\r", "id: 1"}[random.IntN(5)])
			} else {
				text.WriteByte(alphabet[random.IntN(len(alphabet))])
			}
		}
		for _, input := range []capture.Input{capture.NDJSON, capture.SSE} {
			whole := read(t, capture.NewReader(strings.NewReader(text.String()), input, capture.Limit(20)))
			pieces := read(t, capture.NewReader(iotest.OneByteReader(strings.NewReader(text.String())), input, capture.Limit(20)))
			if diff := cmp.Diff(whole, pieces); diff != "" {
				t.Fatalf("%q as %s (-at once +byte by byte):\n%s", text.String(), input, diff)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int{
		"1": 1, "1000": 1000, "7B": 7, "2 KiB": 2048, "500KB": 500_000, "64MiB": 64 << 20, "1GiB": 1 << 30, "3MB": 3e6, "2GB": 2e9,
	} {
		if got, err := capture.ParseSize(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5MiB", "MiB", "1TiB", "1mib", "9999999999GiB", "1 2"} {
		if got, err := capture.ParseSize(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}

package framing

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"
)

func lines(t testing.TB, r io.Reader) []string {
	t.Helper()
	var out []string
	reader := NewReader(r)
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("reading failed: %v", err)
		}
		out = append(out, string(line))
	}
}

func TestReaderFindsLines(t *testing.T) {
	long := strings.Repeat("x", 17<<20)
	tests := []struct {
		name  string
		input string
		want  []string
	}{
		{"nothing", "", nil},
		{"one line", "a\n", []string{"a"}},
		{"several lines", "a\nb\nc\n", []string{"a", "b", "c"}},
		{"carriage return before the line feed is dropped", "a\r\nb\r\n", []string{"a", "b"}},
		{"only one carriage return is dropped", "a\r\r\n", []string{"a\r"}},
		{"a carriage return alone is content", "a\rb\n", []string{"a\rb"}},
		{"blank lines are skipped", "\n  \n\t\r\n\u00a0\na\n\n", []string{"a"}},
		{"an unterminated last line is a line", "a\nb", []string{"a", "b"}},
		{"an unterminated blank rest is none", "a\n  ", []string{"a"}},
		{"a byte order mark at the start is eaten", "\ufeffa\n\ufeffb\n", []string{"a", "\ufeffb"}},
		{"a byte order mark alone is blank", "\ufeff\na\n", []string{"a"}},
		{"invalid UTF-8 becomes replacement characters", "a\xffb\xe2\x82\n", []string{"a\ufffdb\ufffd\ufffd"}},
		{"no line is too long", "a\n" + long + "\nb\n", []string{"a", long, "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := lines(t, strings.NewReader(tt.input)); !slices.Equal(got, tt.want) {
				t.Errorf("got %d lines %.80q, want %d lines %.80q", len(got), got, len(tt.want), tt.want)
			}
		})
	}
}

func TestReaderDoesNotCareWhereReadsAreCut(t *testing.T) {
	input := "\ufeff{\"t\":\"é€😀\"}\r\n\nzwei\n\xf0\x9f\x98\nlast €"
	want := lines(t, strings.NewReader(input))
	for name, cut := range map[string]func(io.Reader) io.Reader{
		"every byte": iotest.OneByteReader, "halves": iotest.HalfReader, "with the error": iotest.DataErrReader,
	} {
		if got := lines(t, cut(strings.NewReader(input))); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestReaderHandsOutTheRestBeforeAnError(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("a\nrest"), iotest.ErrReader(broken)))
	for _, want := range []string{"a", "rest"} {
		if line, err := r.Next(); err != nil || string(line) != want {
			t.Fatalf("got %q, %v; want %q", line, err, want)
		}
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("got %v, want the stream's error", err)
	}
}

func TestReaderGivesBackWhatWasJoined(t *testing.T) {
	properties := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	properties.Property("lines joined by line feeds come back", prop.ForAll(
		func(texts []string) bool {
			var want []string
			for _, s := range texts {
				want = append(want, "x"+strings.NewReplacer("\n", "", "\r", "").Replace(s))
			}
			joined := strings.Join(want, "\n")
			return slices.Equal(lines(t, strings.NewReader(joined)), want)
		},
		gen.SliceOf(gen.AnyString()),
	))
	properties.TestingRun(t)
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a\r\n\xef\xbb\xbf\xff\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole := lines(t, strings.NewReader(string(data)))
		cut := lines(t, iotest.OneByteReader(strings.NewReader(string(data))))
		if !slices.Equal(whole, cut) {
			t.Errorf("read whole %q, read byte by byte %q", whole, cut)
		}
		for _, line := range whole {
			if strings.Contains(line, "\n") || blank([]byte(line)) {
				t.Errorf("handed out %q", line)
			}
		}
	})
}

package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"

	"github.com/hallmark-kit/hallmark/gen/wire/sse"
)

// pieces reads one piece a call.
type pieces [][]byte

func (p *pieces) Read(b []byte) (int, error) {
	for len(*p) > 0 && len((*p)[0]) == 0 {
		*p = (*p)[1:]
	}
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	(*p)[0] = (*p)[0][n:]
	return n, nil
}

// told says everything that comes of a stream.
func told(src io.Reader, limit int) string {
	var b strings.Builder
	r := sse.NewReader(src, limit)
	for {
		l, err := r.Next()
		switch {
		case errors.Is(err, sse.ErrUnended):
			fmt.Fprintf(&b, "cut off after %q", r.Rest())
			return b.String()
		case err == io.EOF:
			b.WriteString("end")
			return b.String()
		case err != nil:
			b.WriteString(err.Error())
			return b.String()
		case l.End:
			fmt.Fprintf(&b, "%d bytes|", r.Frame())
		case l.Comment():
			fmt.Fprintf(&b, "%d comment %s,", l.Number, l.Value)
		default:
			fmt.Fprintf(&b, "%d %s=%s %t,", l.Number, l.Name, l.Value, l.Colon)
		}
	}
}

func TestLinesAndFrames(t *testing.T) {
	for stream, want := range map[string]string{
		"":                              "end",
		"\uFEFF":                        `cut off after ""`,
		"\n\r\n\r":                      "0 bytes|0 bytes|0 bytes|end",
		"data: x\n\n":                   "1 data=x true,7 bytes|end",
		"data: x\r\ndata:y\r\n\r\n":     "1 data=x true,2 data=y true,13 bytes|end",
		"data:  x\r\r":                  "1 data= x true,8 bytes|end",
		"data: x\n\r\ndata: y\r\n\n":    "1 data=x true,7 bytes|3 data=y true,7 bytes|end",
		"\uFEFF: hi\n\n\uFEFFdata: x\n": "1 comment hi,4 bytes|3 \uFEFFdata=x true,cut off after \"\"",
		"data\n\n":                      "1 data= false,4 bytes|end",
		":\n\n":                         "1 comment ,1 bytes|end",
		"data: é\ndat":                  "1 data=é true,cut off after \"dat\"",
		"a: b: c\n\n":                   "1 a=b: c true,7 bytes|end",
	} {
		if got := told(strings.NewReader(stream), 1000); got != want {
			t.Errorf("%q: %s, expected %s", stream, got, want)
		}
	}
}

func TestTheBoundCountsBytesOfLinesWithoutTheirEndsAndTheMark(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		fits := "\uFEFF:" + strings.Repeat("é", 4) + end + "data: x" + end + end
		if got := told(strings.NewReader(fits+fits[len("\uFEFF"):]), 16); !strings.HasSuffix(got, "16 bytes|end") {
			t.Errorf("16 bytes with %q: %s", end, got)
		}
		if got := told(strings.NewReader(fits), 15); !strings.HasSuffix(got, "line 2: the frame is longer than 15 bytes") {
			t.Errorf("15 bytes with %q: %s", end, got)
		}
	}
}

func TestALineWithoutEndIsRefusedAsSoonAsItIsTooLong(t *testing.T) {
	endless, in := io.Pipe()
	go func() { _, _ = in.Write(bytes.Repeat([]byte("x"), 100)) }()
	if got := told(endless, 99); got != "line 1: the frame is longer than 99 bytes" {
		t.Error(got)
	}
	_ = endless.Close()
}

func TestALineIsHandedOutWithItsCarriageReturn(t *testing.T) {
	out, in := io.Pipe()
	go func() { _, _ = io.WriteString(in, "data: x\r\r") }()
	r := sse.NewReader(out, 100)
	for _, want := range []string{"data: x", ""} {
		l, err := r.Next() // would wait for ever if it asked for the byte behind
		if err != nil || string(l.Text) != want {
			t.Fatalf("%q %v, expected %q", l.Text, err, want)
		}
	}
	_ = out.Close()
}

func TestErrorsOfTheSourceComeThrough(t *testing.T) {
	for _, broken := range []error{errors.New("broken"), io.ErrUnexpectedEOF} {
		r := sse.NewReader(io.MultiReader(strings.NewReader("data: x\nda"), iotest.ErrReader(broken)), 100)
		if l, err := r.Next(); err != nil || string(l.Value) != "x" {
			t.Fatal(l, err)
		}
		for range 2 {
			if _, err := r.Next(); err != broken {
				t.Errorf("error %v", err)
			}
		}
	}
}

// However a stream arrives, the same comes of it. All splits of a stream into two reads and the one into bytes are
// tried, and of short streams all there are.
func TestEverySplitIsReadAlike(t *testing.T) {
	ends := []string{"\n", "\r\n", "\r"}
	var streams []string
	for _, a := range ends {
		for _, b := range ends {
			for _, c := range ends {
				streams = append(streams, "\uFEFFdata: é"+a+b+":c"+c+a+"data:2"+b+c+a, "x"+a+b+c+"y")
			}
		}
	}
	for _, stream := range streams {
		want := told(strings.NewReader(stream), 100)
		if len(stream) <= 12 {
			for cuts := range 1 << (len(stream) - 1) {
				p := pieces{}
				from := 0
				for i := 1; i < len(stream); i++ {
					if cuts>>(i-1)&1 == 1 {
						p = append(p, []byte(stream[from:i]))
						from = i
					}
				}
				p = append(p, []byte(stream[from:]))
				if got := told(&p, 100); got != want {
					t.Fatalf("%q cut at %b: %s, expected %s", stream, cuts, got, want)
				}
			}
		}
		for i := range len(stream) + 1 {
			if got := told(&pieces{[]byte(stream[:i]), []byte(stream[i:])}, 100); got != want {
				t.Fatalf("%q cut at %d: %s, expected %s", stream, i, got, want)
			}
		}
		if got := told(iotest.OneByteReader(strings.NewReader(stream)), 100); got != want {
			t.Fatalf("%q byte by byte: %s, expected %s", stream, got, want)
		}
	}
}

func TestSplitsOfAnyStreamDoNotMatter(t *testing.T) {
	parts := gen.OneConstOf("\n", "\r", "\r\n", "data: x", "data:", ":", "\uFEFF", "\xef\xbb", "é", "id", strings.Repeat("y", 40))
	properties := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	properties.Property("in one piece and in many", prop.ForAll(
		func(list []string, sizes []int) bool {
			stream := strings.Join(list, "")
			var p pieces
			rest := []byte(stream)
			for i := 0; len(rest) > 0; i++ {
				n := len(rest)
				if len(sizes) > 0 {
					n = min(n, sizes[i%len(sizes)])
				}
				p = append(p, rest[:n])
				rest = rest[n:]
			}
			return told(&p, 64) == told(strings.NewReader(stream), 64)
		},
		gen.SliceOf(parts), gen.SliceOf(gen.IntRange(1, 9)),
	))
	properties.TestingRun(t)
}

// FuzzReader holds the reader to a description of the rules that reads the whole stream at once.
func FuzzReader(f *testing.F) {
	f.Add([]byte("\uFEFFdata: x\r\n\r\n:\r\rdata"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		const limit = 50
		src := bytes.NewReader(stream)
		got := told(&chunks{src, max(1, size%64)}, limit)
		if want := plainly(stream, limit); got != want {
			t.Errorf("%q in pieces of %d: %s, expected %s", stream, size, got, want)
		}
	})
}

type chunks struct {
	src  io.Reader
	size int
}

func (c *chunks) Read(b []byte) (int, error) { return c.src.Read(b[:min(len(b), c.size)]) }

// plainly says what told says, in the plainest way there is.
func plainly(stream []byte, limit int) string {
	text := strings.TrimPrefix(string(stream), "\uFEFF")
	marked := len(text) < len(stream)
	if marked && text == "" {
		return `cut off after ""`
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	var b strings.Builder
	frame, open := 0, false
	for i, line := range lines {
		last := i == len(lines)-1
		if last && line == "" {
			break
		}
		if frame += len(line); frame > limit {
			return b.String() + fmt.Sprintf("line %d: the frame is longer than %d bytes", i+1, limit)
		}
		name, value, colon := strings.Cut(line, ":")
		switch {
		case last:
			return b.String() + fmt.Sprintf("cut off after %q", line)
		case line == "":
			fmt.Fprintf(&b, "%d bytes|", frame)
			frame, open = 0, false
			continue
		case colon && name == "":
			fmt.Fprintf(&b, "%d comment %s,", i+1, strings.TrimPrefix(value, " "))
		default:
			fmt.Fprintf(&b, "%d %s=%s %t,", i+1, name, strings.TrimPrefix(value, " "), colon)
		}
		open = true
	}
	if open {
		return b.String() + `cut off after ""`
	}
	return b.String() + "end"
}

// repeated reads the same bytes again and again.
type repeated struct {
	data []byte
	at   int
}

func (r *repeated) Read(b []byte) (int, error) {
	n := copy(b, r.data[r.at:])
	r.at = (r.at + n) % len(r.data)
	return n, nil
}

func BenchmarkReader(b *testing.B) {
	for _, size := range []int{40, 500, 50_000} {
		frame := "id: 1\nevent: text.delta\ndata: " + strings.Repeat("x", size) + "\n\n"
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			r := sse.NewReader(&repeated{data: []byte(frame)}, 2_000_000)
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			for b.Loop() {
				for {
					l, err := r.Next()
					if err != nil {
						b.Fatal(err)
					}
					if l.End {
						break
					}
				}
			}
		})
	}
}

package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// reading is a stream that comes from memory.
func reading(t testing.TB, stream io.Reader) *Stream {
	t.Helper()
	c, err := New("http://localhost", Options{Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	q := &agenticdriver.RunRequest{Provider: "p", Model: "m", Input: "i"}
	return &Stream{ctx: t.Context(), cancel: func() {}, body: io.NopCloser(stream), frames: newFrames(stream, c.policy), order: newOrder(c, q)}
}

// FuzzStream reads any bytes as a stream, whole and cut into pieces: the same must come of both, and nothing but events
// in order and one failure of a known code.
func FuzzStream(f *testing.F) {
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		tell := func(r io.Reader) string {
			var b strings.Builder
			s := reading(t, r)
			last := int64(0)
			for event, err := range s.Events() {
				if err != nil {
					var e *Error
					if !errors.As(err, &e) || !agenticdriver.ClientErrorCode(e.Code).Valid() {
						t.Fatalf("%v is no failure of the client", err)
					}
					b.WriteString(e.Code)
					break
				}
				sequence := envelopeOf(event).sequence
				if sequence <= last {
					t.Fatalf("sequence %d after %d", sequence, last)
				}
				last = sequence
				b.Write(event.AppendJSON(nil))
			}
			return b.String()
		}
		whole := tell(bytes.NewReader(stream))
		if got := tell(&short{bytes.NewReader(stream), max(1, size%100)}); got != whole {
			t.Errorf("in pieces of %d: %s, expected %s", size, got, whole)
		}
	})
}

type short struct {
	from io.Reader
	size int
}

func (s *short) Read(b []byte) (int, error) { return s.from.Read(b[:min(len(b), s.size)]) }

// endless is a run that never ends: run.started, then deltas.
type endless struct {
	text     string
	sequence int
	rest     []byte
}

func (e *endless) Read(b []byte) (int, error) {
	if len(e.rest) == 0 {
		e.sequence++
		kind := `"type":"text.delta","text":"` + e.text + `"`
		if e.sequence == 1 {
			kind = `"type":"run.started","provider":"p","model":"m"`
		}
		e.rest = fmt.Appendf(e.rest, "id: %d\nevent: x\ndata: {%s,\"runId\":\"r\",\"sequence\":%d,\"timestamp\":\"2026-01-02T03:04:05.678Z\"}\n\n", e.sequence, kind, e.sequence)
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// BenchmarkStream reads events off a stream, validates them and holds them to the rules.
func BenchmarkStream(b *testing.B) {
	for _, size := range []int{10, 1000} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			s := reading(b, &endless{text: strings.Repeat("x", size)})
			b.SetBytes(int64(size + 120))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

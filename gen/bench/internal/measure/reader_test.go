package measure

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/go-faster/jx"

	"github.com/hallmark-kit/hallmark/gen/wire"
)

var patterns = []struct{ name, pattern, text string }{
	{"identifier", `^[a-zA-Z0-9][a-zA-Z0-9._:-]{0,127}$`, "run_2e82c7ffe7"},
	{"digest", `^[a-f0-9]{64}$`, strings.Repeat("0123456789abcdef", 4)},
	{"uuid", `^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$`, "0b4a12ef-1234-4abc-8def-0123456789ab"},
	{"instant", `^(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$`, "2026-05-01T08:30:00.125Z"},
	{"printable", `^[^\x00-\x1f\x7f]*$`, strings.Repeat("a line of words, as users write; ", 4)},
	{"ahead", `^(?!.*secret)[a-z ]+$`, "nothing of that sort here"},
}

// BenchmarkPattern matches strings of the sort that messages carry.
func BenchmarkPattern(b *testing.B) {
	for _, p := range patterns {
		text := []byte(p.text)
		b.Run("wire/"+p.name, func(b *testing.B) {
			m := wire.MustPattern(p.pattern)
			for b.Loop() {
				if !m.Match(text) {
					b.Fatal("no match")
				}
			}
		})
		if re, err := regexp.Compile(p.pattern); err == nil {
			b.Run("regexp/"+p.name, func(b *testing.B) {
				for b.Loop() {
					if !re.Match(text) {
						b.Fatal("no match")
					}
				}
			})
		}
		b.Run("regexp2/"+p.name, func(b *testing.B) {
			re := regexp2.MustCompile(p.pattern, regexp2.ECMAScript|regexp2.Unicode)
			for b.Loop() {
				if ok, _ := re.MatchString(p.text); !ok {
					b.Fatal("no match")
				}
			}
		})
	}
}

// BenchmarkAppendString writes a text with a few escapes.
func BenchmarkAppendString(b *testing.B) {
	text := strings.Repeat("a line of words, as users write; \"quoted\" – 世界\n", 10)
	b.Run("wire", func(b *testing.B) {
		var buf []byte
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			buf = wire.AppendString(buf[:0], text)
		}
	})
	b.Run("jx", func(b *testing.B) {
		var w jx.Writer
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			w.Buf = w.Buf[:0]
			w.Str(text)
		}
	})
}

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer writes JSON text piece by piece.
type writer struct {
	strings.Builder
	random *rand.Rand
}

func newWriter(seed uint64) *writer { return &writer{random: rand.New(rand.NewPCG(seed, 7))} }

func (w *writer) add(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// list writes n elements with commas between them.
func (w *writer) list(n int, element func(i int)) {
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		element(i)
	}
}

var words = strings.Fields(`river stone under bright ladder of and to window carry seven a the open letter garden
	north between morning kettle iron paper with small voice it in road turns copper yellow after`)

// prose makes a JSON string of n words: now and then a line break, a quoted
// word, or words in other scripts.
func (w *writer) prose(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		word := words[w.random.IntN(len(words))]
		switch w.random.IntN(40) {
		case 0:
			b.WriteString(`\n` + word)
		case 1:
			b.WriteString(`\"` + word + `\"`)
		case 2:
			b.WriteString("café — 東京 🚀")
		default:
			b.WriteString(word)
		}
	}
	return `"` + b.String() + `"`
}

// id makes a JSON string: a prefix and ten hexadecimal digits.
func (w *writer) id(prefix string) string {
	return fmt.Sprintf(`"%s_%010x"`, prefix, w.random.Uint64()>>24)
}

// hex makes n hexadecimal digits.
func (w *writer) hex(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%x", w.random.IntN(16))
	}
	return b.String()
}

const instant = `"2026-05-01T08:30:00.125Z"`

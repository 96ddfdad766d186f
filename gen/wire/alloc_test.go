//go:build !race

// The race detector makes sync.Pool forget at random, so allocations are
// counted without it.

package wire

import (
	"strings"
	"testing"
)

func TestReadingValidTextAllocatesNothing(t *testing.T) {
	data := []byte(`{"a":"text","b":[1,2.5,true,null,{"c":"\u00e9\n"}],"d":{"e":{"f":"世界"}},"\u0067":1}`)
	for name, read := range map[string]func(*Reader) bool{"skip": (*Reader).Skip, "walk": walk} {
		if n := testing.AllocsPerRun(200, func() {
			r := Acquire(data, nil)
			read(r)
			if r.Close() != nil {
				t.Error("refused")
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestATrialThatFailsAllocatesNothing(t *testing.T) {
	place := At("d.json", "")
	three := MustDecimal("3")
	null := func(r *Reader) bool { return r.CheckNull(&place) }
	for name, test := range map[string]struct {
		data  string
		check func(*Reader) bool
	}{
		"type":   {`"text"`, null},
		"text":   {`"text"`, func(r *Reader) bool { return r.CheckText(&TextRule{Place: place, MaxLength: 1, Limited: true}) }},
		"number": {`1`, func(r *Reader) bool { return r.CheckNumber(&NumberRule{Place: place, Minimum: three}) }},
		"enum":   {`"text"`, func(r *Reader) bool { return r.NotInEnum(r.Pos(), &place, []string{"a", "b"}) }},
		"list": {`["a"]`, func(r *Reader) bool {
			return r.CheckTexts(&ListRule{Place: place, MinItems: 2}, &TextRule{Place: place})
		}},
		"choice": {`"text"`, func(r *Reader) bool { return r.NotChosen(&place, "oneOf", 2, BranchAt(0, null)) }},
	} {
		data := []byte(test.data)
		if n := testing.AllocsPerRun(200, func() {
			r := Acquire(data, nil)
			if r.Holds(r.Mark(), test.check) || !r.Skip() || r.Close() != nil {
				t.Error("the trial left a trace")
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestLengthIsCountedWithoutResolvingEscapes(t *testing.T) {
	for _, text := range []string{
		``, `a`, `\n`, `\u0041`, `\ud83d\ude00`, `\uD83D\uDE00x`, `世界 🙂`, `a\\\\u0041`, `\\u0041`, `\ud7ff\ue000`, `"\"\/`[1:],
		`a long text without any escape in it`, `a long text \t with 世界 \u4e16 and \uD834\uDD1E in it`,
	} {
		data := []byte(`"` + text + `"`)
		r := Acquire(data, nil)
		content, _ := r.Text()
		n := RuneCount(content)
		_ = r.Close()
		for low := -1; low <= n+2; low++ {
			for high := -1; high <= n+2; high++ {
				r := Acquire(data, nil)
				within, ok := r.TextWithin(low, high)
				if want := n >= low && (high < 0 || n <= high); within != want || !ok {
					t.Errorf("%s (%d) within %d and %d: %v", data, n, low, high, within)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	r := Acquire([]byte(`"\x"`), nil)
	if _, ok := r.TextWithin(0, 5); ok || r.Close() == nil {
		t.Error("a broken string passed")
	}
}

func TestMatchingAllocatesNothing(t *testing.T) {
	for _, c := range patternCases[:10] {
		p, s := MustPattern(c.pattern), []byte(c.good[0])
		p.Match(s)
		if n := testing.AllocsPerRun(100, func() { p.Match(s) }); n != 0 {
			t.Errorf("%s: %v allocations", c.pattern, n)
		}
	}
}

func TestMessagesOfOneKindAreKeptInOnePieceOfMemory(t *testing.T) {
	for _, size := range []int{100, 3000, 40_000} {
		data := []byte(`{"name that is not kept":"` + strings.Repeat("x", size) + `","another name":"` + strings.Repeat("é", size/4) + `"}`)
		names := &Names{List: []string{"name that is not kept", "another name"}}
		rule := &TextRule{}
		var v [2]string
		read := func() {
			r := AcquireDecode(data, nil)
			r.Object()
			for k := r.Next(names, -1); k != End; k = r.Next(names, k) {
				r.ReadText(rule, &v[k])
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		read()
		if n := testing.AllocsPerRun(100, read); n > 1 {
			t.Errorf("%d bytes: %v allocations", size, n)
		}
	}
}

// Room for a little less than is kept of a message must not be made again and again.
func TestRoomIsMadeForMessagesOfWhichALittleMoreIsKept(t *testing.T) {
	array := func(text string, space int) []byte {
		element := `"` + text + `",` + strings.Repeat(" ", space)
		return []byte("[" + strings.Repeat(element, 12000/len(element)) + `"end"]`)
	}
	less, more := array(strings.Repeat("l", 90), 10), array(strings.Repeat("m", 100), 0)
	read := func(data []byte) {
		r := AcquireDecode(data, nil)
		r.Array()
		var text string
		for r.Element() {
			r.ReadText(&TextRule{}, &text)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	for range 50 {
		read(less)
	}
	read(more)
	if n := testing.AllocsPerRun(100, func() { read(more) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

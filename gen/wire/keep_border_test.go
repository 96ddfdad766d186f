package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// borderTexts are strings as a message writes them, sound and not: what ends words, rooms and messages.
func borderTexts() []string {
	pieces := []string{
		``, `a`, `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\u4e16`, `\ud83d\ude42`, `é`, `世`, `🙂`, `é世🙂é`, `🙂🙂🙂🙂🙂🙂`, "\x7f",
		"\x1f", "\x00", "\xff", "\xc3", "\xe4\xb8", "\xed\xa0\x80", "\xf0\x9f\x99", "🙂🙂\xf0\x9f", `\x`, `\ud83d`, `\ud83dx`, `\udc00`, `\u12`,
	}
	var texts []string
	for _, piece := range pieces {
		for before := range 18 {
			for _, after := range []int{0, 1, 6, 7, 8, 9, 16} {
				texts = append(texts, strings.Repeat("a", before)+piece+strings.Repeat("b", after))
			}
		}
	}
	return texts
}

// borderRules are rules that look at a text in different ways.
func borderRules() []*TextRule {
	place := At("d.json", "/text")
	return []*TextRule{
		{Place: place},
		{Place: place, MinLength: 1},
		{Place: place, MinLength: 9},
		{Place: place, MaxLength: 8, Limited: true},
		{Place: place, Pattern: MustPattern("^[a-b]*$")},
	}
}

// roomOf gives a reader a room of some length of which some is used, between bytes that nothing may be written to, and
// returns what tells whether something was.
func roomOf(r *Reader, length, used int) (touched func() bool) {
	memory := bytes.Repeat([]byte{0xaa}, length+32)
	r.room, r.used, r.from = memory[:length:length], used, used
	return func() bool {
		return bytes.Count(memory[:used], []byte{0xaa}) != used || bytes.Count(memory[length:], []byte{0xaa}) != 32
	}
}

func TestStringsAreReadAsTheyAreCheckedAtEveryBorder(t *testing.T) {
	for _, rule := range borderRules() {
		for i, text := range borderTexts() {
			// In every second message something follows the string, so that its end is met in whole words.
			data := []byte(`"` + text + `"` + strings.Repeat(" ", i%2*16))
			check := Acquire(data, nil)
			check.CheckText(rule)
			want := fmt.Sprint(check.Close())
			plain := Acquire(data, nil)
			content, _ := plain.Text()
			wantText := string(content)
			_ = plain.Close()
			for _, room := range []struct{ length, used int }{{0, 0}, {1, 1}, {8, 0}, {9, 3}, {16, 0}, {20, 5}, {26, 1}, {64, 0}, {64, 45}, {64, 64}} {
				r := AcquireDecode(data, nil)
				touched := roomOf(r, room.length, room.used)
				var got string
				r.ReadText(rule, &got)
				err := fmt.Sprint(r.Close())
				if err != want {
					t.Fatalf("%q in a room of %v: %s, want %s", data, room, err, want)
				}
				if err == "<nil>" && got != wantText {
					t.Fatalf("%q in a room of %v: %q, want %q", data, room, got, wantText)
				}
				if touched() {
					t.Fatalf("%q in a room of %v: written outside", data, room)
				}
			}
		}
	}
}

func TestWhatIsKeptStaysWithinItsRoom(t *testing.T) {
	message := []byte(`{"n\u0061me":[1.5e3,{"a":[]},"text","\t"],"12345678":"1234567","x":12345}`)
	read := func(r *Reader) (kept []string) {
		frame := 0
		r.Object()
		for r.Member() {
			kept = append(kept, r.NameString())
			switch r.Kind() {
			case KindArray:
				r.Array()
				for r.Element() {
					switch r.Kind() {
					case KindNumber:
						n, _ := r.Number()
						kept = append(kept, string(r.NumberText(n)))
					case KindString:
						text, _ := r.String()
						kept = append(kept, text)
					default:
						raw, _ := r.Raw()
						kept = append(kept, string(raw))
					}
				}
			case KindNumber:
				var n Number
				r.ReadNumber(&NumberRule{}, &n)
				kept = append(kept, string(n))
			default:
				raw, _ := r.Raw()
				kept = append(kept, string(raw))
			}
		}
		r.EndObject(frame)
		return kept
	}
	want := []string{"name", "1.5e3", `{"a":[]}`, "text", "\t", "12345678", `"1234567"`, "x", "12345"}
	for length := range 70 {
		for used := 0; used <= length; used += 1 + length/8 {
			r := AcquireDecode(message, nil)
			touched := roomOf(r, length, used)
			got := read(r)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
				t.Errorf("room of %d, %d used: %q", length, used, got)
			}
			if touched() {
				t.Errorf("room of %d, %d used: written outside", length, used)
			}
		}
	}
}

func TestExcludedBoundsHoldForSmallIntegersToo(t *testing.T) {
	for _, c := range []struct {
		rule *NumberRule
		text string
		want bool
	}{
		{&NumberRule{ExclusiveMinimum: MustDecimal("0")}, "0", false},
		{&NumberRule{ExclusiveMinimum: MustDecimal("0")}, "-1", false},
		{&NumberRule{ExclusiveMinimum: MustDecimal("0")}, "1", true},
		{&NumberRule{ExclusiveMinimum: MustDecimal("0.5")}, "0", false},
		{&NumberRule{ExclusiveMinimum: MustDecimal("0.5")}, "1", true},
		{&NumberRule{ExclusiveMaximum: MustDecimal("10")}, "10", false},
		{&NumberRule{ExclusiveMaximum: MustDecimal("10")}, "11", false},
		{&NumberRule{ExclusiveMaximum: MustDecimal("10")}, "9", true},
		{&NumberRule{ExclusiveMaximum: MustDecimal("1e30")}, "9", true},
		{&NumberRule{ExclusiveMinimum: MustDecimal("1e30")}, "9", false},
	} {
		for name, read := range map[string]func(*Reader) bool{
			"check": func(r *Reader) bool { return r.CheckNumber(c.rule) },
			"int":   func(r *Reader) bool { var v int64; return r.ReadInt(c.rule, &v) },
			"text":  func(r *Reader) bool { var v Number; return r.ReadNumber(c.rule, &v) },
		} {
			r := AcquireDecode([]byte(c.text), nil)
			read(r)
			if got := r.Close() == nil; got != c.want {
				t.Errorf("%s by %s: %v, want %v", c.text, name, got, c.want)
			}
		}
	}
}

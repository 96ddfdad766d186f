package wire

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// keepAll reads an array of strings, and of anything else as raw values, in decoding mode.
func keepAll(t testing.TB, data []byte) (texts []string, raws []Raw) {
	r := AcquireDecode(data, nil)
	r.Array()
	for r.Element() {
		var text string
		switch {
		case r.Kind() != KindString:
			raw, _ := r.Raw()
			raws = append(raws, raw)
			continue
		case len(texts)%2 == 0:
			r.ReadText(&TextRule{}, &text)
		default:
			text, _ = r.String()
		}
		texts = append(texts, text)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return texts, raws
}

// someArray is an array of strings and raw values of many lengths around those of words and rooms, and what is to be
// read from it.
func someArray(random *rand.Rand) (data []byte, texts []string, raws []string) {
	lengths := []int{0, 1, 7, 8, 9, 15, 16, 17, 24, 31, 64, 200}
	if random.IntN(4) == 0 {
		lengths = append(lengths, smallRoom/2, smallRoom-1, smallRoom, smallRoom+1, 3*smallRoom)
	}
	alphabets := []string{"a", "abc ", "é", "a世", "🙂", "\n\"\\", "plain and then \t", "\u0001"}
	data = append(data, '[')
	for n := random.IntN(24); n > 0; n-- {
		if len(data) > 1 {
			data = append(data, ',')
		}
		length := lengths[random.IntN(len(lengths))]
		if random.IntN(3) == 0 {
			raw := `{"k":"` + strings.Repeat("v", length) + `"}`
			data, raws = append(data, raw...), append(raws, raw)
			continue
		}
		text := strings.Repeat(alphabets[random.IntN(len(alphabets))], length+1)[:length]
		text = strings.ToValidUTF8(text, "?")
		data, texts = AppendString(data, text), append(texts, text)
	}
	return append(data, ']'), texts, raws
}

func TestWhatIsKeptOutlivesTheMessageAndTheReader(t *testing.T) {
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 1))
			type kept struct {
				texts, wantTexts []string
				raws             []Raw
				wantRaws         []string
			}
			var all []kept
			for range 400 {
				data, texts, raws := someArray(random)
				var k kept
				k.wantTexts, k.wantRaws = texts, raws
				k.texts, k.raws = keepAll(t, data)
				clear(data)
				all = append(all, k)
			}
			for _, k := range all {
				if fmt.Sprintf("%q", k.texts) != fmt.Sprintf("%q", k.wantTexts) {
					t.Errorf("texts %.200q, want %.200q", k.texts, k.wantTexts)
				}
				if fmt.Sprintf("%s", k.raws) != fmt.Sprintf("%s", k.wantRaws) {
					t.Errorf("raw values %.200s, want %.200s", k.raws, k.wantRaws)
				}
			}
		})
	}
	wait.Wait()
}

func TestRawValuesDoNotShareBytes(t *testing.T) {
	data := []byte(`["first",{"a":1},"second",[2],"third"]`)
	texts, raws := keepAll(t, data)
	for _, raw := range raws {
		for i := range raw {
			raw[i] = '#'
		}
		_ = append(raw, "#####"...)
	}
	if got := strings.Join(texts, " "); got != "first second third" {
		t.Errorf("strings became %q", got)
	}
	if string(data) != `["first",{"a":1},"second",[2],"third"]` {
		t.Errorf("the message became %s", data)
	}
}

// A value that is read again, as branches of a union are, is handed out twice.
func TestValueReadTwiceIsKeptTwice(t *testing.T) {
	for _, text := range []string{`"short"`, `"with \"escapes\" in it"`, `"` + strings.Repeat("long ", 1000) + `"`} {
		r := AcquireDecode([]byte(text), nil)
		m := r.Mark()
		raw, _ := r.Raw()
		r.Reset(m)
		first, _ := r.String()
		r.Reset(m)
		var second string
		r.ReadText(&TextRule{}, &second)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		clear(raw)
		if first != second || strings.ContainsRune(first, 0) {
			t.Errorf("%.40s: read %.40q and %.40q", text, first, second)
		}
	}
}

// A share learned of messages that are kept whole must not be too small for others, nor the reverse.
func TestRoomsFitMessagesOfWhichMoreOrLessIsKept(t *testing.T) {
	whole := append(append([]byte(`["`), bytes.Repeat([]byte("k"), 9000)...), `"]`...)
	hardly := append(append([]byte(`[`), bytes.Repeat([]byte(" "), 9000)...), `"k"]`...)
	for range 50 {
		if texts, _ := keepAll(t, whole); len(texts[0]) != 9000 {
			t.Fatalf("kept %d bytes", len(texts[0]))
		}
		if texts, _ := keepAll(t, hardly); texts[0] != "k" {
			t.Fatalf("kept %q", texts[0])
		}
	}
}

// A room of the size of the message would be held by the one short string of it that somebody holds.
func TestAStringOfALargeMessageHoldsLittleMemory(t *testing.T) {
	data := []byte(`["id",` + strings.Repeat(" ", 1<<20) + `1]`)
	r := new(Reader)
	r.start(data, nil)
	r.decoding = true
	r.Array()
	r.Element()
	if id, _ := r.String(); id != "id" || len(r.room) > largestRoom+largestRoom/8 {
		t.Errorf("%q is kept in a room of %d bytes", id, len(r.room))
	}
	// What is longer than the largest room has one of its own.
	long := strings.Repeat("x", 2*largestRoom)
	texts, _ := keepAll(t, []byte(`["`+long+`","short"]`))
	if texts[0] != long || texts[1] != "short" {
		t.Error("a long string is not kept as it is")
	}
}

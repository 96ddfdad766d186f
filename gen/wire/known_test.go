package wire

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// membersBy reads the names of an object's members in one of two ways.
func membersBy(data string, next func(r *Reader) func() bool) (names []string, err error) {
	r := Acquire([]byte(data), nil)
	r.Object()
	more := next(r)
	for more() {
		at := r.NamePos()
		end, code := scanString(r.data, at+1)
		name := r.data[at+1 : end]
		if code == textEscaped {
			name = unescape(nil, name)
		}
		names = append(names, string(name))
		if !r.Skip() {
			break
		}
	}
	r.EndObject(0)
	return names, r.Close()
}

func TestNextFindsTheMembersThatMemberDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	known := &Names{List: []string{
		"", "a", "id", "seven77", "eightee8", "ninenine9", "naïve", strings.Repeat("x", 13), strings.Repeat("x", 14),
		strings.Repeat("y", 21), strings.Repeat("y", 22), strings.Repeat("z", 40), strings.Repeat("z", 39) + "!", `with "quotes"`, "tab\t",
	}}
	index := map[string]int{}
	for i, name := range known.List {
		index[name] = i
	}
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for range 3000 {
		var b strings.Builder
		b.WriteString("{" + pick("", "", " "))
		k := random.IntN(len(known.List))
		for n := range random.IntN(6) {
			if n > 0 {
				b.WriteString(pick(",", ",", " ,\n  "))
			}
			name := pick("other", "i", "ie", "eightee88", strings.Repeat("z", 41))
			if random.IntN(4) > 0 {
				name = known.List[k%len(known.List)]
				k += 1 + random.IntN(2)*random.IntN(5)
			}
			text := Quoted(name)
			if random.IntN(8) == 0 && name != "" {
				text = fmt.Sprintf(`"\u%04x%s`, []rune(name)[0], Quoted(string([]rune(name)[1:]))[1:])
			}
			b.WriteString(text + pick(":", ":", " : ", ": ") + pick("1", `"x"`, "[{}]"))
		}
		data := b.String() + pick("}", "}", " }", "", ",}", "]")
		want, wantErr := membersBy(data, func(r *Reader) func() bool { return r.Member })
		got, err := membersBy(data, func(r *Reader) func() bool {
			k := -1
			return func() bool {
				if k = r.Next(known, k); k == End {
					return false
				}
				at := r.NamePos()
				end, code := scanString(r.data, at+1)
				name := string(unescape(nil, r.data[at+1:end]))
				if i, ok := index[name]; ok != (k >= 0) || ok && i != k {
					t.Errorf("%s: %q (%v) has index %d", data, name, code, k)
				}
				if k < 0 && string(r.Name()) != name {
					t.Errorf("%s: %q is named %q", data, name, r.Name())
				}
				return true
			}
		})
		if d := cmp.Diff(want, got); d != "" || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%s\n%v instead of %v\n%s", data, err, wantErr, d)
		}
	}
}

func TestListsGrowToWhatTheyHold(t *testing.T) {
	var room Room[string]
	for _, n := range []int{0, 3, 100, 1, 0, 2000, 7, 7} {
		var list []string
		for i := range n {
			if len(list) == cap(list) {
				list = room.Grow(list)
			}
			list = list[:len(list)+1]
			if last := &list[len(list)-1]; *last != "" {
				t.Fatal("the memory of a new element is not zero")
			} else {
				*last = fmt.Sprint(i)
			}
		}
		list = room.Done(list)
		if list == nil || len(list) != n || cap(list) > 2*n {
			t.Errorf("%d elements: length %d, room for %d", n, len(list), cap(list))
		}
		for i, s := range list {
			if s != fmt.Sprint(i) {
				t.Errorf("element %d is %s", i, s)
			}
		}
	}
}

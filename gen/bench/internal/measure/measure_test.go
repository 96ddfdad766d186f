package measure

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func messages(t testing.TB) []Message {
	all, err := Messages("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// members is a message as any, with exact numbers.
func members(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestBindingsWriteWhatTheyRead(t *testing.T) {
	for _, m := range messages(t) {
		encode, err := bindings[m.Name].encode(m.Data)
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		if !reflect.DeepEqual(members(t, encode(nil)), members(t, m.Data)) {
			t.Errorf("%s: written otherwise than read", m.Name)
		}
	}
}

func TestHandWrittenTypesKeepEveryNamedMember(t *testing.T) {
	for _, m := range messages(t) {
		for _, c := range codecs {
			v := handTypes[m.Name]()
			if err := c.decode(m.Data, v); err != nil {
				t.Errorf("%s: %s: %v", m.Name, c.name, err)
				continue
			}
			var b bytes.Buffer
			if err := c.encoder(&b)(v); err != nil {
				t.Errorf("%s: %s: %v", m.Name, c.name, err)
				continue
			}
			want := members(t, m.Data)
			if m.Name == SideEvent {
				delete(want.(map[string]any)["data"].(map[string]any), "more") // no document names it
			}
			if !reflect.DeepEqual(members(t, b.Bytes()), want) {
				t.Errorf("%s: %s: written otherwise than read", m.Name, c.name)
			}
		}
	}
}

func TestPeersTakeEveryMessage(t *testing.T) {
	for _, p := range Peers() {
		for _, m := range messages(t) {
			do, err := p.Prepare(m)
			if err != nil || do == nil {
				t.Errorf("%s %s: %s: %v", p.Name, p.Task, m.Name, err)
				continue
			}
			if err := do(); err != nil {
				t.Errorf("%s %s: %s: %v", p.Name, p.Task, m.Name, err)
			}
		}
	}
}

func TestValidatingAndEncodingAllocateNothing(t *testing.T) {
	for _, m := range messages(t) {
		for _, p := range hallmarkPeers() {
			if p.Task == Decode {
				continue
			}
			do, err := p.Prepare(m)
			if err != nil {
				t.Fatal(err)
			}
			if n := testing.AllocsPerRun(100, func() { _ = do() }); n != 0 {
				t.Errorf("%s: %s: %v allocations", m.Name, p.Task, n)
			}
		}
	}
}

// BenchmarkHallmark is for profiles of the bindings; the table comes from the
// program.
func BenchmarkHallmark(b *testing.B) {
	for _, p := range hallmarkPeers() {
		for _, m := range messages(b) {
			b.Run(string(p.Task)+"/"+m.Name, func(b *testing.B) {
				do, err := p.Prepare(m)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(m.Bytes))
				b.ReportAllocs()
				for b.Loop() {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

package bench

import (
	"encoding/json"
	"testing"

	"github.com/go-faster/jx"
	goccy "github.com/goccy/go-json"
	"github.com/valyala/fastjson"

	"github.com/hallmark-kit/hallmark/gen/wire"
)

func each(b *testing.B, run func(b *testing.B, data []byte)) {
	for _, m := range Messages() {
		b.Run(m.Name, func(b *testing.B) {
			b.SetBytes(int64(len(m.Data)))
			b.ReportAllocs()
			run(b, m.Data)
		})
	}
}

// BenchmarkSkip is a check of the whole text that keeps nothing.
func BenchmarkSkip(b *testing.B) {
	b.Run("wire", func(b *testing.B) {
		each(b, func(b *testing.B, data []byte) {
			for b.Loop() {
				r := wire.Acquire(data, nil)
				r.Skip()
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("jx", func(b *testing.B) {
		d := jx.GetDecoder()
		each(b, func(b *testing.B, data []byte) {
			for b.Loop() {
				d.ResetBytes(data)
				if err := d.Skip(); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	for name, valid := range map[string]func([]byte) bool{
		"encoding-json": json.Valid,
		"goccy":         goccy.Valid,
		"fastjson":      func(data []byte) bool { return fastjson.ValidateBytes(data) == nil },
	} {
		b.Run(name, func(b *testing.B) { benchmarkValid(b, valid) })
	}
}

func benchmarkValid(b *testing.B, valid func([]byte) bool) {
	each(b, func(b *testing.B, data []byte) {
		for b.Loop() {
			if !valid(data) {
				b.Fatal("invalid")
			}
		}
	})
}

func TestPeersTakeTheMessages(t *testing.T) {
	for _, m := range Messages() {
		if err := fastjson.ValidateBytes(m.Data); err != nil || !json.Valid(m.Data) || !goccy.Valid(m.Data) {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

// walk reads every value through the methods that generated validators use.
func walk(r *wire.Reader) bool {
	switch r.Kind() {
	case wire.KindObject:
		if !r.Object() {
			return false
		}
		frame := r.Frame()
		for r.Member() {
			if !r.Unique(frame) || !walk(r) {
				return false
			}
		}
		return r.EndObject(frame)
	case wire.KindArray:
		if !r.Array() {
			return false
		}
		for r.Element() {
			if !walk(r) {
				return false
			}
		}
		return r.EndArray()
	case wire.KindString:
		_, ok := r.Text()
		return ok
	case wire.KindNumber:
		_, ok := r.Number()
		return ok
	case wire.KindBool:
		_, ok := r.Bool()
		return ok
	case wire.KindNull:
		return r.Null()
	}
	return r.Skip()
}

// BenchmarkWalk visits every value one by one.
func BenchmarkWalk(b *testing.B) {
	b.Run("wire", func(b *testing.B) {
		each(b, func(b *testing.B, data []byte) {
			for b.Loop() {
				r := wire.Acquire(data, nil)
				walk(r)
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

func TestMessagesAreValidAndOfTheirSize(t *testing.T) {
	for _, m := range Messages() {
		r := wire.Acquire(m.Data, nil)
		r.Skip()
		if err := r.Close(); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		t.Logf("%s: %d bytes", m.Name, len(m.Data))
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	for _, m := range Messages() {
		n := testing.AllocsPerRun(100, func() {
			r := wire.Acquire(m.Data, nil)
			walk(r)
			if r.Close() != nil {
				t.Error("invalid")
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", m.Name, n)
		}
	}
}

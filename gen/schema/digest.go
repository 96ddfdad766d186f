package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// digest stands for a meaning; 128 bits of SHA-256.
type digest [16]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }

func digestOf(b []byte) digest {
	sum := sha256.Sum256(b)
	return digest(sum[:16])
}

// digester digests terms, given the digests of the parts they name.
type digester struct {
	label func(part int) digest
	memo  map[*condition]digest
}

func newDigester(label func(int) digest) *digester {
	return &digester{label, map[*condition]digest{}}
}

func (d *digester) term(t term) digest {
	b := []byte(t.extra)
	for _, c := range t.conds {
		x := d.condition(c)
		b = append(b, x[:]...)
	}
	return digestOf(b)
}

func (d *digester) condition(c *condition) digest {
	if c == nil {
		return digest{}
	}
	if x, ok := d.memo[c]; ok {
		return x
	}
	atoms := make([]digest, len(c.atoms))
	for i := range c.atoms {
		atoms[i] = d.atom(&c.atoms[i])
	}
	x := digestOf(appendSet([]byte{'c', byte(c.family)}, atoms, true))
	d.memo[c] = x
	return x
}

// appendSet appends digests in an order of their own, each once if asked.
func appendSet(b []byte, list []digest, once bool) []byte {
	slices.SortFunc(list, func(x, y digest) int { return bytes.Compare(x[:], y[:]) })
	if once {
		list = slices.Compact(list)
	}
	for _, x := range list {
		b = append(b, x[:]...)
	}
	return append(b, '.')
}

func (d *digester) atom(a *atom) digest {
	b := append([]byte{'a', byte(a.op)}, a.parameters()...)
	b = append(b, 0)
	subs := d.labels(a.sub)
	if a.op == opUneval {
		b = append(b, subs[0][:]...)
		subs = subs[1:]
	}
	b = appendSet(b, subs, true) // one, or a set
	conds := make([]digest, len(a.conds))
	for i, c := range a.conds {
		conds[i] = d.condition(c)
	}
	switch a.op {
	case opAny:
		b = appendSet(b, conds, true)
	case opOne:
		b = appendSet(b, conds, false)
	default:
		for _, x := range conds {
			b = append(b, x[:]...)
		}
	}
	whens := make([]digest, len(a.whens))
	for i, w := range a.whens {
		x := d.condition(w.cond)
		e := w.seen
		containing := d.labels(e.containing)
		e.containing = nil
		whens[i] = digestOf(appendSet(append(x[:], e.text()...), containing, true))
	}
	return digestOf(appendSet(b, whens, true))
}

func (d *digester) labels(parts []int) []digest {
	list := make([]digest, len(parts))
	for i, p := range parts {
		list[i] = d.label(p)
	}
	return list
}

// parts gives the parts a term names.
func (t term) parts(yield func(int)) {
	seen := map[*condition]bool{}
	var visit func(c *condition)
	visit = func(c *condition) {
		if c == nil || seen[c] {
			return
		}
		seen[c] = true
		for _, a := range c.atoms {
			for _, s := range a.sub {
				yield(s)
			}
			for _, c := range a.conds {
				visit(c)
			}
			for _, w := range a.whens {
				visit(w.cond)
				for _, s := range w.seen.containing {
					yield(s)
				}
			}
		}
	}
	for _, c := range t.conds {
		visit(c)
	}
}

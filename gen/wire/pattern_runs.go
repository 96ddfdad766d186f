package wire

import "github.com/hallmark-kit/hallmark/gen/wire/ecma"

// runs matches a pattern that is a sequence of character classes with counts,
// anchored at the start, byte by byte: nearly all patterns of real documents
// are. It is exact because each run whose length may vary is followed by bytes
// that cannot belong to it.
type runs struct {
	list []run
	open bool // the pattern has no $: what follows the last run does not matter
}

type run struct {
	table    *[256]bool
	min, max int // in bytes; max < 0: unbounded
	set      ecma.Set
}

// verdict is what a matcher can tell.
type verdict uint8

const (
	no verdict = iota
	yes
	unknown
)

// maxRuns bounds how far counts over groups are written out.
const maxRuns = 64

// findRuns returns the matcher of the pattern, or nil if it is no such
// sequence.
func findRuns(root *ecma.Node) *runs {
	f := runFinder{}
	if !f.add(root) || !f.anchored {
		return nil
	}
	r := &runs{list: f.list, open: !f.closed}
	if n := len(r.list); n > 0 && r.open {
		r.list[n-1].max = r.list[n-1].min
	}
	for i := range r.list {
		if !r.separate(i) {
			return nil
		}
	}
	for i := range r.list {
		r.list[i].table = byteTable(r.list[i])
		for k := range i {
			if *r.list[k].table == *r.list[i].table {
				r.list[i].table = r.list[k].table
			}
		}
	}
	for i := range r.list {
		r.list[i].set = nil // the tables are all that matching needs
	}
	return r
}

// separate tells whether run i, if its length varies, cannot take what belongs
// to a run behind it.
func (r *runs) separate(i int) bool {
	if r.list[i].min == r.list[i].max {
		return true
	}
	for k := i + 1; k < len(r.list); k++ {
		if len(r.list[i].set.Intersect(r.list[k].set)) > 0 {
			return false
		}
		if r.list[k].min > 0 {
			break
		}
	}
	return true
}

type runFinder struct {
	list     []run
	anchored bool
	closed   bool
}

func (f *runFinder) add(n *ecma.Node) bool {
	if n.Op == ecma.OpStart && len(f.list) == 0 && !f.anchored {
		f.anchored = true
		return true
	}
	if f.closed || !f.anchored && n.Op != ecma.OpConcat {
		return false
	}
	switch n.Op {
	case ecma.OpEmpty:
		return true
	case ecma.OpEnd:
		f.closed = true
		return true
	case ecma.OpSet:
		return f.append(run{set: n.Set, min: 1, max: 1})
	case ecma.OpGroup:
		return f.add(n.Subs[0])
	case ecma.OpConcat:
		for _, s := range n.Subs {
			if !f.add(s) {
				return false
			}
		}
		return true
	case ecma.OpRepeat:
		if n.Subs[0].Op == ecma.OpSet {
			return f.append(run{set: n.Subs[0].Set, min: n.Min, max: n.Max})
		}
		if n.Min != n.Max || n.Min > maxRuns {
			return false
		}
		for range n.Min {
			if !f.add(n.Subs[0]) {
				return false
			}
		}
		return true
	}
	return false
}

func (f *runFinder) append(r run) bool {
	if k := len(f.list) - 1; k >= 0 && r.min == r.max && f.list[k].min == f.list[k].max && r.set.Equal(f.list[k].set) {
		f.list[k].min += r.min
		f.list[k].max += r.max
		return true
	}
	f.list = append(f.list, r)
	return len(f.list) <= maxRuns
}

// byteTable marks the bytes of the run's set. Bytes of several-byte characters
// are marked where the set has all those characters and their number does not
// matter.
func byteTable(r run) *[256]bool {
	var t [256]bool
	for c := range rune(0x80) {
		t[c] = r.set.Contains(c)
	}
	if r.wide() {
		for c := 0x80; c < 0x100; c++ {
			t[c] = true
		}
	}
	return &t
}

var beyondASCII = ecma.NewSet(ecma.Range{Lo: 0x80, Hi: 0x10ffff})

// wide tells whether the run takes any number of characters beyond ASCII.
func (r *run) wide() bool {
	return r.min <= 1 && r.max < 0 && len(beyondASCII.Intersect(r.set.Complement())) == 0
}

// match tells whether s matches; unknown if that hangs on characters beyond
// ASCII.
func (r *runs) match(s []byte) verdict {
	i := 0
	for k := range r.list {
		step := &r.list[k]
		table := step.table
		end := len(s)
		if step.max >= 0 && step.max < end-i {
			end = i + step.max
		}
		start := i
		for i < end && table[s[i]] {
			i++
		}
		if i < len(s) && s[i] >= 0x80 && !table[s[i]] {
			return unknown
		}
		if i-start < step.min {
			return no
		}
	}
	if i == len(s) || r.open {
		return yes
	}
	return no
}

package shape

import "github.com/hallmark-kit/hallmark/gen/schema"

// Retried reports whether the verdict of part on a value is worth remembering, where n tries part on it: because a part
// of that value may have to be held against part or n again, or because so many trials are nested in part that the same
// schemas would be tried on the same values over and over. Without a memory the time would be multiplied with every
// level.
func (f *Rings) Retried(n, part *schema.Node) bool {
	part = part.Target()
	if f.trials(part) > mostTrials {
		return true
	}
	// What part leads to leads back to n, which leads to it, only where both are in one ring. A branch with what stands
	// beside its choice is a schema that nothing leads to, though; so this looks one step ahead.
	for e := range part.Edges() {
		if e.Place == schema.Definition {
			continue
		}
		if ring := f.ring(e.Node); ring == f.ring(part) || ring == f.ring(n) {
			return true
		}
	}
	return false
}

// mostTrials is how often one value may be looked at without a memory.
const mostTrials = 16

// trials returns how often, at most, a value below n is looked at because branches are tried, one inside the other.
// Where a schema leads back to itself it does not count how often: that is remembered anyway.
func (f *Rings) trials(n *schema.Node) int {
	n = n.Target()
	if times, done := f.times[n]; done {
		return times
	}
	most, anyOf, oneOf := 1, tried(n.AnyOf), tried(n.OneOf)
	for e := range n.Edges() {
		if e.Place == schema.Definition || f.ring(e.Node) == f.ring(n) {
			continue
		}
		times := f.trials(e.Node)
		switch e.Keyword {
		case "anyOf":
			times *= anyOf
		case "oneOf":
			times *= oneOf
		case "not", "if", "contains":
			times *= 2
		}
		most = max(most, min(times, mostTrials+1))
	}
	f.times[n] = most
	return most
}

// tried is how many of some branches are tried on one value where its kind and its members have ruled out the others.
func tried(branches []*schema.Node) int {
	if len(branches) == 0 {
		return 1
	}
	var most func(d *Decision) int
	most = func(d *Decision) int {
		switch {
		case d == nil:
			return 0
		case d.Leaf:
			return len(d.Branches)
		}
		n := most(d.Other)
		for _, next := range d.ByKind {
			n = max(n, most(next))
		}
		for _, c := range d.Cases {
			n = max(n, most(c.Next))
		}
		return n
	}
	n := most(Decide(branches))
	if n > 1 {
		n++ // and once more to read or to skip it
	}
	return max(n, 1)
}

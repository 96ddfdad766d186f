package wire

import (
	"fmt"
	"strings"
)

// Branch is one of the schemas of a oneOf or anyOf.
type Branch struct {
	index int
	check func(*Reader) bool
}

// BranchAt is the branch at an index, from 0, whose schema check holds the next value against.
func BranchAt(index int, check func(*Reader) bool) Branch { return Branch{index, check} }

// NotChosen records that the next value is not accepted as keyword, oneOf or anyOf, at place p asks, and skips it:
// none of the branches it can belong to accepts it, or, of a oneOf, several do. There are so many schemas in all. The
// violation tells what is wrong by the branch that comes closest, or which branches accept the value.
func (r *Reader) NotChosen(p *Place, keyword string, schemas int, branches ...Branch) bool {
	if r.trial || r.Kind() == KindInvalid {
		return r.FailSkip(nil)
	}
	if r.bad || r.stopped {
		return false
	}
	m := r.Mark()
	want := fmt.Sprintf("a value that one of %d schemas accepts", schemas)
	var held []string
	if keyword == "oneOf" {
		want = fmt.Sprintf("a value that exactly one of %d schemas accepts", schemas)
		size := r.extent(m)
		for _, b := range branches {
			if r.spend(size) && r.Holds(m, b.check) {
				held = append(held, fmt.Sprintf("/%s/%d", keyword, b.index))
			}
		}
	}
	var causes []fault
	switch {
	case len(held) > 1:
		all := "both "
		if len(held) > 2 {
			all = "all of "
		}
		want += ", not " + all + strings.Join(held[:len(held)-1], ", ") + " and " + held[len(held)-1]
	case len(held) == 0:
		causes = r.closest(m, branches)
	}
	r.Reset(m)
	return r.fail(fault{at: r.pos, site: p.site(keyword, want), causes: causes}) && r.Skip()
}

const (
	mostCauses    = 4  // how many violations of the closest branch are told
	mostCompared  = 32 // how many violations of a branch are looked at
	mostExplained = 3  // how many choices, one inside the other, tell what is wrong by their closest branch

	// What telling more of refused choices may cost a message is bounded: so many bytes read again, and so many times the
	// message, a branch counting as branchEffort bytes at least. What goes beyond is told without.
	mostEffort   = 256 << 10
	mostTimes    = 32
	branchEffort = 64
)

// spend notes that a branch is tried on so many bytes, to tell more of a refused choice. It returns false where the
// message has cost enough.
func (r *Reader) spend(bytes int) bool {
	r.effort += branchEffort + bytes
	return r.effort <= mostEffort+mostTimes*len(r.data)
}

// extent is the length of the value at m; where its text is wrong, as far as it goes. It returns to m.
func (r *Reader) extent(m Mark) int {
	r.Skip()
	n := r.pos - m.pos
	r.bad = false // it comes up again when the value is skipped
	r.Reset(m)
	return n
}

// closest returns what is wrong with the value at m by the branch that comes closest to accepting it; nothing where the
// value is for none of them.
func (r *Reader) closest(m Mark, branches []Branch) []fault {
	if r.explained == mostExplained {
		return nil
	}
	r.explained++
	violations, limit := r.violations, r.limit
	r.limit = mostCompared
	var best []fault
	enough := false
	for _, b := range branches {
		r.Reset(m)
		r.violations = nil
		b.check(r)
		enough = enough || !r.spend(r.pos-m.pos)
		if found := r.violations; !r.bad && len(found) > 0 && (best == nil || closer(m.pos, found, best)) {
			best = found
		}
		// What is wrong with the text comes up again when the value is skipped.
		r.bad, r.stopped = false, false
		if enough {
			break
		}
	}
	r.violations, r.limit = violations, limit
	r.explained--
	if enough || best == nil || distance(m.pos, best) == another {
		return nil
	}
	return best[:min(len(best), mostCauses)]
}

// closer tells whether the value at offset at comes closer to the branch by which it breaks some rules than to the one
// by which it breaks others: its own kind and value are right, it has the members and constants that tell the branch, it
// breaks fewer rules, or the first one further inside.
func closer(at int, some, others []fault) bool {
	if a, b := distance(at, some), distance(at, others); a != b {
		return a < b
	}
	if len(some) != len(others) {
		return len(some) < len(others)
	}
	return some[0].at > others[0].at
}

// How clearly the rules that a value breaks tell that it was not meant for a branch.
const (
	meant   = iota // by no rule
	unlike         // a member is missing, or is another constant
	another        // it is another kind of value, or none of those that are listed
)

// distance says so of the value at offset at.
func distance(at int, faults []fault) int {
	most := meant
	for _, f := range faults {
		switch f.site.Keyword {
		case "required":
			if f.at == at {
				most = max(most, unlike)
			}
		case "type", "enum", "false":
			if f.at == at {
				most = another
			}
		case "const":
			if f.at == at {
				most = another
			}
			most = max(most, unlike)
		}
	}
	return most
}

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
		for _, b := range branches {
			if r.Holds(m, b.check) {
				held = append(held, fmt.Sprintf("/%s/%d", keyword, b.index))
			}
		}
	}
	var causes []fault
	if len(held) > 0 {
		all := "both "
		if len(held) > 2 {
			all = "all of "
		}
		want += ", not " + all + strings.Join(held[:len(held)-1], ", ") + " and " + held[len(held)-1]
	} else {
		causes = r.closest(m, branches)
	}
	r.Reset(m)
	return r.fail(fault{at: r.pos, site: p.site(keyword, want), causes: causes}) && r.Skip()
}

// mostCauses is how many violations of the closest branch are told.
const mostCauses = 4

// mostExplained is how many choices, one inside the other, tell what is wrong by their closest branch: the work doubles
// with each.
const mostExplained = 3

// closest returns what is wrong with the value at m by the branch that comes closest to accepting it.
func (r *Reader) closest(m Mark, branches []Branch) []fault {
	if r.explained == mostExplained {
		return nil
	}
	r.explained++
	violations, limit := r.violations, r.limit
	r.limit = mostCauses
	var best []fault
	for _, b := range branches {
		r.Reset(m)
		r.violations = nil
		b.check(r)
		if found := r.violations; !r.bad && len(found) > 0 && (best == nil || closer(m.pos, found, best)) {
			best = found
		}
		// What is wrong with the text comes up again when the value is skipped.
		r.bad, r.stopped = false, false
	}
	r.violations, r.limit = violations, limit
	r.explained--
	return best
}

// closer tells whether the value at offset at comes closer to the branch by which it breaks some rules than to the one
// by which it breaks others: its own kind and value are right, it has the members that are required, it breaks fewer
// rules, or the first one further inside.
func closer(at int, some, others []fault) bool {
	if a, b := distance(at, some), distance(at, others); a != b {
		return a < b
	}
	if len(some) != len(others) {
		return len(some) < len(others)
	}
	return some[0].at > others[0].at
}

// distance says how clearly faults tell that the value at offset at was not meant for a branch.
func distance(at int, faults []fault) int {
	most := 0
	for _, f := range faults {
		if f.at != at {
			continue
		}
		switch f.site.Keyword {
		case "required":
			most = max(most, 1)
		case "type", "const", "enum", "false":
			most = 2
		}
	}
	return most
}

package shape

import (
	"slices"
	"sort"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// valueKinds are the kinds a reader can tell apart by the first byte of a value; integers are numbers here.
var valueKinds = []schema.Types{schema.TypeNull, schema.TypeBoolean, schema.TypeNumber, schema.TypeString, schema.TypeArray, schema.TypeObject}

// Decide works out how a value finds the branches of an anyOf or oneOf that it can belong to: first by its kind, then,
// for objects, by members with fixed values (tags), as many as are needed. Where neither decides, several branches
// are left and have to be tried.
func Decide(branches []*schema.Node) *Decision {
	all := make([]int, len(branches))
	kinds := make([]schema.Types, len(branches))
	tags := make([]map[string]tag, len(branches))
	for i, branch := range branches {
		all[i] = i
		kinds[i] = kindsOf(branch)
		tags[i] = tagsOf(branch)
	}
	byKind := &Decision{ByKind: map[schema.Types]*Decision{}}
	for _, kind := range valueKinds {
		var left []int
		for _, i := range all {
			if kinds[i]&widen(kind) != 0 {
				left = append(left, i)
			}
		}
		switch {
		case len(left) == 0:
		case kind == schema.TypeObject:
			byKind.ByKind[kind] = decideByTag(left, tags, map[string]bool{})
		default:
			byKind.ByKind[kind] = &Decision{Leaf: true, Branches: left}
		}
	}
	return byKind
}

// decideByTag splits the branches by the member that leaves the fewest to try, and goes on with what is left.
func decideByTag(left []int, tags []map[string]tag, used map[string]bool) *Decision {
	if len(left) <= 1 {
		return &Decision{Leaf: true, Branches: left}
	}
	var best *split
	for _, member := range tagNames(left, tags, used) {
		s := splitBy(member, left, tags)
		if s.uniform() && s.worst < len(left) && (best == nil || s.worst < best.worst || s.worst == best.worst && s.total < best.total) {
			best = s
		}
	}
	if best == nil {
		return &Decision{Leaf: true, Branches: left}
	}
	used[best.member] = true
	defer delete(used, best.member)
	d := &Decision{Member: best.member}
	for _, g := range best.groups {
		d.Cases = append(d.Cases, Case{Values: g.values, Next: decideByTag(g.branches, tags, used)})
	}
	if len(best.other) > 0 {
		d.Other = decideByTag(best.other, tags, used)
	}
	return d
}

// tagNames lists the members that are tags of any of the branches, sorted, so that the choice does not depend on order.
func tagNames(left []int, tags []map[string]tag, used map[string]bool) []string {
	seen := map[string]bool{}
	var names []string
	for _, i := range left {
		for name := range tags[i] {
			if !seen[name] && !used[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	sort.Strings(names)
	return names
}

// split is what looking at one member leaves.
type split struct {
	member       string
	groups       []group
	other        []int // branches that allow other values, or say nothing about the member
	worst, total int
}

type group struct {
	values   []*document.Value
	branches []int
}

func splitBy(member string, left []int, tags []map[string]tag) *split {
	s := &split{member: member}
	var values []*document.Value
	for _, i := range left {
		t, ok := tags[i][member]
		if !ok || t.excluded {
			s.other = append(s.other, i)
		}
		for _, v := range t.values {
			if !hasValue(values, v) {
				values = append(values, v)
			}
		}
	}
	for _, v := range values {
		var branches []int
		for _, i := range left {
			if t, ok := tags[i][member]; !ok || t.can(v) {
				branches = append(branches, i)
			}
		}
		s.put(v, branches)
	}
	s.worst = len(s.other)
	for _, g := range s.groups {
		s.worst = max(s.worst, len(g.branches))
		s.total += len(g.branches) * len(g.values)
	}
	return s
}

// uniform reports whether all values are strings, or all booleans, so that one look at the member is enough.
func (s *split) uniform() bool {
	var all []*document.Value
	for _, g := range s.groups {
		all = append(all, g.values...)
	}
	return oneKind(all)
}

// put adds a value to the group with the same branches.
func (s *split) put(v *document.Value, branches []int) {
	for i := range s.groups {
		if slices.Equal(s.groups[i].branches, branches) {
			s.groups[i].values = append(s.groups[i].values, v)
			return
		}
	}
	s.groups = append(s.groups, group{values: []*document.Value{v}, branches: branches})
}

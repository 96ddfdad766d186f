package schema

import (
	"slices"
)

// partition finds which terms mean the same: the coarsest partition under which
// equal terms name equal parts. same[i] is the first part equal to i.
//
// Terms that do not lead into a cycle are told apart bottom-up, once each. The
// rest start as equal and are split until nothing splits any more.
func (k *keyer) partition(terms []term) (same []int) {
	labels := make([]digest, len(terms))
	rest := k.bottomUp(terms, labels)
	for distinct := 0; ; {
		d := newDigester(func(p int) digest { return labels[p] })
		next := make([]digest, len(rest))
		count := map[digest]bool{}
		for i, p := range rest {
			next[i] = d.term(terms[p])
			count[next[i]] = true
		}
		for i, p := range rest {
			labels[p] = next[i]
		}
		if len(count) == distinct {
			break
		}
		distinct = len(count)
	}
	first := make(map[digest]int, len(terms))
	same = make([]int, len(terms))
	for i, l := range labels {
		f, ok := first[l]
		if !ok {
			f = i
			first[l] = i
		}
		same[i] = f
	}
	return same
}

// bottomUp labels the terms that do not lead into a cycle and gives the others.
func (k *keyer) bottomUp(terms []term, labels []digest) (rest []int) {
	users := make([][]int, len(terms))
	missing := make([]int, len(terms))
	var ready []int
	for i, t := range terms {
		uses := map[int]bool{}
		t.parts(func(p int) { uses[p] = true })
		for p := range uses {
			users[p] = append(users[p], i)
		}
		if missing[i] = len(uses); missing[i] == 0 {
			ready = append(ready, i)
		}
	}
	d := newDigester(func(p int) digest { return labels[p] })
	done := make([]bool, len(terms))
	for len(ready) > 0 {
		p := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		labels[p], done[p] = d.term(terms[p]), true
		for _, u := range users[p] {
			if missing[u]--; missing[u] == 0 {
				ready = append(ready, u)
			}
		}
	}
	for i := range terms {
		if !done[i] {
			rest = append(rest, i)
		}
	}
	return rest
}

// finalLabels gives the digest of every part that stands for its equals, such
// that it depends on the meaning only: not on the run, the document or the way a
// recursion is unrolled.
func (k *keyer) finalLabels() []digest {
	labels := make([]digest, len(k.terms))
	label := func(p int) digest { return labels[k.same[p]] }
	settled := newDigester(label) // terms that name settled parts only
	for _, group := range k.components() {
		if !group.cyclic {
			p := group.parts[0]
			labels[p] = settled.term(k.terms[p])
			continue
		}
		k.labelCycle(group.parts, labels)
	}
	return labels
}

// labelCycle labels parts that lead to each other. All of them differ, so
// splitting rounds end with a label for each; the whole group, written with
// these labels, is then part of every label.
func (k *keyer) labelCycle(group []int, labels []digest) {
	label := func(p int) digest { return labels[k.same[p]] }
	for _, p := range group {
		labels[p] = digestOf([]byte("cycle"))
	}
	next := make([]digest, len(group))
	for distinct := 0; distinct < len(group); {
		d := newDigester(label)
		count := map[digest]bool{}
		for i, p := range group {
			next[i] = d.term(k.terms[p])
			count[next[i]] = true
		}
		for i, p := range group {
			labels[p] = next[i]
		}
		if len(count) == distinct {
			break // cannot be: all parts of a group differ
		}
		distinct = len(count)
	}
	d := newDigester(label)
	lines := make([]digest, len(group))
	for i, p := range group {
		x := d.term(k.terms[p])
		lines[i] = digestOf(append(labels[p][:], x[:]...))
	}
	whole := digestOf(appendSet([]byte("group"), lines, false))
	for _, p := range group {
		labels[p] = digestOf(append(whole[:], labels[p][:]...))
	}
}

// component is parts that lead to each other, or one that does not lead to itself.
type component struct {
	parts  []int
	cyclic bool
}

// components gives the strongly connected components of the parts that stand
// for their equals, each after those it leads to (Tarjan, without recursion).
func (k *keyer) components() []component {
	uses := make([][]int, len(k.terms))
	for p := range k.terms {
		if k.same[p] != p {
			continue
		}
		k.terms[p].parts(func(q int) { uses[p] = append(uses[p], k.same[q]) })
		slices.Sort(uses[p])
		uses[p] = slices.Compact(uses[p])
	}
	var (
		found []component
		order = make([]int, len(k.terms)) // 0 = not seen
		low   = make([]int, len(k.terms))
		on    = make([]bool, len(k.terms))
		stack []int
		count int
	)
	type frame struct{ part, next int }
	for root := range k.terms {
		if k.same[root] != root || order[root] != 0 {
			continue
		}
		work := []frame{{root, 0}}
		for len(work) > 0 {
			f := &work[len(work)-1]
			p := f.part
			if f.next == 0 {
				count++
				order[p], low[p] = count, count
				stack, on[p] = append(stack, p), true
			} else if q := uses[p][f.next-1]; on[q] {
				low[p] = min(low[p], low[q])
			}
			if f.next < len(uses[p]) {
				q := uses[p][f.next]
				f.next++
				if order[q] == 0 {
					work = append(work, frame{q, 0})
				}
				continue
			}
			if low[p] == order[p] {
				at := slices.Index(stack, p)
				c := component{parts: slices.Clone(stack[at:])}
				stack = stack[:at]
				for _, q := range c.parts {
					on[q] = false
				}
				_, self := slices.BinarySearch(uses[p], p)
				c.cyclic = len(c.parts) > 1 || self
				found = append(found, c)
			}
			work = work[:len(work)-1]
		}
	}
	return found
}

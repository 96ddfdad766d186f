package shape

import "github.com/hallmark-kit/hallmark/gen/schema"

// Rings knows the schemas that lead back to each other: the strongly connected components of a graph. It finds them as
// it is asked, each once.
type Rings struct {
	at    map[*schema.Node]*position
	open  []*schema.Node
	found [][]*schema.Node

	times   map[*schema.Node]int  // see trials
	weighed map[int]bool          // rings of which doubled is known
	doubled map[*schema.Node]bool // see Doubled
}

// NewRings returns Rings that know none yet.
func NewRings() *Rings {
	return &Rings{
		at: map[*schema.Node]*position{}, times: map[*schema.Node]int{}, weighed: map[int]bool{}, doubled: map[*schema.Node]bool{},
	}
}

type position struct {
	index, low int
	ring       int // from 1; 0 while it is open
}

// ring is the number of the ring of a schema; most are alone in theirs.
func (f *Rings) ring(n *schema.Node) int {
	n = n.Target()
	if p := f.at[n]; p != nil {
		return p.ring
	}
	return f.visit(n).ring
}

// visit finds the rings of a schema and of all that it leads to (Tarjan).
func (f *Rings) visit(n *schema.Node) *position {
	p := &position{index: len(f.at), low: len(f.at)}
	f.at[n] = p
	f.open = append(f.open, n)
	for e := range n.Edges() {
		if e.Place == schema.Definition {
			continue
		}
		next := e.Node.Target()
		if q := f.at[next]; q == nil {
			p.low = min(p.low, f.visit(next).low)
		} else if q.ring == 0 {
			p.low = min(p.low, q.index)
		}
	}
	if p.low < p.index {
		return p
	}
	for i := len(f.open) - 1; ; i-- {
		if f.open[i] == n {
			f.found = append(f.found, append([]*schema.Node(nil), f.open[i:]...))
			f.open = f.open[:i]
			break
		}
	}
	for _, member := range f.found[len(f.found)-1] {
		f.at[member].ring = len(f.found)
	}
	return p
}

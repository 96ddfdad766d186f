package ecma

// DFA makes the deterministic automaton of the pattern. Look-ahead is possible
// where it stands right behind the ^ that begins the pattern, as in
// ^(?!.*secret)[a-z]+$: the pattern then is an intersection. The error is
// [ErrTooLarge] beyond maxStates or [ErrNotRegular], wrapped.
func (p *Pattern) DFA(maxStates int) (*DFA, error) {
	rest, looks := p.split()
	d, err := determinize(rest, maxStates)
	if err != nil {
		return nil, err
	}
	for _, l := range looks {
		inner := &Node{Op: OpConcat, Subs: []*Node{{Op: OpStart}, l.Subs[0]}}
		e, err := determinize(inner, maxStates)
		if err != nil {
			return nil, err
		}
		if l.Op == OpNotLookahead {
			e = e.Complement()
		}
		if d, err = Intersect(d, e, maxStates); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func determinize(root *Node, maxStates int) (*DFA, error) {
	n, err := (&Pattern{Root: root}).NFA()
	if err != nil {
		return nil, err
	}
	return n.DFA(maxStates)
}

// split takes the look-aheads behind the first ^ out of the pattern.
func (p *Pattern) split() (rest *Node, looks []*Node) {
	root := p.Root
	if root.Op != OpConcat || root.Subs[0].Op != OpStart {
		return root, nil
	}
	k := 1
	for k < len(root.Subs) && (root.Subs[k].Op == OpLookahead || root.Subs[k].Op == OpNotLookahead) {
		k++
	}
	if k == 1 {
		return root, nil
	}
	subs := append([]*Node{root.Subs[0]}, root.Subs[k:]...)
	return &Node{Op: OpConcat, Subs: subs}, root.Subs[1:k]
}

// Complement accepts the strings that d does not accept.
func (d *DFA) Complement() *DFA {
	w := d.width
	swap := func(s uint32) uint32 {
		if s <= w { // Dead or Matched
			return w - s
		}
		return s
	}
	c := &DFA{classes: d.classes, width: w, start: swap(d.start), next: make([]uint32, len(d.next)), accept: make([]bool, len(d.accept))}
	for s := range d.accept {
		row := uint32(s) * w
		c.accept[swap(row)/w] = !d.accept[s]
		for k := range w {
			c.next[swap(row)+k] = swap(d.next[row+k])
		}
	}
	return c
}

// Intersect accepts the strings that both a and b accept. The error is
// [ErrTooLarge] beyond maxStates.
func Intersect(a, b *DFA, maxStates int) (*DFA, error) {
	type pair struct{ a, b State }
	sets := append(append([]Set{}, a.classes.sets...), b.classes.sets...)
	classes, _ := newClasses(sets, false)
	d := &DFA{classes: classes, width: uint32(classes.Len())}
	left, right := make([]int, classes.Len()), make([]int, classes.Len())
	for c := range classes.Len() {
		r := classes.Set(c)[0].Lo
		left[c], right[c] = a.classes.Of(r), b.classes.Of(r)
	}
	ids := map[pair]uint32{}
	var todo []pair
	state := func(p pair) uint32 {
		switch {
		case p.a == Dead || p.b == Dead:
			p = pair{}
		case p.a == Matched && p.b == Matched:
			return uint32(Matched) * d.width
		}
		if id, ok := ids[p]; ok {
			return id
		}
		id := uint32(len(todo)) * d.width
		ids[p] = id
		todo = append(todo, p)
		return id
	}
	state(pair{})
	todo = append(todo, pair{Matched, Matched})
	d.start = state(pair{a.Start(), b.Start()})
	for k := 0; k < len(todo); k++ {
		if k >= maxStates || k*int(d.width) > maxTable {
			return nil, ErrTooLarge
		}
		p := todo[k]
		d.accept = append(d.accept, a.Accepts(p.a) && b.Accepts(p.b))
		for c := range classes.Len() {
			d.next = append(d.next, state(pair{a.Next(p.a, left[c]), b.Next(p.b, right[c])}))
		}
	}
	return d, nil
}

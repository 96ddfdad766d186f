package wire

// Coverage collects which members and elements of a value are evaluated by the schemas that apply to it, for
// unevaluatedProperties and unevaluatedItems (JSON Schema 2020-12 core, section 11).
type Coverage struct {
	members  bool // all of them
	names    []string
	patterns []*Pattern
	items    bool                 // all of them
	first    int                  // the first so many elements
	contains []func(*Reader) bool // each tells whether the next value passes, and returns to it
}

// Members adds members by name.
func (c *Coverage) Members(names ...string) { c.names = append(c.names, names...) }

// Pattern adds the members whose names match.
func (c *Coverage) Pattern(p *Pattern) { c.patterns = append(c.patterns, p) }

// AllMembers adds every member.
func (c *Coverage) AllMembers() { c.members = true }

// First adds the first n elements.
func (c *Coverage) First(n int) { c.first = max(c.first, n) }

// AllItems adds every element.
func (c *Coverage) AllItems() { c.items = true }

// Containing adds the elements that pass check.
func (c *Coverage) Containing(check func(*Reader) bool) {
	c.contains = append(c.contains, func(r *Reader) bool { return r.Holds(r.Mark(), check) })
}

// ContainingOnce is [Coverage.Containing] with the memory of [Reader.HoldsOnce].
func (c *Coverage) ContainingOnce(id uint32, check func(*Reader) bool) {
	c.contains = append(c.contains, func(r *Reader) bool { return r.HoldsOnce(id, r.Mark(), check) })
}

func (c *Coverage) hasMember(name []byte) bool {
	for _, n := range c.names {
		if n == string(name) {
			return true
		}
	}
	for _, p := range c.patterns {
		if p.Match(name) {
			return true
		}
	}
	return false
}

func (c *Coverage) hasItem(r *Reader, i int) bool {
	if i < c.first {
		return true
	}
	for _, holds := range c.contains {
		if holds(r) {
			return true
		}
	}
	return false
}

// CheckUnevaluatedMembers holds the members of the value at m that c does not cover against check; a nil check allows
// none. A value that is no object passes.
func (r *Reader) CheckUnevaluatedMembers(m Mark, c *Coverage, p *Place, check func(*Reader) bool) bool {
	r.Reset(m)
	if r.Kind() != KindObject || c.members {
		return true
	}
	if !r.Object() {
		return false
	}
	for r.Member() {
		switch {
		case c.hasMember(r.Name()):
			if !r.Skip() {
				return false
			}
		case check == nil:
			if !r.Refused(p, "unevaluatedProperties", "no member beside the declared ones") {
				return false
			}
		case !check(r):
			return false
		}
	}
	return !r.bad
}

// CheckUnevaluatedItems is [Reader.CheckUnevaluatedMembers] for the elements of an array.
func (r *Reader) CheckUnevaluatedItems(m Mark, c *Coverage, p *Place, check func(*Reader) bool) bool {
	r.Reset(m)
	if r.Kind() != KindArray || c.items {
		return true
	}
	if !r.Array() {
		return false
	}
	for i := 0; r.Element(); i++ {
		switch {
		case c.hasItem(r, i):
			if !r.Skip() {
				return false
			}
		case check == nil:
			if !r.Refused(p, "unevaluatedItems", "no element beside the declared ones") {
				return false
			}
		case !check(r):
			return false
		}
	}
	return !r.bad
}

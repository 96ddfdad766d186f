package schema

// scopes makes what a $dynamicRef means independent of dynamic scope.
type scopes struct {
	refs  []*Node // nodes with a $dynamicRef
	order []*Node // copies made
}

func (s *scopes) note(n *Node) { s.refs = append(s.refs, n) }

func (b *builder) specialise(n *Node) *Node { return n }

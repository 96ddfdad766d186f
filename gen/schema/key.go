package schema

// Key is a text that two schemas share only if they accept the same instances.
func (n *Node) Key() string { t := n.Target(); return t.Location() + "?" + t.Scope }

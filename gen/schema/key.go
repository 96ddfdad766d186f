package schema

// Key gives a text that says what a schema means: schemas with one key accept
// the same instances, in whichever document they are. It does not depend on how
// the rule is written for these:
//
//   - $ref, $dynamicRef and allOf against the rules written out, recursion and
//     unrolled recursion included;
//   - order and repetition: of branches, enum values, required names, members;
//   - const, enum of one, type null or boolean against an enum of all its values,
//     enum split over anyOf or over oneOf;
//   - anyOf or oneOf of one branch; oneOf against anyOf where two branches cannot
//     hold at once, as a constant member or disjoint types show;
//   - type lists against anyOf of the types, with rules that concern one type only
//     kept with that type; rules that no permitted type can feel are dropped;
//   - numbers by value; integer against multipleOf 1; exclusive against inclusive
//     bounds on integers; several bounds against the tightest; bounds an enum or
//     other rules imply;
//   - keywords that say nothing (true, {}, minLength 0, minContains 0);
//   - required, dependentRequired and dependentSchemas in terms of each other, not
//     of required against a property that is false, double negation;
//   - unevaluatedProperties and unevaluatedItems against additionalProperties and
//     items, where what is evaluated does not depend on the instance.
//
// Annotations do not count (title, description, default, examples, $comment,
// readOnly, writeOnly, deprecated, content keywords, unknown keywords); format
// does, since it may be asserted. Schemas that mean the same may still have
// different keys: the general question is out of reach of a key.
//
// Key is safe on cycles, deterministic, and may be called from several
// goroutines. All keys of a graph are computed together at the first call.
func (n *Node) Key() string { return n.graph.key(n, plainKey) }

// TypeKey is a Key that also tells apart what a programmer would want told apart
// in a Go type: default values and content keywords, of the schema and of
// everything below it.
func (n *Node) TypeKey() string { return n.graph.key(n, typeKey) }

type keyFlavour uint8

const (
	plainKey keyFlavour = iota
	typeKey
)

func (g *Graph) key(n *Node, flavour keyFlavour) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	keys := g.keys[flavour]
	if k, ok := keys[n]; ok {
		return k
	}
	if b := g.builder; len(b.scopes.reach[n]) > 0 && !b.scopes.copied[n] {
		// An original whose meaning depends on a scope it does not have: it is equal
		// to itself only.
		return digestOf([]byte("without scope\x00" + n.Location())).String()
	}
	if keys == nil {
		keys = map[*Node]string{}
		g.keys[flavour] = keys
	}
	// Whatever has no key yet gets one now: keys do not depend on what else is
	// computed in the same run.
	var todo []*Node
	for _, n := range g.builder.order {
		if _, ok := keys[n]; !ok && len(g.builder.scopes.reach[n]) == 0 {
			todo = append(todo, n)
		}
	}
	for _, n := range g.builder.scopes.order {
		if _, ok := keys[n]; !ok {
			todo = append(todo, n)
		}
	}
	newKeyer(flavour, len(todo)).run(todo, keys)
	return keys[n]
}

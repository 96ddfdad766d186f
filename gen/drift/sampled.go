package drift

import (
	"math/rand/v2"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/drift/inclusion"
	"github.com/hallmark-kit/hallmark/gen/sample"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// maxSamplings bounds for how many messages of a document that is done.
const maxSamplings = 8

// samples is how many messages are tried where the question could not be decided.
const samples = 300

// sampled tries messages of the sender, at random, at the edges of its rules, and
// just beyond those of the receiver, where the question could not be decided.
func (c *comparer) sampled(r *root, w way, solver *inclusion.Solver) (inclusion.Answer, bool) {
	if c.samplings--; c.samplings < 0 {
		return inclusion.Answer{}, false
	}
	sender, receiver := r.old, r.new
	if w == newSends {
		sender, receiver = r.new, r.old
	}
	var found *document.Value
	try := func(json []byte) bool {
		v := parsed(json)
		if v != nil && c.plain.Holds(sender, v) && !c.plain.Holds(receiver, v) && (solver != c.usual || !strangeTo(sender, receiver, v)) {
			found = v
		}
		return found != nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	s := sample.New(sender)
	for range samples {
		if json, ok := s.Valid(rng); ok && try(json) {
			break
		}
	}
	for i := range s.Boundaries() {
		if found != nil || try(i.JSON) {
			break
		}
	}
	if found == nil {
		for m := range sample.NearMisses(receiver) {
			if try(m.JSON) {
				break
			}
		}
	}
	if found == nil {
		return inclusion.Answer{}, false
	}
	return inclusion.Answer{Status: inclusion.Found, Value: found}, true
}

// strangeTo tells whether a message uses a name that the receiver's properties
// list anywhere and the sender's nowhere.
func strangeTo(sender, receiver *schema.Node, m *document.Value) bool {
	return anyMember(m, only(receiver, sender))
}

// only gives the property names that one schema lists and the other does not,
// at any depth.
func only(in, notIn *schema.Node) []string {
	collect := func(n *schema.Node) map[string]bool {
		names := map[string]bool{}
		n.Walk(func(n *schema.Node) bool {
			for _, p := range n.Properties {
				names[p.Name] = true
			}
			return true
		})
		return names
	}
	ours, theirs := collect(in), collect(notIn)
	var names []string
	for name := range ours {
		if !theirs[name] {
			names = append(names, name)
		}
	}
	return names
}

func anyMember(v *document.Value, names []string) bool {
	for _, m := range v.Members {
		if slices.Contains(names, m.Name) || anyMember(m.Value, names) {
			return true
		}
	}
	return slices.ContainsFunc(v.Items, func(item *document.Value) bool { return anyMember(item, names) })
}

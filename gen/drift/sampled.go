package drift

import (
	"math/rand/v2"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/drift/inclusion"
	"github.com/hallmark-kit/hallmark/gen/sample"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// maxSamplings bounds how often that is done for a document.
const maxSamplings = 12

// samples is how many messages are tried where the question could not be decided.
const samples = 300

// sampled looks for a message that breaks a change of a pair where the question
// could not be decided: for a value there that shows the change, which is put into
// a message, else for a message among those of the sender.
func (c *comparer) sampled(r *root, p *pair, w way, solver *inclusion.Solver, path []step, literals []inclusion.Literal) (inclusion.Answer, bool) {
	sender, receiver := p.old, p.new
	if w == newSends {
		sender, receiver = receiver, sender
	}
	shows := func(v *document.Value) bool {
		for _, l := range literals {
			if c.plain.Holds(l.Node, v) == l.Not {
				return false
			}
		}
		return solver != c.usual || !strangeTo(sender, receiver, v)
	}
	value := c.tried(sender, receiver, shows)
	if value != nil {
		from, to := rootLiterals(r, w)
		only := []inclusion.Literal{{Node: &schema.Node{Const: value}}}
		if a := solver.Solve(from, to, inclusion.Literal{Node: carry(path, only), Side: inclusion.Receiver}); a.Status == inclusion.Found {
			return a, true
		}
	}
	return c.sampledMessage(r, w, solver, carry(path, literals))
}

// sampledMessage looks for a message among those of the sender that the receiver
// refuses. also holds of it, unless it is nil.
func (c *comparer) sampledMessage(r *root, w way, solver *inclusion.Solver, also *schema.Node) (inclusion.Answer, bool) {
	sender, receiver := r.old, r.new
	if w == newSends {
		sender, receiver = r.new, r.old
	}
	found := c.tried(sender, receiver, func(v *document.Value) bool {
		return c.plain.Holds(sender, v) && !c.plain.Holds(receiver, v) && (solver != c.usual || !strangeTo(sender, receiver, v)) && (also == nil || c.plain.Holds(also, v))
	})
	return inclusion.Answer{Status: inclusion.Found, Value: found}, found != nil
}

// tried tries values of one schema, at random and at the edges of its rules, and
// values just beyond those of another, until one is good; nil when none is.
func (c *comparer) tried(of, beyond *schema.Node, good func(*document.Value) bool) *document.Value {
	if c.samplings--; c.samplings < 0 {
		return nil
	}
	var found *document.Value
	try := func(json []byte) bool {
		if v := parsed(json); v != nil && good(v) {
			found = v
		}
		return found != nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	s := sample.New(of)
	for range samples {
		if json, ok := s.Valid(rng); ok && try(json) {
			return found
		}
	}
	for i := range s.Boundaries() {
		if try(i.JSON) {
			return found
		}
	}
	for m := range sample.NearMisses(beyond) {
		if try(m.JSON) {
			return found
		}
	}
	return nil
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

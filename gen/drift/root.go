package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// flow is who sends a message to whom.
type flow uint8

const (
	toHost   flow = iota // a request: the client sends, the host receives
	toClient             // an answer or event: the host sends, the client receives
	bothWays
	unsent // nobody is known to send it: no operation uses it
)

// directed tells whether it is known which end sends.
func (f flow) directed() bool { return f == toHost || f == toClient }

// root is one message that both versions describe.
type root struct {
	name     string // of the message, for people
	where    string // the operation, method or topic it belongs to
	flow     flow
	old, new *schema.Node
	client   string // what the ends are called
	host     string
	failure  bool // an answer that says that something failed
}

// Message says who sends what: a document's schema by its place, or by the name
// of a definition.
type Message struct {
	Name     string // of the message, and of the definition where Pointer is ""
	Pointer  string // of the schema, "" for the definition called Name, else the root
	From, To string // roles
	Where    string // the operation it belongs to; "" is Name
	// Optional messages are those that a document need not describe: where it has
	// no definition of the name, the root is not meant.
	Optional bool
}

// Direction is who sends the messages of a bare schema.
type Direction string

// The directions.
const (
	Unsaid   Direction = "" // as the document says, else Both
	Request  Direction = "request"
	Response Direction = "response"
	Both     Direction = "both"
)

func (d Direction) flow() flow {
	switch d {
	case Request:
		return toHost
	case Response:
		return toClient
	}
	return bothWays
}

// schemaRoots finds the messages of two JSON Schemas.
func (c *comparer) schemaRoots() error {
	o, n := c.old, c.new
	if c.options.Schema != "" {
		return c.pointedRoot(c.options.Schema)
	}
	if len(c.options.Messages) > 0 {
		return c.messageRoots()
	}
	f := c.options.Direction.flow()
	oldRoot, newRoot := o.graph.Roots[o.file.Name+"#"], n.graph.Roots[n.file.Name+"#"]
	reached := map[*schema.Node]bool{}
	oldDefs, newDefs := definitions(o, oldRoot), definitions(n, newRoot)
	container := len(oldDefs) > 0 && len(newDefs) > 0 && silent(oldRoot) && silent(newRoot)
	if !container {
		c.addRoot(&root{name: "the document", where: "the document", flow: f, old: oldRoot, new: newRoot})
		for _, s := range []*schema.Node{oldRoot, newRoot} {
			reach(s, reached)
		}
	}
	c.definitionRoots(oldDefs, newDefs, reached, f, container)
	return nil
}

// silent tells whether a schema has no rule of its own.
func silent(n *schema.Node) bool {
	if n.Always != nil {
		return false
	}
	for e := range n.Edges() {
		if e.Place != schema.Definition {
			return false
		}
	}
	return n.Types == 0 && n.Const == nil && n.Enum == nil && len(n.Required) == 0 && n.MinProperties == nil
}

// reach marks everything that a schema applies.
func reach(n *schema.Node, seen map[*schema.Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	for e := range n.Edges() {
		if e.Place != schema.Definition {
			reach(e.Node, seen)
		}
	}
}

// definition is a named schema of a document's own $defs.
type definition struct {
	name string
	node *schema.Node
}

func definitions(s *side, root *schema.Node) []definition {
	var list []definition
	for _, d := range root.Defs {
		list = append(list, definition{d.Name, d.Node})
	}
	if s.file.Form == document.EventDefinition {
		return list
	}
	return list
}

// definitionRoots compares definitions by name, those first that nothing else
// uses. Of the others it takes what is left; or all where each may be a message,
// because the document says nothing but them.
func (c *comparer) definitionRoots(old, new []definition, reached map[*schema.Node]bool, f flow, all bool) {
	used := map[*schema.Node]bool{}
	for _, list := range [][]definition{old, new} {
		for _, d := range list {
			for e := range d.node.Edges() {
				if e.Place != schema.Definition {
					markUses(e.Node, d.node, used, map[*schema.Node]bool{})
				}
			}
		}
	}
	find := func(list []definition, name string) *schema.Node {
		for _, d := range list {
			if d.name == name {
				return d.node
			}
		}
		return nil
	}
	for _, helpers := range []bool{false, true} {
		for _, d := range old {
			n := find(new, d.name)
			if used[d.node] != helpers || reached[d.node] && (n == nil || reached[n] && !all) {
				continue
			}
			if n == nil {
				if !helpers && !reached[d.node] {
					c.missing(d.name, d.node, c.old, f)
				}
				continue
			}
			reach(d.node, reached)
			reach(n, reached)
			c.addRoot(&root{name: d.name, where: d.name, flow: f, old: d.node, new: n})
		}
	}
	for _, d := range new {
		if find(old, d.name) == nil && !used[d.node] && !reached[d.node] {
			c.missing(d.name, d.node, c.new, f)
		}
	}
}

// markUses marks what is reached from n, but the definition it is reached from.
func markUses(n, from *schema.Node, used, seen map[*schema.Node]bool) {
	if seen[n] || n == from {
		return
	}
	seen[n] = true
	used[n] = true
	for e := range n.Edges() {
		if e.Place != schema.Definition {
			markUses(e.Node, from, used, seen)
		}
	}
}

// missing reports a message that only one version has.
func (c *comparer) missing(name string, n *schema.Node, s *side, f flow) {
	place := s.place(n.File, n.Pointer)
	finding := Finding{Rule: "message-added", Class: Compatible, New: place, Summary: fmt.Sprintf("the message %s is new", name),
		Reason: "nobody relies on it yet", Reach: Reach{1, []string{name}}}
	if s == c.old {
		finding.Rule, finding.Class, finding.Old, finding.New = "message-removed", Breaking, place, nil
		finding.Summary, finding.Reason = fmt.Sprintf("the message %s is gone", name), "peers of the old version still send it, or wait for it"
		w := c.exampleOf(n, s)
		if w == "" {
			w = name
		}
		finding.Witness = &Witness{Message: w, In: name, AcceptedBy: "old", RefusedBy: "new", Keyword: "$defs", Explanation: "the new version has no such message"}
	}
	finding.Hits = []Hit{{Peers: c.peers(true), Breaks: finding.Class == Breaking, Words: finding.Reason}}
	c.report(finding)
}

// exampleOf makes a small valid message.
func (c *comparer) exampleOf(n *schema.Node, s *side) string {
	return c.smallest(n)
}

// pointedRoot compares one schema, at a pointer or called by the name of a definition.
func (c *comparer) pointedRoot(at string) error {
	pointer := strings.TrimPrefix(at, "#")
	if pointer != "" && !strings.HasPrefix(pointer, "/") {
		for _, prefix := range []string{"/$defs/", "/components/schemas/"} {
			if p := prefix + document.EscapeToken(pointer); c.old.file.Root.Lookup(p) != nil {
				pointer = p
				break
			}
		}
	}
	o, err := c.old.node(pointer)
	if err != nil {
		return err
	}
	n, err := c.new.node(pointer)
	if err != nil {
		return err
	}
	c.addRoot(&root{name: at, where: at, flow: c.options.Direction.flow(), old: o, new: n})
	return nil
}

// messageRoots compares the messages that the caller lists, and the definitions
// that are none of them and no part of one.
func (c *comparer) messageRoots() error {
	covered := c.listedRoots()
	o, n := c.old.graph.Roots[c.old.file.Name+"#"], c.new.graph.Roots[c.new.file.Name+"#"]
	if o != nil && n != nil {
		c.definitionRoots(definitions(c.old, o), definitions(c.new, n), covered, bothWays, false)
	}
	return nil
}

// listedRoots compares the messages that the caller lists, and tells which
// schemas they are made of.
func (c *comparer) listedRoots() (covered map[*schema.Node]bool) {
	covered = map[*schema.Node]bool{}
	for _, m := range c.options.Messages {
		find := func(s *side) *schema.Node {
			pointer := strings.TrimPrefix(m.Pointer, "#")
			if p := "/$defs/" + document.EscapeToken(m.Name); pointer == "" && s.file.Root.Lookup(p) != nil {
				pointer = p
			}
			if s.file.Form == document.EventDefinition && pointer == "" {
				pointer = document.PayloadPointer
			}
			if s.file.Root.Lookup(pointer) == nil || pointer == "" && m.Optional {
				return nil
			}
			n, err := s.node(pointer)
			if err != nil {
				return nil
			}
			return n
		}
		f := bothWays
		switch {
		case c.options.Host != "" && m.To == c.options.Host && m.From != c.options.Host:
			f = toHost
		case c.options.Host != "" && m.From == c.options.Host && m.To != c.options.Host:
			f = toClient
		}
		o, n := find(c.old), find(c.new)
		switch {
		case o == nil && n == nil:
			// It is described elsewhere.
		case n == nil:
			c.missing(m.Name, o, c.old, f)
		case o == nil:
			c.missing(m.Name, n, c.new, f)
		default:
			if slices.ContainsFunc(c.roots, func(r *root) bool { return r.old == o && r.new == n && r.flow == f }) {
				continue
			}
			r := &root{name: m.Name, where: cmp.Or(m.Where, m.Name), flow: f, old: o, new: n}
			switch f {
			case toHost:
				r.client, r.host = m.From, m.To
			case toClient:
				r.client, r.host = m.To, m.From
			}
			c.addRoot(r)
			reach(o, covered)
			reach(n, covered)
		}
	}
	return covered
}

// eventRoots compares two event definitions.
func (c *comparer) eventRoots() error {
	x, y := c.old.file.Event, c.new.file.Event
	f := c.options.Direction.flow()
	if c.options.Direction == Unsaid {
		f = eventFlow(y.Direction)
	}
	at := func(pointer string) (*Place, *Place) {
		return c.old.place(c.old.file, pointer), c.new.place(c.new.file, pointer)
	}
	where := fmt.Sprintf("topic %s", x.Topic)
	tell := func(f Finding) {
		f.Reach = Reach{1, []string{where}}
		if f.Hits == nil {
			f.Hits = []Hit{{Peers: c.peers(true), Breaks: f.Class == Breaking, Words: f.Reason}}
		}
		c.report(f)
	}
	if x.Topic != y.Topic {
		o, n := at("/topic")
		tell(Finding{Rule: "topic-renamed", Class: Breaking, Old: o, New: n, Keyword: "topic",
			Summary: fmt.Sprintf("the topic %s became %s", x.Topic, y.Topic), Reason: "whoever subscribed to the old topic never hears of it again",
			Witness: &Witness{Message: fmt.Sprintf("subscribe %s", x.Topic), In: where, AcceptedBy: "old", RefusedBy: "new", Keyword: "topic", Explanation: "the new version has no such topic"}})
	}
	if x.Direction != y.Direction && eventFlow(x.Direction) != eventFlow(y.Direction) {
		o, n := at("/direction")
		tell(Finding{Rule: "event-direction-changed", Class: Breaking, Old: o, New: n, Keyword: "direction",
			Summary: fmt.Sprintf("the event went %s and now goes %s", x.Direction, y.Direction), Reason: "who sent it is expected to receive it",
			Witness: &Witness{Message: fmt.Sprintf("publish %s", x.Topic), In: where, AcceptedBy: "old", RefusedBy: "new", Keyword: "direction", Explanation: "the other end sends it now"}})
	}
	if x.Version != y.Version {
		o, n := at("/version")
		class, reason := Compatible, "peers can tell the versions apart"
		if y.Version < x.Version {
			class, reason = Risky, "the version went back"
		}
		tell(Finding{Rule: "version-moved", Class: class, Old: o, New: n, Keyword: "version",
			Summary: fmt.Sprintf("the event moved from version %d to %d", x.Version, y.Version), Reason: reason})
	}
	c.addRoot(&root{name: where, where: where, flow: f, old: c.old.graph.Roots[c.old.file.Name+"#"], new: c.new.graph.Roots[c.new.file.Name+"#"]})
	return nil
}

// eventFlow reads "server->client" and the like.
func eventFlow(direction string) flow {
	from, to, found := strings.Cut(strings.ToLower(direction), "->")
	hosts := []string{"server", "host", "daemon", "publisher", "backend"}
	switch {
	case found && slices.Contains(hosts, strings.TrimSpace(from)):
		return toClient
	case found && slices.Contains(hosts, strings.TrimSpace(to)):
		return toHost
	case direction == "":
		return toClient // events are what a host tells
	}
	return bothWays
}

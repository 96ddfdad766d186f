package drift

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// operations compares two OpenAPI descriptions.
func (c *comparer) operations() (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*document.Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	if c.options.Schema != "" {
		return c.pointedRoot(c.options.Schema)
	}
	old, new := describeSide(c.old), describeSide(c.new)
	if len(old.operations) == 0 && len(new.operations) == 0 {
		return c.componentRoots()
	}
	byKey := func(d *description) map[string]*operation {
		m := map[string]*operation{}
		for _, o := range d.operations {
			m[o.key] = o
		}
		return m
	}
	olds, news := byKey(old), byKey(new)
	for _, o := range old.operations {
		n := news[o.key]
		if n == nil {
			c.operationGone(o)
			continue
		}
		if err := c.operation(o, n); err != nil {
			return err
		}
	}
	for _, n := range new.operations {
		if olds[n.key] == nil {
			f := Finding{Rule: "operation-added", Class: Compatible, New: c.new.placeOf(n.at), Summary: n.name + " is new", Reason: "nobody calls it yet"}
			if n.toClient {
				f.Rule, f.Reason = "webhook-added", "clients that do not know it are not called, or answer that there is none"
			}
			c.contract(f, n)
		}
	}
	c.listedRoots()
	c.unusedRoots()
	for _, url := range old.servers {
		if !slices.Contains(new.servers, url) {
			c.report(Finding{Rule: "server-removed", Class: Risky, Keyword: "servers", Old: c.old.place(c.old.file, "/servers"), New: c.new.place(c.new.file, "/servers"),
				Summary: "the server " + url + " is gone", Reason: "clients that have the address built in do not find the host",
				Hits: []Hit{{Peers: c.peers(true), Words: "looks in the wrong place if the address is built in"}}, Reach: Reach{First: []string{}}})
		}
	}
	return nil
}

// unusedRoots compares the schemas that no operation of both versions uses: what a
// stream carries, for instance, may be said in words only.
func (c *comparer) unusedRoots() {
	if c.old.graph == nil || c.new.graph == nil {
		return
	}
	used := map[*schema.Node]bool{}
	for _, r := range c.roots {
		reach(r.old, used)
		reach(r.new, used)
	}
	f := unsent
	if c.options.Direction != Unsaid {
		f = c.options.Direction.flow()
	}
	olds := map[string]*schema.Node{}
	for _, d := range c.old.graph.Defs {
		if d.Node.File == c.old.file {
			olds[d.Name] = d.Node
		}
	}
	for _, d := range c.new.graph.Defs {
		if o := olds[d.Name]; o != nil && d.Node.File == c.new.file && !(used[o] && used[d.Node]) {
			c.addRoot(&root{name: d.Name, where: "the schema " + d.Name, flow: f, old: o, new: d.Node})
		}
	}
}

// componentRoots compares the schemas of descriptions without operations.
func (c *comparer) componentRoots() error {
	f := c.options.Direction.flow()
	if c.old.graph == nil || c.new.graph == nil {
		return nil
	}
	list := func(s *side) (out []definition) {
		for _, d := range s.graph.Defs {
			if d.Node.File == s.file {
				out = append(out, definition{d.Name, d.Node})
			}
		}
		return out
	}
	c.definitionRoots(list(c.old), list(c.new), map[*schema.Node]bool{}, f, true)
	return nil
}

// contract reports a finding about an operation.
func (c *comparer) contract(f Finding, o *operation) {
	f.Reach = Reach{1, []string{o.name}}
	if f.Hits == nil {
		words := "understand each other"
		if f.Class != Compatible {
			words = f.Reason
		}
		f.Hits = []Hit{{Peers: c.peers(true), Breaks: f.Class == Breaking, Words: words}}
	}
	c.report(f)
}

// exchange is a witness that is no JSON message: what is asked or answered.
func exchange(o *operation, accepted, keyword, explanation, text string) *Witness {
	refused := "new"
	if accepted == "new" {
		refused = "old"
	}
	return &Witness{Message: text, In: o.name, AcceptedBy: accepted, RefusedBy: refused, Keyword: keyword, Explanation: explanation}
}

func (c *comparer) operationGone(o *operation) {
	f := Finding{Rule: "operation-removed", Class: Breaking, Keyword: "paths", Old: c.old.placeOf(o.at), Summary: o.name + " is gone", Reason: "old clients still call it"}
	f.Witness = exchange(o, "old", "paths", "the new version has no such operation", o.name)
	if o.toClient {
		f.Rule, f.Reason = "webhook-removed", "the event that old clients wait for never comes"
		f.Witness.Explanation = "the new version never sends it"
	} else if c.options.Upgrade == ClientFirst {
		f.Class, f.Reason, f.Witness = Compatible, "new clients do not call it", nil
	}
	c.contract(f, o)
}

// operation compares two versions of an operation.
func (c *comparer) operation(o, n *operation) error {
	asked, answered := toHost, toClient
	if o.toClient {
		asked, answered = answered, asked
	}
	place := func(below string) (*Place, *Place) {
		return c.old.place(o.at.File(), o.at.Pointer+below), c.new.place(n.at.File(), n.at.Pointer+below)
	}
	if o.id != n.id {
		x, y := place("/operationId")
		c.contract(Finding{Rule: "operation-id-changed", Class: Compatible, Keyword: "operationId", Old: x, New: y,
			Summary: fmt.Sprintf("operationId was changed from %q to %q", o.id, n.id), Reason: "nothing on the wire changes; generated methods get another name"}, n)
	}
	if isTrue(o.at.Value.Get("deprecated")) != isTrue(n.at.Value.Get("deprecated")) {
		x, y := place("")
		c.contract(Finding{Rule: "operation-deprecated", Class: Compatible, Keyword: "deprecated", Old: x, New: y,
			Summary: n.name + ": deprecated was changed", Reason: "nothing on the wire changes"}, n)
	}
	if err := c.parameters(o, n, asked); err != nil {
		return err
	}
	if err := c.bodies(o, n, asked); err != nil {
		return err
	}
	if err := c.responses(o, n, answered); err != nil {
		return err
	}
	c.security(o, n)
	return nil
}

// sends tells whether a way round counts for messages that flow so.
func (c *comparer) sends(f flow, w way) bool { return slices.Contains(c.ways(&root{flow: f}), w) }

// breaks fills in the class of a finding that breaks one way round only.
func (c *comparer) breaks(f Finding, flow flow, w way, o *operation, keyword, explanation, text string) Finding {
	if !c.sends(flow, w) {
		f.Class = Compatible
		return f
	}
	f.Class = Breaking
	accepted := "old"
	if w == newSends {
		accepted = "new"
	}
	f.Witness = exchange(o, accepted, keyword, explanation, text)
	return f
}

func (c *comparer) parameters(o, n *operation, f flow) error {
	find := func(list []parameter, key string) *parameter {
		i := slices.IndexFunc(list, func(p parameter) bool { return p.key == key })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	for i := range n.params {
		q := &n.params[i]
		p := find(o.params, q.key)
		what := fmt.Sprintf("%s parameter %q", q.in, q.name)
		if p == nil {
			at := c.new.placeOf(q.at)
			if !q.required {
				c.contract(Finding{Rule: "parameter-added", Class: Compatible, Keyword: "parameters", New: at, Summary: "the optional " + what + " is new", Reason: "nobody sends it yet"}, n)
				continue
			}
			c.contract(c.breaks(Finding{Rule: "parameter-required-added", Keyword: "parameters", New: at, Summary: "the required " + what + " is new",
				Reason: "who knows the old version does not send it"}, f, oldSends, o, "parameters", "the "+what+" is missing", o.name), n)
			continue
		}
		x, y := c.old.placeOf(p.at), c.new.placeOf(q.at)
		switch {
		case q.required && !p.required:
			c.contract(c.breaks(Finding{Rule: "parameter-became-required", Keyword: "required", Old: x, New: y, Summary: "the " + what + " became required",
				Reason: "who knows the old version need not send it"}, f, oldSends, o, "required", "the "+what+" is missing", o.name), n)
		case !q.required && p.required:
			c.contract(c.breaks(Finding{Rule: "parameter-became-optional", Keyword: "required", Old: x, New: y, Summary: "the " + what + " became optional",
				Reason: "it may be missing now"}, f, newSends, o, "required", "the "+what+" is missing", o.name), n)
		}
		written := strings.HasPrefix(p.style, "as ") || strings.HasPrefix(q.style, "as ") // in a media type: single values, too
		if (p.style != q.style || p.explode != q.explode) && (written || c.composite(c.old, p.schema) || c.composite(c.new, q.schema)) {
			c.contract(c.breaks(Finding{Rule: "parameter-style-changed", Keyword: "style", Old: x, New: y, Summary: "the " + what + " is written differently",
				Reason: "the two versions read the same text as different values"}, f, c.ways(&root{flow: f})[0], o, "style", "the value is read differently", o.name), n)
		}
		if err := c.schemas(root{name: fmt.Sprintf("%s %s", n.name, what), where: n.name, flow: f}, p.schema, q.schema, p.at, q.at); err != nil {
			return err
		}
	}
	for i := range o.params {
		p := &o.params[i]
		if find(n.params, p.key) != nil {
			continue
		}
		what := fmt.Sprintf("%s parameter %q", p.in, p.name)
		fd := Finding{Rule: "parameter-removed", Class: Compatible, Keyword: "parameters", Old: c.old.placeOf(p.at), Summary: "the " + what + " is gone", Reason: "nobody asks for it any more"}
		if p.required && c.sends(f, newSends) {
			fd = c.breaks(fd, f, newSends, o, "parameters", "the "+what+" is missing", o.name)
			fd.Reason = "the old version counts on it"
		} else if c.sends(f, oldSends) {
			fd.Class, fd.Reason = Risky, "who knows the old version still sends it; it is ignored, or refused where unknown parameters are"
		}
		c.contract(fd, n)
	}
	return nil
}

// composite tells whether the values of a parameter can be arrays or objects, so
// that it matters how they are written.
func (c *comparer) composite(s *side, at document.Place) bool {
	if at.Value == nil {
		return false
	}
	n, err := s.nodeAt(at)
	if err != nil {
		return false
	}
	t := n.Target()
	return t.Types == 0 && t.Const == nil && t.Enum == nil || t.Types&(schema.TypeArray|schema.TypeObject) != 0
}

// schemas adds the message that two places describe; where one has no schema, what
// it would belong to stands for it.
func (c *comparer) schemas(r root, old, new, oldOf, newOf document.Place) error {
	if old.Value == nil && new.Value == nil {
		return nil
	}
	node := func(s *side, at, of document.Place) (*schema.Node, error) {
		if at.Value == nil {
			// Nothing is said: everything goes.
			always := true
			return &schema.Node{File: of.File(), Pointer: of.Pointer, Always: &always}, nil
		}
		return s.nodeAt(at)
	}
	var oldErr, newErr error
	r.old, oldErr = node(c.old, old, oldOf)
	r.new, newErr = node(c.new, new, newOf)
	if err := errors.Join(oldErr, newErr); err != nil {
		return err
	}
	c.addRoot(&r)
	return nil
}

func (c *comparer) bodies(o, n *operation, f flow) error {
	x, y := o.body, n.body
	if x == nil && y == nil {
		return nil
	}
	fd := Finding{Keyword: "requestBody"}
	if x != nil {
		fd.Old = c.old.placeOf(x.at)
	}
	if y != nil {
		fd.New = c.new.placeOf(y.at)
	}
	switch {
	case y != nil && y.required && (x == nil || !x.required):
		fd.Rule, fd.Summary, fd.Reason = "body-became-required", "the body of "+n.name+" became required", "who knows the old version need not send one"
		c.contract(c.breaks(fd, f, oldSends, o, "requestBody", "the body is missing", o.name+" without a body"), n)
	case x == nil:
		fd.Rule, fd.Class, fd.Summary, fd.Reason = "body-added", Compatible, n.name+" may have a body now", "it need not be sent"
		c.contract(fd, n)
	case x.required && (y == nil || !y.required):
		fd.Rule, fd.Summary, fd.Reason = "body-became-optional", "the body of "+n.name+" became optional", "it may be missing now"
		if y == nil {
			fd.Rule, fd.Summary = "body-removed", "the body of "+n.name+" is gone"
		}
		fd = c.breaks(fd, f, newSends, o, "requestBody", "the body is missing", o.name+" without a body")
		if y == nil && fd.Class == Compatible {
			fd.Class, fd.Reason = Risky, "what is sent there is probably ignored"
		}
		c.contract(fd, n)
	case y == nil:
		fd.Rule, fd.Class, fd.Summary, fd.Reason = "body-removed", Risky, "the body of "+n.name+" is gone", "what is sent there is probably ignored"
		c.contract(fd, n)
	}
	if x == nil || y == nil {
		return nil
	}
	return c.media(o, n, x.media, y.media, x.at, y.at, n.name+" body", f, false, false)
}

// media compares the media types of a request, or of an answer: there it is the
// receiver who asks for one.
func (c *comparer) media(o, n *operation, old, new []media, oldAt, newAt document.Place, name string, f flow, answer, failure bool) error {
	covered := func(list []media, kind string) *media {
		for i := range list {
			if list[i].kind == kind {
				return &list[i]
			}
		}
		for i := range list {
			if k := list[i].kind; k == "*/*" || strings.HasSuffix(k, "/*") && strings.HasPrefix(kind, strings.TrimSuffix(k, "*")) {
				return &list[i]
			}
		}
		return nil
	}
	for i := range old {
		m := &old[i]
		q := covered(new, m.kind)
		if q == nil {
			fd := Finding{Rule: "media-type-removed", Keyword: "content", Old: c.old.placeOf(m.at), New: c.new.placeOf(newAt),
				Summary: fmt.Sprintf("%s: the media type %s is gone", name, m.kind), Reason: "who speaks only that one is not understood"}
			w := oldSends
			text := o.name + " with a body of " + m.kind
			if answer {
				w, text = newSends, o.name+", Accept: "+m.kind
			}
			fd = c.breaks(fd, f, w, o, "content", m.kind+" is not offered", text)
			if fd.Witness != nil {
				fd.Witness.AcceptedBy, fd.Witness.RefusedBy = "old", "new"
			}
			c.contract(fd, n)
			continue
		}
		r := root{name: name + " " + m.kind, where: n.name, flow: f, failure: failure}
		if err := c.schemas(r, m.schema, q.schema, m.at, q.at); err != nil {
			return err
		}
		r.name += " item"
		if err := c.schemas(r, m.item, q.item, m.at, q.at); err != nil {
			return err
		}
	}
	for i := range new {
		if m := &new[i]; covered(old, m.kind) == nil {
			fd := Finding{Rule: "media-type-added", Class: Compatible, Keyword: "content", Old: c.old.placeOf(oldAt), New: c.new.placeOf(m.at),
				Summary: fmt.Sprintf("%s: the media type %s is new", name, m.kind), Reason: "nobody asks for it yet"}
			c.contract(fd, n)
		}
	}
	return nil
}

func success(status string) bool { return strings.HasPrefix(status, "2") }

func (c *comparer) responses(o, n *operation, f flow) error {
	find := func(list []response, status string) *response {
		i := slices.IndexFunc(list, func(r response) bool { return r.status == status })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	// A range or default also describes a single status.
	covering := func(list []response, status string) *response {
		if r := find(list, status); r != nil {
			return r
		}
		if len(status) == 3 {
			if r := find(list, status[:1]+"XX"); r != nil {
				return r
			}
		}
		if status != "default" && !success(status) {
			return find(list, "default")
		}
		return nil
	}
	for i := range o.responses {
		r := &o.responses[i]
		q := covering(n.responses, r.status)
		if q == nil {
			// A range may have become the statuses it is made of.
			within := false
			for j := range n.responses {
				if p := &n.responses[j]; strings.HasSuffix(r.status, "XX") && p.status[:1] == r.status[:1] {
					within = true
					if err := c.response(o, n, r, p, f); err != nil {
						return err
					}
				}
			}
			if within {
				continue
			}
			fd := Finding{Rule: "error-status-removed", Class: Compatible, Keyword: "responses", Old: c.old.placeOf(r.at),
				New: c.new.placeOf(n.at), Summary: fmt.Sprintf("%s: the status %s is gone", n.name, r.status), Reason: "what never comes hurts nobody"}
			if success(r.status) {
				fd.Rule, fd.Reason = "success-status-removed", "clients that wait for it take what comes instead for a failure"
				fd = c.breaks(fd, f, newSends, o, "responses", "the status "+r.status+" never comes", o.name+" answered with "+r.status)
				if fd.Witness != nil {
					fd.Witness.AcceptedBy, fd.Witness.RefusedBy = "old", "new"
				}
			}
			c.contract(fd, n)
			continue
		}
		if err := c.response(o, n, r, q, f); err != nil {
			return err
		}
	}
	for i := range n.responses {
		q := &n.responses[i]
		if p := covering(o.responses, q.status); p != nil {
			if p.status != q.status && find(n.responses, p.status) != nil {
				if err := c.response(o, n, p, q, f); err != nil {
					return err
				}
			}
			continue
		}
		fd := Finding{Rule: "error-status-added", Class: Risky, Keyword: "responses", Old: c.old.placeOf(o.at), New: c.new.placeOf(q.at),
			Summary: fmt.Sprintf("%s: the status %s is new", n.name, q.status), Reason: "clients that know a fixed list of errors do not know it"}
		if success(q.status) {
			fd.Rule, fd.Reason = "success-status-added", "strict clients do not know it"
		}
		c.contract(fd, n)
	}
	return nil
}

func (c *comparer) response(o, n *operation, r, q *response, f flow) error {
	find := func(list []parameter, key string) *parameter {
		i := slices.IndexFunc(list, func(p parameter) bool { return p.key == key })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	name := fmt.Sprintf("%s answer %s", n.name, r.status)
	for i := range r.headers {
		h := &r.headers[i]
		g := find(q.headers, h.key)
		x := c.old.placeOf(h.at)
		y := c.new.placeOf(q.at)
		if g != nil {
			y = c.new.placeOf(g.at)
		}
		switch {
		case h.required && (g == nil || !g.required):
			fd := Finding{Rule: "header-required-removed", Keyword: "headers", Old: x, New: y, Summary: fmt.Sprintf("%s: the header %s may be missing now", name, h.name), Reason: "clients that count on it miss it"}
			fd = c.breaks(fd, f, newSends, o, "headers", "the header "+h.name+" is missing", o.name+" answered with "+r.status+" without "+h.name)
			c.contract(fd, n)
		case g == nil:
			c.contract(Finding{Rule: "header-removed", Class: Compatible, Keyword: "headers", Old: x, New: y, Summary: fmt.Sprintf("%s: the optional header %s is gone", name, h.name), Reason: "clients had to get along without it"}, n)
		}
		if g != nil {
			if err := c.schemas(root{name: name + " header " + h.name, where: n.name, flow: f}, h.schema, g.schema, h.at, g.at); err != nil {
				return err
			}
		}
	}
	for i := range q.headers {
		g := &q.headers[i]
		h := find(r.headers, g.key)
		if h == nil || g.required && !h.required {
			fd := Finding{Rule: "header-added", Class: Compatible, Keyword: "headers", Old: c.old.placeOf(r.at), New: c.new.placeOf(g.at),
				Summary: fmt.Sprintf("%s: the header %s is new, or always there now", name, g.name), Reason: "nobody looks for it yet"}
			if g.required && c.sends(f, oldSends) {
				fd = c.breaks(fd, f, oldSends, o, "headers", "the header "+g.name+" is missing", o.name+" answered with "+r.status+" without "+g.name)
				fd.Reason = "the new version counts on it"
			}
			c.contract(fd, n)
		}
	}
	return c.media(o, n, r.media, q.media, r.at, q.at, name, f, true, !success(r.status) || !success(q.status))
}

func (c *comparer) security(o, n *operation) {
	lacking := func(have, want []alternative) bool {
		for _, h := range have {
			if !slices.ContainsFunc(want, func(w alternative) bool { return enough(h, w) }) {
				return true
			}
		}
		return false
	}
	tighter, looser := lacking(o.security, n.security), lacking(n.security, o.security)
	if !tighter && !looser {
		return
	}
	// Of a webhook it is the client who asks for credentials, and the host has to
	// have them.
	asks := toHost
	if o.toClient {
		asks = toClient
	}
	fd := Finding{Keyword: "security", Old: c.old.placeOf(o.secured), New: c.new.placeOf(n.secured)}
	hit := tighter && c.sends(asks, oldSends)
	w := oldSends
	if looser && c.sends(asks, newSends) {
		hit, w = true, newSends
	}
	fd.Rule, fd.Summary, fd.Reason, fd.Class = "security-tightened", n.name+": more credentials are needed", "credentials that used to do are turned away", Compatible
	if !tighter {
		fd.Rule, fd.Summary, fd.Reason = "security-loosened", n.name+": fewer credentials are needed, or others will do too", "credentials that used to do still do"
	}
	if hit {
		fd = c.breaks(fd, asks, w, o, "security", "credentials that did for the one version do not for the other", o.name+" with the credentials of the "+[]string{"old", "new"}[w]+" version")
		fd.Reason = "credentials that used to do are turned away"
	}
	c.contract(fd, n)
}

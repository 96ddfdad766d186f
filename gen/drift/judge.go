package drift

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/drift/inclusion"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// way is one way round: the old version sends and the new one receives, or the
// reverse.
type way uint8

const (
	oldSends way = iota
	newSends
)

// usual gives the ways round that count for a root.
func (c *comparer) ways(r *root) []way {
	switch {
	case r.flow == unsent:
		return nil
	case r.flow == bothWays || c.options.Upgrade == AnyOrder:
		return []way{oldSends, newSends}
	case (r.flow == toHost) == (c.options.Upgrade == HostFirst):
		return []way{oldSends}
	}
	return []way{newSends}
}

func (c *comparer) sides(w way) (sender, receiver *side) {
	if w == oldSends {
		return c.old, c.new
	}
	return c.new, c.old
}

// judge finds the edits below all roots and what each means.
func (c *comparer) judge() {
	c.samplings = maxSamplings
	tops := map[*root]*pair{}
	for _, r := range c.roots {
		if p := c.align.pair(r.old, r.new); p != nil {
			tops[r] = p
		}
	}
	for _, p := range c.align.order {
		for _, l := range p.links {
			l.to.users = append(l.to.users, p)
		}
	}
	c.proveHarmless()
	blamed := map[*root]map[way]bool{}
	for _, p := range c.align.order {
		c.judgePair(p, tops, blamed)
	}
	c.unblamed(tops, blamed)
}

// find finds the messages that a pair is part of, in the order they are listed;
// those that nobody sends only where there is no other.
func (c *comparer) find(p *pair, tops map[*root]*pair) {
	above := map[*pair]bool{p: true}
	stack := []*pair{p}
	for len(stack) > 0 {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, u := range q.users {
			if !above[u] {
				above[u] = true
				stack = append(stack, u)
			}
		}
	}
	for _, r := range c.roots {
		if above[tops[r]] {
			p.roots = append(p.roots, r)
		}
	}
	sent := func(r *root) bool { return r.flow != unsent }
	if slices.ContainsFunc(p.roots, sent) {
		p.roots = slices.DeleteFunc(p.roots, func(r *root) bool { return !sent(r) })
	}
}

// uses makes the literals of a value that the sender may send because of a
// change, and that the receiver refuses.
func (c *change) uses(p *pair, w way) []inclusion.Literal {
	if w == oldSends {
		return []inclusion.Literal{
			{Node: p.old, Side: inclusion.Sender},
			{Node: c.moved(p.old, p.new), Not: true, Side: inclusion.Receiver},
		}
	}
	return []inclusion.Literal{
		{Node: p.new, Side: inclusion.Sender},
		{Node: c.moved(p.new, p.old), Not: true, Side: inclusion.Receiver},
	}
}

// verdict is what one change means one way round.
type verdict struct {
	class    Class
	keyword  string // where it is undecided
	literals []inclusion.Literal
}

func (c *comparer) judgePair(p *pair, tops map[*root]*pair, blamed map[*root]map[way]bool) {
	changes := p.changes
	if len(changes) == 0 && (len(p.links) > 0 || c.harmless[oldSends][p] && c.harmless[newSends][p] || c.equivalent(p.old, p.new)) {
		return
	}
	if c.find(p, tops); len(p.roots) == 0 {
		return
	}
	for _, ch := range changes {
		if ch.note {
			c.reportNote(p, ch)
		}
	}
	counted := map[way][]*root{}
	for _, r := range p.roots {
		for _, w := range c.ways(r) {
			counted[w] = append(counted[w], r)
		}
	}
	told := false
	for _, ch := range changes {
		if ch.note {
			continue
		}
		var results [2]verdict
		for _, w := range []way{oldSends, newSends} {
			results[w] = c.judgeChange(p, ch, w)
		}
		if results[oldSends].class == Compatible && results[newSends].class == Compatible {
			continue // said differently, and the same
		}
		told = true
		c.reportChange(p, ch, results, counted, tops, blamed)
	}
	if told || len(p.links) > 0 || c.harmless[oldSends][p] && c.harmless[newSends][p] || c.equivalent(p.old, p.new) {
		return
	}
	// None of the changes does anything alone, all together do.
	ch := whole(p.old, p.new)
	var results [2]verdict
	for _, w := range []way{oldSends, newSends} {
		results[w] = c.judgeChange(p, ch, w)
	}
	c.reportChange(p, ch, results, counted, tops, blamed)
}

// judgeChange judges one change of a pair by itself.
func (c *comparer) judgeChange(p *pair, ch *change, w way) verdict {
	if c.harmless[w][p] {
		return verdict{class: Compatible}
	}
	literals := ch.uses(p, w)
	usual := c.usual.Solve(literals...)
	switch usual.Status {
	case inclusion.Found:
		return verdict{class: Breaking, literals: literals}
	case inclusion.Unknown:
		return verdict{class: Undecided, keyword: usual.Keyword, literals: literals}
	}
	plain := c.plain.Solve(literals...)
	switch plain.Status {
	case inclusion.Found:
		return verdict{class: Risky, literals: literals}
	case inclusion.Unknown:
		return verdict{class: Undecided, keyword: plain.Keyword, literals: literals}
	}
	return verdict{class: Compatible}
}

// reportChange turns the verdicts both ways round into a finding.
func (c *comparer) reportChange(p *pair, ch *change, results [2]verdict, counted map[way][]*root, tops map[*root]*pair, blamed map[*root]map[way]bool) {
	f := c.newFinding(p, ch)
	f.Class, f.Reason = Compatible, "everything that was said before is still understood"
	var reached []*root
	for _, w := range []way{oldSends, newSends} {
		v := &results[w]
		roots := counted[w]
		if len(roots) == 0 {
			continue
		}
		class, reason := v.class, ""
		var witness *Witness
		if class != Compatible {
			class, reason, witness = c.prove1(p, ch, v, w, roots, tops)
		}
		results[w].class = class
		if class == Breaking || class == Undecided {
			for _, r := range roots {
				if blamed[r] == nil {
					blamed[r] = map[way]bool{}
				}
				blamed[r][w] = true
			}
		}
		if class == Breaking && witness != nil && ch.keyword == "enum" && allFailures(roots) {
			class = Risky
			reason = "a new value among the errors of a closed list: clients that only look at the status are not hit"
		}
		if class.rank() < f.Class.rank() {
			f.Class, f.Reason, f.Witness = class, reason, witness
			reached = roots
		}
	}
	if f.Class == Compatible {
		reached = c.riskUnsent(p, ch, &results, &f, tops)
	}
	f.Reach = reachOf(p.roots, reached)
	f.Hits = c.hits(p.roots, results)
	if f.Class == Compatible {
		f.Reason = c.compatibleReason(p, ch, results)
	}
	c.reportEdit(f, p, ch)
}

// riskUnsent judges a change of messages that nobody is known to send: it is a
// risk where it breaks any way round.
func (c *comparer) riskUnsent(p *pair, ch *change, results *[2]verdict, f *Finding, tops map[*root]*pair) []*root {
	roots := p.roots
	if roots[0].flow != unsent {
		return nil
	}
	for _, w := range []way{oldSends, newSends} {
		if results[w].class == Compatible {
			continue
		}
		class, reason, witness := c.prove1(p, ch, &results[w], w, roots, tops)
		if class != Compatible && f.Class == Compatible {
			f.Class, f.Witness = Risky, witness
			f.Reason = "no operation says who sends it; if somebody does: " + reason
		}
	}
	if f.Class == Compatible {
		return nil
	}
	return roots
}

func allFailures(roots []*root) bool {
	return !slices.ContainsFunc(roots, func(r *root) bool { return !r.failure })
}

// reachOf counts the operations that an edit reaches, and names those first that
// it hits.
func reachOf(all, hit []*root) Reach {
	r := Reach{First: []string{}}
	seen := map[string]bool{}
	for _, x := range slices.Concat(hit, all) {
		if !seen[x.where] {
			seen[x.where] = true
			if r.Count++; len(r.First) < maxNamed {
				r.First = append(r.First, x.where)
			}
		}
	}
	return r
}

// prove1 looks for a whole message that a change breaks, and proves it.
func (c *comparer) prove1(p *pair, ch *change, v *verdict, w way, roots []*root, tops map[*root]*pair) (Class, string, *Witness) {
	const tried, searched = 6, 100
	keyword, decided := v.keyword, true
	masked := true
	// The message that the change is closest to shows it best.
	type attempt struct {
		r    *root
		path []step
	}
	var attempts []attempt
	for i, r := range roots {
		if i < tried || len(roots) <= searched {
			attempts = append(attempts, attempt{r, pathTo(tops[r], p, w)})
		}
	}
	slices.SortStableFunc(attempts, func(x, y attempt) int { return len(x.path) - len(y.path) })
	for _, at := range attempts[:min(len(attempts), tried)] {
		r, path := at.r, at.path
		for _, usual := range []bool{true, false} {
			solver, class := c.usual, Breaking
			if !usual {
				solver, class = c.plain, Risky
			}
			if v.class == Risky && usual {
				continue
			}
			sender, receiver := rootLiterals(r, w)
			a := solver.Solve(sender, receiver, inclusion.Literal{Node: carry(path, v.literals), Side: inclusion.Receiver})
			switch a.Status {
			case inclusion.None:
				continue
			case inclusion.Unknown:
				keyword, decided, masked = a.Keyword, false, false
				if found, ok := c.sampled(r, p, w, solver, path, v.literals); ok {
					a = found
				} else {
					continue
				}
			}
			masked = false
			from, _ := c.sides(w)
			witness, err := c.prove(r, from, a.Value, c.editOf(p, ch, w), c.keeps(path, v, class, a.Value))
			if err != nil {
				keyword, decided = "the validator: "+err.Error(), false
				continue
			}
			return class, c.brokenReason(r, w, class), witness
		}
	}
	switch {
	case !decided:
		return Undecided, "it could not be decided whether anything breaks; what stood in the way is " + keyword, nil
	case masked:
		return Compatible, "", nil
	}
	return Undecided, "no whole message was found that shows it", nil
}

// keeps gives what must stay true while a witness shrinks: that the very change
// is what breaks, and for a break that no strange name is used.
func (c *comparer) keeps(path []step, v *verdict, class Class, made *document.Value) func(*document.Value) bool {
	carrier := carry(path, v.literals)
	var names []string
	if class == Breaking {
		names = only(v.literals[1].Node, v.literals[0].Node)
	}
	unnamed := anyMember(made, []string{""})
	if anyMember(made, names) {
		names = nil // it is a name that the sender knows elsewhere
	}
	return func(m *document.Value) bool {
		// A member without a name is legal and puzzles everybody.
		if !unnamed && anyMember(m, []string{""}) || !c.plain.Holds(carrier, m) {
			return false
		}
		return !anyMember(m, names)
	}
}

// rootLiterals are the two demands on a message that breaks a root.
func rootLiterals(r *root, w way) (sender, receiver inclusion.Literal) {
	o, n := r.old, r.new
	if w == newSends {
		o, n = n, o
	}
	return inclusion.Literal{Node: o, Side: inclusion.Sender}, inclusion.Literal{Node: n, Not: true, Side: inclusion.Receiver}
}

// pathTo gives the steps of a shortest way from one pair to another.
func pathTo(from, to *pair, w way) []step {
	type visit struct {
		pair *pair
		prev int
		step step
	}
	queue := []visit{{from, -1, step{}}}
	seen := map[*pair]bool{from: true}
	for i := 0; i < len(queue); i++ {
		if queue[i].pair == to {
			var path []step
			for j := i; queue[j].prev >= 0; j = queue[j].prev {
				s := queue[j].step
				if s.sender = queue[j].pair.old; w == newSends {
					s.sender = queue[j].pair.new
				}
				path = append(path, s)
			}
			slices.Reverse(path)
			return path
		}
		for _, l := range queue[i].pair.links {
			if !seen[l.to] {
				seen[l.to] = true
				queue = append(queue, visit{l.to, i, l.step})
			}
		}
	}
	return nil
}

// carry makes a schema of messages that have, where the steps lead, a value of
// which the literals hold.
func carry(path []step, literals []inclusion.Literal) *schema.Node {
	n := &schema.Node{}
	for _, l := range literals {
		sub := l.Node
		if l.Not {
			sub = &schema.Node{Not: sub}
		}
		n.AllOf = append(n.AllOf, sub)
	}
	never := func(n *schema.Node) *schema.Node { return &schema.Node{Not: n} }
	for i := len(path) - 1; i >= 0; i-- {
		s := path[i]
		switch s.kind {
		case here:
			// Of alternatives it is this one that the sender means.
			n = &schema.Node{AllOf: []*schema.Node{n, s.sender}}
		case member:
			n = &schema.Node{Types: schema.TypeObject, Required: []string{s.name}, Properties: []schema.Property{{Name: s.name, Node: n}}}
		case matching:
			n = &schema.Node{Types: schema.TypeObject, Not: &schema.Node{PatternProperties: []schema.PatternProperty{{Pattern: s.name, Node: never(n)}}}}
		case other:
			all := &schema.Node{AdditionalProperties: never(n)}
			for _, name := range s.names {
				all.Properties = append(all.Properties, schema.Property{Name: name, Node: &schema.Node{}})
			}
			for _, p := range s.patterns {
				all.PatternProperties = append(all.PatternProperties, schema.PatternProperty{Pattern: p, Node: &schema.Node{}})
			}
			n = &schema.Node{Types: schema.TypeObject, Not: all}
		case item:
			prefix := make([]*schema.Node, s.index+1)
			for k := range prefix {
				prefix[k] = &schema.Node{}
			}
			prefix[s.index] = n
			least := int64(s.index + 1)
			n = &schema.Node{Types: schema.TypeArray, PrefixItems: prefix, MinItems: &least}
		case items:
			all := &schema.Node{Items: never(n)}
			for range s.index {
				all.PrefixItems = append(all.PrefixItems, &schema.Node{})
			}
			n = &schema.Node{Types: schema.TypeArray, Not: all}
		}
	}
	return n
}

// unblamed reports roots that break though none of their edits alone does.
func (c *comparer) unblamed(tops map[*root]*pair, blamed map[*root]map[way]bool) {
	for _, r := range c.roots {
		p := tops[r]
		if p == nil {
			continue
		}
		for _, w := range c.ways(r) {
			if blamed[r][w] || c.harmless[w][p] {
				continue
			}
			sender, receiver := rootLiterals(r, w)
			a := c.usual.Solve(sender, receiver)
			if a.Status == inclusion.None {
				continue
			}
			from, _ := c.sides(w)
			f := c.newFinding(p, whole(p.old, p.new))
			f.Rule, f.Keyword = "schema-changed", a.Keyword
			f.Reach = reachOf([]*root{r}, []*root{r})
			f.Class, f.Reason = Undecided, "it could not be decided whether anything breaks; what stood in the way is "+a.Keyword
			if a.Status == inclusion.Unknown {
				if found, ok := c.sampledMessage(r, w, c.usual, nil); ok {
					a = found
				}
			}
			if a.Status == inclusion.Found {
				witness, err := c.prove(r, from, a.Value, edit{}, func(*document.Value) bool { return true })
				if err == nil {
					f.Class, f.Reason, f.Witness = Breaking, c.brokenReason(r, w, Breaking), witness
				} else {
					f.Reason = err.Error()
				}
			}
			var results [2]verdict
			results[w] = verdict{class: f.Class}
			results[1-w] = verdict{class: Compatible}
			f.Hits = c.hits([]*root{r}, results)
			c.report(f)
		}
	}
}

// brokenReason says why a break is one, or only a risk.
func (c *comparer) brokenReason(r *root, w way, class Class) string {
	sender, receiver := r.client, r.host
	if r.flow == toClient {
		sender, receiver = r.host, r.client
	}
	if !r.flow.directed() {
		sender, receiver = "sender", "receiver"
	}
	from, to := "old", "new"
	if w == newSends {
		from, to = "new", "old"
	}
	if class == Risky {
		return fmt.Sprintf("only %s %s that already uses the name in an open object, for something else, is refused by %s %s", article(from), sender, article(to), receiver)
	}
	return fmt.Sprintf("%s %s may send what %s %s refuses", article(from), sender, article(to), receiver)
}

func article(word string) string {
	if strings.ContainsRune("aeiouO", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// compatibleReason says why nothing breaks.
func (c *comparer) compatibleReason(p *pair, ch *change, results [2]verdict) string {
	switch {
	case results[oldSends].class == Compatible && results[newSends].class == Compatible:
		return "both versions accept the same messages here"
	case results[oldSends].class == Compatible:
		return "the new version accepts everything that the old one does"
	case results[newSends].class == Compatible:
		return "the old version accepts everything that the new one does"
	}
	return "no message that is sent this way is hit"
}

// hits says for each way round who is hit.
func (c *comparer) hits(roots []*root, results [2]verdict) []Hit {
	var hits []Hit
	for _, f := range []flow{toHost, toClient, bothWays, unsent} {
		i := slices.IndexFunc(roots, func(r *root) bool { return r.flow == f })
		if i < 0 {
			continue
		}
		r := roots[i]
		for _, w := range []way{oldSends, newSends} {
			hits = addHit(hits, r.hit(w, results[w].class))
		}
	}
	return hits
}

// hit says what one way round means for the two ends of a message.
func (r *root) hit(w way, class Class) Hit {
	sender, receiver := r.client, r.host
	switch r.flow {
	case toClient:
		sender, receiver = r.host, r.client
	case bothWays, unsent:
		sender, receiver = "sender", "receiver"
	}
	from, to := "old", "new"
	if w == newSends {
		from, to = "new", "old"
	}
	h := Hit{Peers: fmt.Sprintf("%s %s with %s %s", from, sender, to, receiver), Words: understood}
	if r.flow == toClient { // clients are named first
		h.Peers = fmt.Sprintf("%s %s with %s %s", to, receiver, from, sender)
	}
	switch class {
	case Breaking:
		h.Breaks, h.Words = true, fmt.Sprintf("the %s refuses what the %s may send", receiver, sender)
	case Risky:
		h.Words = fmt.Sprintf("the %s refuses the %s only where it uses the name for something else", receiver, sender)
	case Undecided:
		h.Words = "undecided"
	}
	return h
}

const understood = "understand each other"

// addHit puts what is said of the same peers together.
func addHit(hits []Hit, h Hit) []Hit {
	for i := range hits {
		have := &hits[i]
		if have.Peers != h.Peers {
			continue
		}
		switch {
		case have.Words == understood:
			have.Words = h.Words
		case h.Words != understood && h.Words != have.Words:
			have.Words += "; " + h.Words
		}
		have.Breaks = have.Breaks || h.Breaks
		return hits
	}
	return append(hits, h)
}

package validator

import (
	"fmt"

	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// array is the check of an array; the caller has seen its kind.
func (c *compiler) array(n *schema.Node) check {
	list := listRule(n)
	var prefix []check
	for _, item := range n.PrefixItems {
		prefix = append(prefix, c.check(item))
	}
	rest := c.check(n.Items)
	contains := c.contains(n)
	return func(r *wire.Reader) bool {
		start := r.Mark()
		if !r.Array() {
			return false
		}
		count, found := 0, 0
		for r.Element() {
			if contains != nil && contains.holds(r, r.Mark()) {
				found++
			}
			item := rest
			if count < len(prefix) {
				item = prefix[count]
			}
			if !item(r) {
				return false
			}
			count++
		}
		if !r.EndArray() || !r.HoldList(start, count, list) {
			return false
		}
		return contains == nil || contains.hold(r, start.Pos(), found)
	}
}

// contained is what contains, minContains and maxContains demand.
type contained struct {
	holds           trial
	at              *wire.Place
	least           int
	most            int // only if limited
	limited         bool
	keyword         string // that asks for the least
	atLeast, atMost string
}

func (c *compiler) contains(n *schema.Node) *contained {
	if n.Contains == nil {
		return nil
	}
	out := &contained{holds: c.trial(n, n.Contains), at: place(n), least: 1, keyword: "contains"}
	if n.MinContains != nil {
		out.least, out.keyword = least(n.MinContains), "minContains"
	}
	out.most, out.limited = most(n.MaxContains)
	if out.least == 0 && !out.limited {
		return nil // it asks for nothing
	}
	out.atLeast = fmt.Sprintf("at least %d elements that match", out.least)
	out.atMost = fmt.Sprintf("at most %d elements that match", out.most)
	return out
}

func (c *contained) hold(r *wire.Reader, at, found int) bool {
	if found < c.least && !r.Broken(at, c.at, c.keyword, c.atLeast) {
		return false
	}
	return !c.limited || found <= c.most || r.Broken(at, c.at, "maxContains", c.atMost)
}

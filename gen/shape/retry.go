package shape

import "github.com/hallmark-kit/hallmark/gen/schema"

// Retried reports whether the verdict of part on a value is worth remembering, where n tries part on it: because a part
// of that value may have to be held against part or n again, or because trials are nested so deep in part that the same
// schema would be tried on the same value over and over. Without a memory the time would double with every level.
func Retried(n, part *schema.Node) bool {
	n, part = n.Target(), part.Target()
	if trials(part, map[*schema.Node]int{}) > mostTrials {
		return true
	}
	found := false
	for e := range part.Edges() {
		if e.Place != schema.Definition {
			e.Node.Walk(func(below *schema.Node) bool {
				found = found || below == part || below == n
				return !found
			})
		}
	}
	return found
}

// mostTrials is how deep trials may be nested without a memory.
const mostTrials = 4

// trials returns how deep the trials are nested that a value may meet below n. Where a schema contains itself it does
// not count how often.
func trials(n *schema.Node, known map[*schema.Node]int) int {
	n = n.Target()
	if depth, done := known[n]; done {
		return depth
	}
	known[n] = 0
	most := 0
	for e := range n.Edges() {
		if e.Place == schema.Definition {
			continue
		}
		depth := trials(e.Node, known)
		switch e.Keyword {
		case "anyOf", "oneOf", "not", "if", "contains":
			depth++
		}
		most = max(most, depth)
	}
	known[n] = most
	return most
}

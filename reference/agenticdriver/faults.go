package agenticdriver

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hallmark-kit/hallmark/reference/nearest"
)

// Fault is one way in which the host can be made to break the protocol, to show
// that a conformance suite notices.
type Fault struct {
	ID          string // as Options.Fault names it
	Title       string // the requirement's subject, in a few words
	Description string // what the host then does wrong
}

// fault is an entry of the table: what it changes is a value of the policy, or
// an edge.
type fault struct {
	id, title, does string
	apply           func(*edges)
}

// Faults lists every fault, sorted by id.
func Faults() []Fault {
	var out []Fault
	for _, f := range table() {
		out = append(out, Fault{ID: f.id, Title: f.title, Description: f.does})
	}
	return out
}

// table holds all faults, sorted by id.
func table() []fault {
	all := slices.Concat(wireFaults, bodyFaults, discoveryFaults, capacityFaults, requestFaults, runFaults, streamFaults,
		sessionFaults, approvalFaults, applicationToolFaults, jobFaults, retrievalFaults, ingestionFaults,
		managementFaults, signInFaults, pairingFaults, idempotencyFaults)
	slices.SortFunc(all, func(a, b fault) int { return cmp.Compare(a.id, b.id) })
	return all
}

// newEdges makes the edges that show a fault; those of an empty id show none.
func newEdges(id string) (*edges, error) {
	e := &edges{}
	if id == "" {
		return e, nil
	}
	var ids []string
	for _, f := range table() {
		if f.id == id {
			f.apply(e)
			return e, nil
		}
		ids = append(ids, f.id)
	}
	return nil, fmt.Errorf("there is no fault %q; the nearest is %q", id, nearest.Of(id, ids))
}

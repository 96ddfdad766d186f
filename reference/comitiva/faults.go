package comitiva

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hallmark-kit/hallmark/reference/nearest"
)

// Fault is one way in which the runner can be made to break the protocol, to
// show that a conformance suite notices.
type Fault struct {
	ID          string // as Options.Fault names it
	Title       string // the requirement's subject, in a few words
	Description string // what the runner then does wrong
}

// fault is an entry of the table: what it changes is a value of the policy, or
// a wrapper around an edge.
type fault struct {
	id, title, does string
	apply           func(*setup)
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
	all := slices.Concat(readerFaults, refusalFaults, requestFaults, eventFaults, runFaults, providerFaults, toolFaults, approvalFaults, stopFaults)
	slices.SortFunc(all, func(a, b fault) int { return cmp.Compare(a.id, b.id) })
	return all
}

// newSetup makes the setup that the options ask for.
func newSetup(o Options) (*setup, error) {
	s := &setup{policy: defaultPolicy(o), stderr: o.Stderr}
	if o.Fault == "" {
		return s, nil
	}
	var ids []string
	for _, f := range table() {
		if f.id == o.Fault {
			f.apply(s)
			return s, nil
		}
		ids = append(ids, f.id)
	}
	return nil, fmt.Errorf("there is no fault %q; the nearest is %q", o.Fault, nearest.Of(o.Fault, ids))
}

package report

import (
	"fmt"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/measure"
)

// Reach is something the project sets out to be, and whether it is.
type Reach struct {
	Message string
	Want    string
	Got     float64 // the ratio, or the count
	Held    bool
}

// Reaches holds the numbers against what the project sets out to reach. What
// was not measured is not among them.
func (r *Report) Reaches() []Reach {
	var all []Reach
	for _, m := range r.Result.Messages {
		at := reaching{r, m.Name, nil}
		at.faster(measure.Decode, measure.Ogen, 3, "decode + validate at least 3 times faster than ogen")
		at.faster(measure.Decode, measure.Goccy, 1, "decode + validate at least as fast as goccy decoding")
		at.faster(measure.Validate, measure.JX+" skip", 1/1.5, "validate within 1.5 times of jx skip")
		if c, ok := r.Result.Get(measure.Validate, measure.Hallmark, m.Name); ok {
			at.add("validate without allocations", float64(c.Allocations), c.Allocations == 0)
		}
		for _, peer := range []string{measure.JSONv2, measure.JX + " writer", measure.Ogen, measure.Goccy} {
			at.faster(measure.Encode, peer, 1, "encode at least as fast as "+peer)
		}
		ours, ok := r.Result.Get(measure.Decode, measure.Hallmark, m.Name)
		theirs, ok2 := r.Result.Get(measure.Decode, measure.Ogen, m.Name)
		if ok && ok2 && theirs.Allocations > 0 {
			share := float64(ours.Allocations) / float64(theirs.Allocations)
			at.add("allocations of a decode at most a third of ogen's", share, share <= 1.0/3)
		}
		all = append(all, at.all...)
	}
	return all
}

type reaching struct {
	report  *Report
	message string
	all     []Reach
}

func (at *reaching) add(want string, got float64, held bool) {
	at.all = append(at.all, Reach{at.message, want, got, held})
}

// faster wants the time of a peer to be at least so many times ours.
func (at *reaching) faster(task measure.Task, peer string, times float64, want string) {
	ours, ok := at.report.Result.Get(task, measure.Hallmark, at.message)
	theirs, ok2 := at.report.Result.Get(task, peer, at.message)
	if ok && ok2 {
		ratio := theirs.Nanoseconds / ours.Nanoseconds
		at.add(want, ratio, ratio >= times)
	}
}

func (r Reach) String() string {
	verdict := "held  "
	if !r.Held {
		verdict = "MISSED"
	}
	return fmt.Sprintf("%s %-18s %-52s %.2f", verdict, r.Message, r.Want, r.Got)
}

package run

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"

	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// ready counts tickets that may execute, in all and for the busiest subject.
func ready(tickets []*Ticket) (all, most int) {
	by := map[string]int{}
	for _, t := range tickets {
		if !t.Queued() {
			all++
			by[t.subject]++
			most = max(most, by[t.subject])
		}
	}
	return all, most
}

// Whatever comes and goes, slots and shares are not exceeded, nobody waits while
// there is room, and at the end all is free again.
func TestAdmissionSharesOutSlots(t *testing.T) {
	p := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	p.Property("bounds are kept and nobody is forgotten", prop.ForAll(func(moves []int) (string, error) {
		const slots, share, queue = 4, 2, 3
		a := NewAdmission(slots, share, queue)
		var tickets []*Ticket
		for _, m := range moves {
			subject := fmt.Sprint("s", m%3)
			switch {
			case m < 6:
				one, err := a.Reserve(subject)
				if err != nil {
					if failure.Of(err).Code != "QUEUE_FULL" || len(a.waiting) != queue {
						return err.Error(), nil
					}
					continue
				}
				tickets = append(tickets, one)
			case m < 8:
				waiting := len(a.waiting)
				if one := a.Try(subject); one != nil {
					if waiting > 0 || one.Queued() {
						return "somebody was passed over", nil
					}
					tickets = append(tickets, one)
				}
			case len(tickets) > 0:
				i := m % len(tickets)
				tickets[i].Release()
				tickets[i].Release() // again
				tickets = append(tickets[:i], tickets[i+1:]...)
			}
			if all, most := ready(tickets); all > slots || most > share {
				return fmt.Sprintf("%d execute, %d of one subject", all, most), nil
			}
			for _, w := range a.waiting {
				if a.fits(w.subject) {
					return "somebody waits although there is room", nil
				}
			}
		}
		for _, one := range tickets {
			one.Release()
		}
		if a.used != 0 || len(a.bySubject) != 0 || len(a.waiting) != 0 {
			return fmt.Sprintf("%d slots are still taken", a.used), nil
		}
		return "", nil
	}, gen.SliceOf(gen.IntRange(0, 11))))
	p.TestingRun(t)
}

func TestATicketWaitsForItsTurnOrItsEnd(t *testing.T) {
	a := NewAdmission(1, 1, 2)
	first, err := a.Reserve("s")
	if err != nil || first.Wait(t.Context()) != nil {
		t.Fatal(err)
	}
	second, err := a.Reserve("s")
	if err != nil || !second.Queued() {
		t.Fatalf("got %v, %v", second, err)
	}
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := second.Wait(ctx); err != why {
		t.Errorf("got %v", err)
	}
	second.Release()
	third, err := a.Reserve("s")
	if err != nil {
		t.Fatal(err)
	}
	first.Release()
	if err := third.Wait(t.Context()); err != nil {
		t.Errorf("got %v", err)
	}
}

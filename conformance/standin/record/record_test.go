package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/standin/record"
)

func kind(k string) func(record.Event) bool {
	return func(e record.Event) bool { return e.Kind == k }
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestAwaitTakesTheOldestMatchAndLeavesTheRestUnread(t *testing.T) {
	r := record.New()
	for _, k := range []string{"a", "b", "a", "c"} {
		r.Record("s", k, nil)
	}
	for i, want := range []struct {
		kind string
		seq  int
	}{{"b", 2}, {"a", 1}, {"c", 4}, {"a", 3}} {
		e, err := r.Await(bounded(t), kind(want.kind))
		if err != nil || e.Seq != want.seq {
			t.Fatalf("await %d for %q: got #%d, %v; want #%d", i, want.kind, e.Seq, err, want.seq)
		}
	}
}

func TestAwaitWaitsForAnEventThatComesLater(t *testing.T) {
	r := record.New()
	var wg sync.WaitGroup
	wg.Go(func() {
		r.Record("s", "other", nil)
		r.Record("s", "late", nil)
	})
	if e, err := r.Await(bounded(t), kind("late")); err != nil || e.Seq != 2 {
		t.Fatalf("got %v, %v", e, err)
	}
	wg.Wait()
}

func TestAwaitErrorNamesTheCauseAndTheUnreadEventsButNoDetail(t *testing.T) {
	r := record.New()
	r.Record("model", "request", map[string]string{"authorization": "canary"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Await(ctx, kind("closed"))
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "model: request (#1)") || strings.Contains(err.Error(), "canary") {
		t.Fatalf("got %v", err)
	}
	r.Close()
	if _, err := r.Await(bounded(t), kind("closed")); !errors.Is(err, record.ErrClosed) {
		t.Fatalf("after Close: got %v", err)
	}
	if e := r.Record("model", "closed", nil); e.Seq != 0 || len(r.All()) != 1 {
		t.Fatalf("recorded after Close: %v", e)
	}
}

func TestReadersDoNotTakeEachOthersEvents(t *testing.T) {
	r := record.New()
	r.Record("s", "a", nil)
	for _, reader := range []*record.Reader{r.Reader(), r.Reader()} {
		if _, err := reader.Await(bounded(t), kind("a")); err != nil {
			t.Fatal(err)
		}
		if left := reader.Unread(); len(left) != 0 {
			t.Fatalf("still unread: %v", left)
		}
	}
	if _, err := r.Await(bounded(t), kind("a")); err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentAwaitsEachGetTheirOwnEvent(t *testing.T) {
	const n = 50
	r := record.New()
	got := make(chan int, n)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			e, err := r.Await(bounded(t), kind("a"))
			if err != nil {
				t.Error(err)
			}
			got <- e.Seq
		})
		wg.Go(func() { r.Record("s", "a", nil) })
	}
	wg.Wait()
	close(got)
	seen := map[int]bool{}
	for seq := range got {
		if seen[seq] {
			t.Fatalf("event #%d was given out twice", seq)
		}
		seen[seq] = true
	}
	if len(seen) != n {
		t.Fatalf("%d of %d events were given out", len(seen), n)
	}
}

func TestTeesSeeEveryEventInOrder(t *testing.T) {
	var seqs []int
	r := record.New(func(e record.Event) { seqs = append(seqs, e.Seq) })
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { r.Record("s", "a", nil) })
	}
	wg.Wait()
	for i, seq := range seqs {
		if seq != i+1 {
			t.Fatalf("order of the tee: %v", seqs)
		}
	}
	if r.Count(kind("a")) != 20 || len(seqs) != 20 {
		t.Fatalf("counted %d, teed %d", r.Count(kind("a")), len(seqs))
	}
}

func TestEventMarshalsFlat(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		detail any
		want   string
	}{
		{nil, `{"seq":3,"at":"2026-01-02T03:04:05Z","standIn":"m","event":"call"}`},
		{struct{}{}, `{"seq":3,"at":"2026-01-02T03:04:05Z","standIn":"m","event":"call"}`},
		{map[string]int{"call": 1}, `{"seq":3,"at":"2026-01-02T03:04:05Z","standIn":"m","event":"call","call":1}`},
	} {
		got, err := json.Marshal(record.Event{Seq: 3, At: at, StandIn: "m", Kind: "call", Detail: c.detail})
		if err != nil || string(got) != c.want {
			t.Errorf("detail %v: got %s, %v", c.detail, got, err)
		}
	}
	if _, err := json.Marshal(record.Event{Detail: 1}); err == nil {
		t.Error("a detail that is no object was accepted")
	}
}

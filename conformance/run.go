package conformance

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/engine"
	"github.com/hallmark-kit/hallmark/conformance/report"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Observer is told how a run goes on; report.Progress is one. Its methods are called from several goroutines.
type Observer interface {
	Total(scenarios int)
	Started(id string)
	Finished(s *report.Scenario)
}

// Options are how a run is carried out.
type Options struct {
	Pattern  string   // which scenarios, see Suite.Find; "" is all
	Parallel int      // scenarios at a time; 0 suits the machine
	Progress Observer // nil: nobody is told
	Rerun    []string // command that repeats this run, to which --run and the id of a scenario are appended
	Kit      []string // command by which a target starts tool servers of the kit, before "stand-in tool-server"
	Strict   bool     // what SHOULD be is binding as well
	Slow     bool     // also scenarios that take long by nature
	Seed     uint64   // of generated messages; the same seed makes the same ones
	Patience float64  // how many times as long as the bounds say the kit waits for what has to come; 0: once
	Limits   engine.Limits
}

// Run carries out the scenarios of the target's role. The error is an *engine.UnreachableError when there is nobody
// to talk to, a *UsageError when the pattern names nothing, an *InterruptedError when ctx has ended, or says what kept
// the kit from carrying a scenario out; what did not hold is in the report, not in the error.
func (s *Suite) Run(ctx context.Context, t *target.Target, o Options) (*report.Report, error) {
	began := time.Now()
	chosen, err := s.Find(o.Pattern)
	if err != nil {
		return nil, err
	}
	chosen = slices.DeleteFunc(slices.Clone(chosen), func(sc *scenario.Scenario) bool { return sc.Role != t.Role })
	if len(chosen) == 0 {
		return nil, &UsageError{"no chosen scenario is about a " + t.Role}
	}
	if o.Patience > 0 {
		slow := *t
		slow.Bounds = t.Bounds.Times(o.Patience)
		t = &slow
		for i, sc := range chosen {
			chosen[i] = sc.Patient(o.Patience)
		}
	}
	job := engine.Job{
		Protocol: s.Protocol, Base: s.base, Target: t, Kit: o.Kit, Limits: o.Limits, Seed: o.Seed,
		Binding: func(id string) bool {
			r := s.Requirements.Get(id)
			return r == nil || r.Binding(o.Strict)
		},
	}
	reported, err := engine.Probe(ctx, job)
	if err != nil {
		if ctx.Err() != nil {
			return nil, &InterruptedError{Total: len(chosen), Cause: ctx.Err()}
		}
		return nil, err
	}
	job.Target = s.providing(t, reported)
	results, err := s.runAll(ctx, job, chosen, o)
	if ctx.Err() != nil && err != nil {
		decided := 0
		for _, r := range results {
			if r.report.Verdict != "" {
				decided++
			}
		}
		return nil, &InterruptedError{decided, len(chosen), ctx.Err()}
	}
	if err != nil {
		return nil, err
	}
	return s.report(job.Target, results, o.Strict, began), nil
}

// InterruptedError says how far a run had come when its context ended.
type InterruptedError struct {
	Decided, Total int   // scenarios
	Cause          error // of the context
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted; %d of %d scenarios were decided", e.Decided, e.Total)
}

func (e *InterruptedError) Unwrap() error { return e.Cause }

// providing is the target with the features that it reports of itself besides those that its file names.
func (s *Suite) providing(t *target.Target, reported []string) *target.Target {
	out := *t
	out.Features = slices.Clone(t.Features)
	for _, f := range reported {
		if s.Requirements.Features[f] != "" && !out.Provides(f) {
			out.Features = append(out.Features, f)
		}
	}
	return &out
}

// result is what came of one scenario.
type result struct {
	scenario  *scenario.Scenario
	report    report.Scenario
	charged   map[string]bool // requirements
	ran       bool
	completed bool // all steps were taken and held
}

func (s *Suite) runAll(ctx context.Context, job engine.Job, chosen []*scenario.Scenario, o Options) ([]result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make([]result, len(chosen))
	var (
		workers sync.WaitGroup
		mu      sync.Mutex
		failure error
	)
	next := make(chan int)
	if o.Progress != nil {
		o.Progress.Total(len(chosen))
	}
	for range min(o.parallel(job.Target), len(chosen)) {
		workers.Go(func() {
			for i := range next {
				r, err := s.runOne(ctx, job, chosen[i], o)
				results[i] = r
				if err != nil {
					mu.Lock()
					if failure == nil {
						failure = err
					}
					mu.Unlock()
					cancel()
				}
			}
		})
	}
feed:
	for i := range chosen {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	if failure == nil {
		failure = context.Cause(ctx)
	}
	return results, failure
}

func (o Options) parallel(t *target.Target) int {
	switch {
	case o.Parallel > 0:
		return o.Parallel
	case t.URL != "":
		return 1 // scenarios that fill a host up would disturb others
	}
	// Waiting dominates; a few more than there are processors keep them busy.
	return 4 * runtime.GOMAXPROCS(0)
}

func (s *Suite) runOne(ctx context.Context, job engine.Job, sc *scenario.Scenario, o Options) (result, error) {
	r := result{scenario: sc, charged: make(map[string]bool)}
	r.report = report.Scenario{ID: sc.ID, Title: sc.Title, Decides: sc.Decides}
	if o.Progress != nil {
		o.Progress.Started(sc.ID)
		defer func() { o.Progress.Finished(&r.report) }()
	}
	if reason := s.skipped(sc, job.Target, o); reason != "" {
		r.report.Verdict, r.report.Reason = report.Skip, optional(reason)
		return r, nil
	}
	out := engine.Run(ctx, job, sc)
	if out.Err != nil {
		r.report.Verdict, r.report.Reason = report.Skip, optional("the kit could not carry it out: "+out.Err.Error())
		if ctx.Err() != nil {
			return result{scenario: sc}, ctx.Err()
		}
		return r, fmt.Errorf("scenario %s: %w", sc.ID, out.Err)
	}
	r.ran, r.completed = true, out.Completed
	r.report.Seconds = out.Elapsed.Seconds()
	r.report.Verdict = report.Pass
	if m := out.Misses; m.Rules > 0 {
		r.report.NearMisses = &hallmark.NearMisses{Tried: int64(m.Tried), Rules: int64(m.Rules), Seed: int64(m.Seed)}
	}
	for _, charge := range out.Charges {
		r.charged[charge.Requirement] = true
		r.report.Failures = append(r.report.Failures, s.failure(sc, charge))
		switch {
		case job.Binding(charge.Requirement):
			r.report.Verdict = report.Fail
		case r.report.Verdict == report.Pass:
			r.report.Verdict = report.Warn
		}
	}
	if len(out.Charges) > 0 {
		for _, e := range out.Transcript {
			r.report.Exchange = append(r.report.Exchange, report.Entry{Seconds: e.Seconds, Direction: hallmark.ExchangeDirection(e.Direction), Text: e.Text})
		}
		r.report.Rerun = optional(rerun(o.Rerun, sc.ID))
	}
	return r, nil
}

// skipped says why a scenario is not run, or "".
func (s *Suite) skipped(sc *scenario.Scenario, t *target.Target, o Options) string {
	for _, need := range sc.Needs {
		if !t.Provides(need) {
			return "the target does not provide " + need
		}
	}
	for _, id := range sc.Decides {
		if r := s.Requirements.Get(id); r != nil && r.Feature.Set && !t.Provides(r.Feature.Value) {
			return "the target does not provide " + r.Feature.Value
		}
	}
	for _, without := range sc.Without {
		if t.Provides(without) {
			return "the target provides " + without
		}
	}
	for _, name := range sc.Asks {
		if _, ok := t.Value([]string{name}); !ok {
			return "the target file gives no value " + name
		}
	}
	if sc.Slow && !o.Slow && o.Pattern != sc.ID {
		return "it takes long; ask for it with --slow"
	}
	return ""
}

func (s *Suite) failure(sc *scenario.Scenario, c engine.Charge) report.Failure {
	f := report.Failure{Requirement: c.Requirement, Level: hallmark.LevelMUST, Reason: c.Reason, Message: optional(c.Message)}
	for _, d := range c.Differences {
		f.Differences = append(f.Differences, report.Difference(d))
	}
	if c.Requirement == engine.Conduct {
		f.Sentence = engine.ConductSentence
	}
	if r := s.Requirements.Get(c.Requirement); r != nil {
		f.Level, f.Sentence = r.Level, r.Sentence
	}
	if c.Step != nil {
		f.File, f.Step = optional(sc.File.Name), optional(c.Step.Text)
		f.Line, f.Column = wire.Some(int64(c.Step.Place.Line)), wire.Some(int64(c.Step.Place.Column))
	}
	return f
}

// rerun is a command line for a POSIX shell.
func rerun(command []string, id string) string {
	if len(command) == 0 {
		return ""
	}
	words := make([]string, 0, len(command)+2)
	for _, w := range append(slices.Clone(command), "--run", id) {
		if strings.ContainsFunc(w, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:=,@%+", r)
		}) || w == "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// SelfCommand is the command that starts this very program with further arguments.
func SelfCommand(args ...string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return append([]string{self}, args...), nil
}

package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/scope"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
	"github.com/hallmark-kit/hallmark/conformance/target"
	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// Bounds are how long the engine waits.
type Bounds = target.Bounds

// Limits bound what one scenario takes from a target. They are far above what a conversation needs.
type Limits struct {
	Messages int   // messages received
	Bytes    int64 // bytes received
	Line     int   // bytes of one line
	Stderr   int   // bytes of standard error that are kept
}

// DefaultLimits are the limits of a zero Limits.
var DefaultLimits = Limits{Messages: 5_000, Bytes: 256 << 20, Line: 64 << 20, Stderr: 1 << 20}

// Job is everything that is needed to carry out one scenario.
type Job struct {
	Protocol *protocol.Protocol
	Base     *value.Object
	Target   *target.Target
	Kit      []string                      // command by which a target starts tool servers of the kit
	Binding  func(requirement string) bool // whether not holding a requirement fails
	Seed     uint64                        // of generated messages
	Limits   Limits
}

// Outcome is what came of a scenario. Without charges, everything held.
type Outcome struct {
	Charges    []Charge
	Completed  bool   // all steps were taken and held
	Misses     Misses // generated messages; zero: there were none
	Transcript []transcript.Entry
	Elapsed    time.Duration
	Err        error // the kit could not carry it out, or was interrupted; nobody is to blame
}

// Run carries out a scenario. It returns when the target and everything it started have ended.
func Run(ctx context.Context, job Job, s *scenario.Scenario) Outcome {
	began := time.Now()
	r := &runner{job: job, scenario: s, transcript: transcript.New(began)}
	defer r.cleanUp()
	charges, err := r.run(ctx)
	for i := range charges {
		charges[i] = r.redact(charges[i])
	}
	return Outcome{Charges: charges, Completed: r.completed, Misses: r.misses, Transcript: r.transcript.Entries(), Elapsed: time.Since(began), Err: err}
}

type runner struct {
	job        Job
	scenario   *scenario.Scenario
	transcript *transcript.Transcript
	folder     string // temporary
	completed  bool
	misses     Misses
	nonce      string // in the ids of this run
	closers    []func()
}

func (r *runner) cleanUp() {
	for i := len(r.closers) - 1; i >= 0; i-- {
		r.closers[i]()
	}
	if r.folder != "" {
		_ = os.RemoveAll(r.folder) // a target may have left what cannot be removed; that is no verdict
	}
}

// redact keeps secrets out of what is reported.
func (r *runner) redact(ch Charge) Charge {
	ch.Reason, ch.Message = r.transcript.Redact(ch.Reason), r.transcript.Redact(ch.Message)
	for i := range ch.Differences {
		d := &ch.Differences[i]
		d.Wanted, d.Got = r.transcript.Redact(d.Wanted), r.transcript.Redact(d.Got)
	}
	return ch
}

func (r *runner) run(ctx context.Context) ([]Charge, error) {
	s, role := r.scenario, r.job.Protocol.Roles[r.scenario.Role]
	if err := r.files(); err != nil {
		return nil, err
	}
	limits := r.job.Limits
	if limits == (Limits{}) {
		limits = DefaultLimits
	}
	c := &conversation{
		scenario: s, protocol: r.job.Protocol, role: role, binding: r.job.Binding,
		limits: limits, bounds: r.job.Target.Bounds.WithDefaults(), inbox: newInbox(), standIns: make(map[string]*standIn),
		transcript: r.transcript, messages: newStore(), recordings: newStore(), over: make(map[string]string), signals: make(map[string]bool),
	}
	for name, secret := range r.job.Target.Secrets {
		r.transcript.Hide(secret, "target."+name)
	}
	if role.HTTP != nil {
		c.http = &requests{role: role.HTTP, rules: role.HTTP.NewRules(), seed: r.job.Seed, misses: Misses{Seed: r.job.Seed}}
		for name, secret := range r.job.Target.Secrets {
			c.leaks.canaries = append(c.leaks.canaries, canary{"$target." + name, secret, role.Leaks})
		}
	} else {
		c.rules = role.NewRules()
	}
	offers := make(scenario.Offers)
	c.root = r.scope(c, offers)
	if err := r.standIns(c, offers); err != nil {
		return nil, err
	}
	env, err := r.environment(c)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, r.job.Target, role, r.folder, env, s.Debug, limits.Line)
	if err != nil {
		c.charge(Charge{Requirement: s.Decides[0], Step: s.Steps[0], Reason: "the target could not be started: " + err.Error()})
		return c.charges, nil
	}
	r.closers = append(r.closers, conn.Release)
	c.conn, c.events = conn, conn.Events()
	if c.http != nil {
		c.http.caller = conn.(transport.Caller)
	}
	if c.http == nil || r.job.Target.URL == "" {
		r.transcript.Add(transcript.Process, "the kit starts the target")
	}
	within := s.Within
	if within == 0 {
		within = c.bounds.Scenario
	}
	r.completed, err = c.converse(ctx, within)
	if stopped := c.finish(ctx); err == nil {
		err = stopped
	}
	if c.http != nil {
		r.misses = c.http.misses
	}
	return c.charges, err
}

// scope makes the names of the scenario and where placeholders get their values.
func (r *runner) scope(c *conversation, offers scenario.Offers) *scope.Scope {
	ids := 0
	root := scope.New(&scope.Sources{
		Base:    r.job.Base,
		NewID:   func(name string) string { ids++; return r.id(name, ids) },
		StandIn: offers.Lookup,
		Target: func(path []string) (any, string) {
			if v, ok := r.job.Target.Value(path); ok {
				return v, ""
			}
			return nil, "the target file gives no such value"
		},
		File:   func(name string) (any, string) { return r.scenario.FilePath(name, filepath.Join(r.folder, "files")) },
		Canary: func(kind, name, requirement string) string { return r.canary(c, kind, name, requirement) },
	})
	root.Requirement = r.scenario.Decides[0]
	if r.scenario.Values != nil {
		for _, m := range r.scenario.Values.Members {
			root.SetLazy(m.Name, m.Value)
		}
	}
	return root
}

// id is a fresh id. A target that other scenarios meet as well gets ids that are not theirs.
func (r *runner) id(name string, n int) string {
	if r.job.Target.URL == "" {
		return fmt.Sprintf("%s-%d", name, n)
	}
	if r.nonce == "" {
		r.nonce = strings.ToLower(rand.Text()[:10])
	}
	return fmt.Sprintf("%s-%s-%d", name, r.nonce, n)
}

// canary makes a text that does not occur by chance, the same one at every run of the scenario.
func (r *runner) canary(c *conversation, kind, name, requirement string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.scenario.ID + "\x00" + kind + "\x00" + name))
	text := fmt.Sprintf("hallmark-%s-%016x", kind, h.Sum64())
	for _, known := range c.leaks.canaries {
		if known.text == text {
			return text
		}
	}
	if kind == "secret" {
		requirement = c.role.Leaks
	}
	label := kind + "." + name
	c.leaks.canaries = append(c.leaks.canaries, canary{"$" + label, text, requirement})
	if kind == "secret" {
		c.transcript.Hide(text, label)
	}
	return text
}

func (r *runner) files() error {
	var err error
	if len(r.scenario.Files) == 0 && r.job.Target.Dir != "" {
		return nil
	}
	if r.folder, err = os.MkdirTemp("", "hallmark-"); err != nil {
		return err
	}
	if len(r.scenario.Files) == 0 {
		return nil
	}
	folder := filepath.Join(r.folder, "files")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for _, f := range r.scenario.Files {
		mode := os.FileMode(0o644)
		if f.Executable {
			mode = 0o755
		}
		if err := write(filepath.Join(folder, f.Name), f.Text, mode); err != nil {
			return err
		}
	}
	return nil
}

// write keeps other scenarios from starting processes meanwhile: a child that inherits the open file makes it "busy"
// for whoever wants to execute it.
func write(name, text string, mode os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(name, []byte(text), mode)
}

func (r *runner) standIns(c *conversation, offers scenario.Offers) error {
	recorder := record.New(c.inbox.put)
	r.closers = append(r.closers, recorder.Close)
	for _, in := range r.scenario.StandIns {
		script, err := c.root.Expand(in.Script)
		if err != nil {
			return fmt.Errorf("the script of the stand-in %s: %w", in.Ref, err)
		}
		running, facts, err := start(in, value.Append(nil, script), r.job.Kit, recorder)
		if err != nil {
			return fmt.Errorf("the stand-in %s: %w", in.Ref, err)
		}
		r.closers = append(r.closers, func() { _ = running.close() })
		c.standIns[in.Ref] = running
		offers.Add(r.job.Protocol, in, facts)
	}
	return nil
}

func (r *runner) environment(c *conversation) ([]string, error) {
	env := append(os.Environ(), r.job.Target.Env...)
	if r.scenario.Debug {
		env = append(env, r.job.Target.Debug.Env...)
	}
	if r.scenario.Env == nil {
		return env, nil
	}
	v, err := c.root.Expand(r.scenario.Env)
	if err != nil {
		return nil, fmt.Errorf("the environment of the scenario: %w", err)
	}
	for _, m := range v.(*value.Object).Members {
		text, ok := m.Value.(string)
		if !ok {
			text = value.Text(m.Value)
		}
		if strings.Contains(text, "\x00") {
			return nil, fmt.Errorf("the environment variable %s of the scenario holds a NUL", m.Name)
		}
		env = append(env, m.Name+"="+text)
	}
	return env, nil
}

package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model/scripted"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/settings"
)

// Bounds of attempts.
const (
	maxKept      = 32 // attempts that are remembered
	maxPending   = 4
	maxOfOne     = 2 // pending ones of one caller
	identityMark = "scripted:"
)

// Desk holds the attempts of a host. They end with the process.
type Desk struct {
	settings *settings.Store
	stage    *scripted.Stage
	life     time.Duration
	policy   *policy.Policy

	mu       sync.Mutex
	attempts []*attempt // oldest first
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// attempt is one try to sign in.
type attempt struct {
	shown    protocol.SetupAttempt
	provider protocol.SetupProvider
	owner    owner
	expires  time.Time
	stop     context.CancelFunc
}

// owner is who may see an attempt: one credential, exactly.
type owner struct {
	principal, subject string
	digest             [sha256.Size]byte
}

// NewDesk makes a desk whose attempts live that long.
func NewDesk(s *settings.Store, stage *scripted.Stage, life time.Duration, p *policy.Policy) *Desk {
	d := &Desk{settings: s, stage: stage, life: life, policy: p}
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d
}

// Close cancels what is under way.
func (d *Desk) Close() {
	d.stop()
	d.running.Wait()
}

// Do carries out a request.
func (d *Desk) Do(p *config.Principal, req protocol.ProviderSetupRequest) (*protocol.ProviderSetupSnapshot, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	who := owner{p.ID, p.Subject(), p.Digest}
	d.refresh()
	var chosen []*attempt
	switch req := req.(type) {
	case *protocol.ListSetups:
		for _, a := range d.attempts {
			if d.sees(who, a) {
				chosen = append(chosen, a)
			}
		}
	case *protocol.StartSetup:
		a, err := d.start(who, req)
		if err != nil {
			return nil, err
		}
		chosen = []*attempt{a}
	case *protocol.ReadSetup:
		a, err := d.find(who, req.ID)
		if err != nil {
			return nil, err
		}
		chosen = []*attempt{a}
	case *protocol.AcceptSetup:
		a, err := d.find(who, req.ID)
		if err == nil {
			err = d.accept(a)
		}
		if err != nil {
			return nil, err
		}
		chosen = []*attempt{a}
	case *protocol.CancelSetup:
		a, err := d.find(who, req.ID)
		if err == nil && a.final() {
			err = finished
		}
		if err != nil {
			return nil, err
		}
		a.end(protocol.SetupPhaseCancelled, error(nil))
		chosen = []*attempt{a}
	}
	snapshot := &protocol.ProviderSetupSnapshot{Attempts: []protocol.SetupAttempt{}}
	for _, a := range chosen {
		snapshot.Attempts = append(snapshot.Attempts, a.shown)
	}
	return snapshot, nil
}

var finished = failure.New(protocol.ErrorCodeSETUPFINISHED, "The attempt is over.")

func (d *Desk) sees(who owner, a *attempt) bool { return a.owner == who || d.policy.SetupsShared }

func (d *Desk) find(who owner, id string) (*attempt, error) {
	for _, a := range d.attempts {
		if a.shown.ID == id && d.sees(who, a) {
			return a, nil
		}
	}
	return nil, failure.New(protocol.ErrorCodeSETUPNOTFOUND, "There is no such attempt.")
}

func (d *Desk) start(who owner, req *protocol.StartSetup) (*attempt, error) {
	doc := d.settings.Document()
	if req.Revision != doc.Revision && !d.policy.SetupRevisionUnchecked {
		return nil, settings.Conflict()
	}
	waiting, own, taken := 0, 0, doc.Provider(req.Provider.ID) != nil
	for _, a := range d.attempts {
		if a.final() {
			continue
		}
		waiting++
		if a.owner == who {
			own++
		}
		taken = taken || a.provider.ID == req.Provider.ID
	}
	switch {
	case taken:
		return nil, failure.New(protocol.ErrorCodeSETUPNEWINSTANCEREQUIRED, "There is a provider of this id, or one is being set up.")
	case d.policy.SetupUnlimited:
	case len(doc.Providers) >= settings.MaxProviders || waiting >= maxPending || own >= maxOfOne:
		return nil, failure.New(protocol.ErrorCodeSETUPCAPACITY, "Too many attempts are under way, or there are too many providers.")
	}
	now := time.Now()
	a := &attempt{provider: req.Provider, owner: who, expires: now.Add(d.life)}
	shown := a.expires
	if d.policy.SetupExpiresLate {
		shown = now.Add(time.Hour)
	}
	a.shown = protocol.SetupAttempt{ID: uuid.NewString(), ProviderID: req.Provider.ID, AccountID: req.Provider.AccountID,
		Name: req.Provider.Name.Or(req.Provider.ID), Revision: doc.Revision, Phase: protocol.SetupPhaseStarting,
		CreatedAt: pending.Stamp(now), UpdatedAt: pending.Stamp(now), ExpiresAt: pending.Stamp(shown)}
	var ctx context.Context
	ctx, a.stop = context.WithCancel(d.ctx)
	d.attempts = append(d.attempts, a)
	d.forget()
	d.running.Go(func() { d.signIn(ctx, a) })
	return a, nil
}

// forget drops the oldest attempts that are over.
func (d *Desk) forget() {
	for i := 0; len(d.attempts) > maxKept && i < len(d.attempts); {
		if d.attempts[i].final() {
			d.attempts = append(d.attempts[:i], d.attempts[i+1:]...)
			continue
		}
		i++
	}
}

// signIn plays the identity service: the attempt's binary says how.
func (d *Desk) signIn(ctx context.Context, a *attempt) {
	behaviour := strings.TrimPrefix(a.provider.Binary.Or("scripted:approve"), identityMark)
	d.change(a, func() {
		a.shown.Phase = protocol.SetupPhaseWaiting
		a.shown.Interaction = &protocol.SetupInteraction{UserCode: code()}
	})
	gate, held := strings.CutPrefix(behaviour, "hold=")
	if held {
		if d.stage.Wait(ctx, gate) != nil {
			return
		}
	}
	switch {
	case behaviour == "fail":
		d.change(a, func() {
			a.end(protocol.SetupPhaseFailed, failure.New("SIGN_IN_FAILED", "The sign-in was refused."))
		})
	case behaviour == "approve" || held:
		d.change(a, func() { a.move(protocol.SetupPhaseVerifying) })
		d.change(a, func() {
			a.move(protocol.SetupPhaseReady)
			a.shown.Account = &protocol.SetupAccount{Email: wire.NonNull("dev@example.test"), Plan: "plus"}
		})
	}
}

// change changes an attempt that is not over.
func (d *Desk) change(a *attempt, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !a.final() {
		do()
		a.shown.UpdatedAt = pending.Stamp(time.Now())
	}
}

// refresh ends attempts whose time is over, or whose settings have changed.
func (d *Desk) refresh() {
	revision := d.settings.Document().Revision
	for _, a := range d.attempts {
		switch {
		case a.final():
		case !time.Now().Before(a.expires):
			a.end(protocol.SetupPhaseExpired, failure.New("SETUP_EXPIRED", "The attempt took too long."))
		case a.shown.Revision != revision && !d.policy.SetupRevisionUnchecked:
			a.end(protocol.SetupPhaseFailed, failure.Of(settings.Conflict()))
		}
	}
}

// accept saves the provider of an attempt that is ready. A save that fails is
// told by the attempt's phase.
func (d *Desk) accept(a *attempt) error {
	switch {
	case a.final():
		return finished
	case a.shown.Phase != protocol.SetupPhaseReady && d.policy.EarlyAcceptFinished:
		return finished
	case a.shown.Phase != protocol.SetupPhaseReady:
		return failure.New(protocol.ErrorCodeSETUPNOTREADY, "Nobody has signed in yet.")
	}
	a.move(protocol.SetupPhaseVerifying)
	p := &a.provider
	provider := &protocol.CodexProviderSettings{ID: p.ID, Enabled: p.Enabled, AccountID: wire.Some(p.AccountID), Name: p.Name, Models: p.Models,
		Binary: p.Binary, ReasoningEffort: p.ReasoningEffort, ApplicationTools: p.ApplicationTools}
	var err error
	if !d.policy.AcceptedNotSaved {
		err = d.settings.AddSignedIn(a.shown.Revision, provider)
	}
	if err != nil {
		a.end(protocol.SetupPhaseFailed, failure.Of(err))
		return nil
	}
	a.move(protocol.SetupPhaseSucceeded)
	a.stop()
	return nil
}

func (a *attempt) final() bool {
	switch a.shown.Phase {
	case protocol.SetupPhaseSucceeded, protocol.SetupPhaseFailed, protocol.SetupPhaseCancelled, protocol.SetupPhaseExpired:
		return true
	}
	return false
}

func (a *attempt) move(to protocol.SetupPhase) {
	a.shown.Phase, a.shown.Interaction = to, nil
	a.shown.UpdatedAt = pending.Stamp(time.Now())
}

// end ends an attempt without success.
func (a *attempt) end(phase protocol.SetupPhase, why error) {
	a.move(phase)
	a.shown.Account = nil
	if known, ok := errors.AsType[*failure.Error](why); ok && known != nil {
		a.shown.Error = &protocol.SetupError{Code: known.Code, Message: known.Message}
	}
	a.stop()
}

// code makes what a person would type in.
func code() string {
	text := rand.Text()
	return text[:4] + "-" + text[4:8]
}

package engine

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transcript"
	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// again is how long a host that is still starting is given before it is asked again.
const again = 100 * time.Millisecond

// probeHTTP asks the host what it provides, with every token whose view may differ.
func probeHTTP(ctx context.Context, job Job) ([]string, error) {
	role := job.Protocol.Roles[job.Target.Role]
	folder, err := os.MkdirTemp("", "hallmark-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	conn, err := dial(ctx, job.Target, role, folder, append(os.Environ(), job.Target.Env...), false, DefaultLimits.Line)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		what := "the target could not be started: "
		if job.Target.URL != "" {
			what = "the target cannot be reached: "
		}
		return nil, &UnreachableError{Reason: what + err.Error()}
	}
	defer conn.Release()
	p := &httpProbe{caller: conn.(transport.Caller), job: job, until: time.Now().Add(job.Target.Bounds.WithDefaults().Start)}
	features, err := p.ask(ctx, role.HTTP.Token)
	if err != nil {
		return nil, err
	}
	for _, viewer := range role.HTTP.Viewers {
		if _, given := job.Target.Value([]string{viewer}); !given {
			continue
		}
		more, err := p.ask(ctx, viewer)
		if err != nil {
			return nil, err
		}
		features = append(features, more...)
	}
	return features, nil
}

type httpProbe struct {
	caller transport.Caller
	job    Job
	until  time.Time
	calls  int
}

// ask asks with one token. A host that cannot be reached yet, or says that it is not ready (503), is asked again.
func (p *httpProbe) ask(ctx context.Context, token string) ([]string, error) {
	role := p.job.Protocol.Roles[p.job.Target.Role].HTTP
	r := transport.Request{Method: http.MethodGet, Target: role.Ready, Header: append([][2]string{}, role.Headers...)}
	if v, ok := p.job.Target.Value([]string{token}); ok {
		r.Header = append(r.Header, [2]string{"Authorization", "Bearer " + fmt.Sprint(v)})
	}
	for {
		answer, reason, err := p.once(ctx, r)
		switch {
		case err != nil:
			return nil, err
		case answer == nil && p.job.Target.URL != "":
			return nil, &UnreachableError{Reason: "GET " + role.Ready + ": " + reason}
		case answer == nil, answer.Status == http.StatusServiceUnavailable:
		case answer.Status != http.StatusOK:
			return nil, &UnreachableError{Reason: fmt.Sprintf("GET %s with the value %s as token is answered %d %s", role.Ready, token, answer.Status, transcript.Shorten(string(answer.Body), 300))}
		default:
			v, err := value.Parse(answer.Body)
			if err != nil {
				return nil, &UnreachableError{Reason: "GET " + role.Ready + " is answered with a body that is no JSON: " + err.Error()}
			}
			return role.Features(v), nil
		}
		if time.Now().After(p.until) {
			if answer != nil {
				reason = fmt.Sprintf("is answered %d %s", answer.Status, transcript.Shorten(string(answer.Body), 300))
			}
			return nil, &UnreachableError{Reason: "GET " + role.Ready + ": " + reason}
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// once sends the request once. answer is nil when there was none, for the reason given.
func (p *httpProbe) once(ctx context.Context, r transport.Request) (answer *transport.Answer, reason string, err error) {
	number := p.calls
	p.calls++
	p.caller.Call(number, r)
	limit := time.NewTimer(time.Until(p.until))
	defer limit.Stop()
	for {
		select {
		case e := <-p.caller.Events():
			switch {
			case e.Kind == transport.Ended:
				return nil, "", &UnreachableError{Reason: "the target ended (" + exitText(e.Exit) + ") before it answered GET " + r.Target}
			case e.Exchange != number:
			case e.Kind == transport.Body, e.Kind == transport.Head:
				return e.Answer, "", nil
			case e.Kind == transport.Over:
				return nil, e.Reason, nil
			}
		case <-limit.C:
			p.caller.Abort(number)
			return nil, "no answer came in time", nil
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
}

package engine

import (
	"errors"
	"fmt"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/scenario"
	"github.com/hallmark-kit/hallmark/conformance/standin/cli"
	"github.com/hallmark-kit/hallmark/conformance/standin/gate"
	"github.com/hallmark-kit/hallmark/conformance/standin/host"
	"github.com/hallmark-kit/hallmark/conformance/standin/model"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
	"github.com/hallmark-kit/hallmark/conformance/standin/script"
	"github.com/hallmark-kit/hallmark/conformance/standin/toolserver"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// ScriptChecks are the readers of the stand-ins' scripts, by kind, for loading scenarios of a protocol.
func ScriptChecks(p *protocol.Protocol) map[string]func([]byte) []scenario.Problem {
	check := func(err error) []scenario.Problem {
		if err == nil {
			return nil
		}
		var wrong *script.Error
		if errors.As(err, &wrong) {
			return []scenario.Problem{{Pointer: wrong.Pointer, Reason: wrong.Reason}}
		}
		return []scenario.Problem{{Reason: err.Error()}}
	}
	return map[string]func([]byte) []scenario.Problem{
		scenario.KindModel: func(b []byte) []scenario.Problem { _, err := model.Decode(b); return check(err) },
		scenario.KindTools: func(b []byte) []scenario.Problem { _, err := toolserver.Decode(b); return check(err) },
		scenario.KindAgent: func(b []byte) []scenario.Problem { _, err := cli.Decode(b); return check(err) },
		scenario.KindHost: func(b []byte) []scenario.Problem {
			s, err := host.Decode(b)
			if err != nil {
				return check(err)
			}
			return hostProblems(p, &s)
		},
	}
}

// standIn is a running stand-in.
type standIn struct {
	gates *gate.Set
	close func() error
}

// start starts a stand-in by its script, as JSON, and says what it offers.
func start(in scenario.StandIn, text []byte, kit []string, recorder *record.Recorder) (*standIn, *value.Object, error) {
	gates := gate.New()
	starts := in.Kind == scenario.KindAgent || in.Kind == scenario.KindTools
	if starts && len(kit) == 0 {
		return nil, nil, errors.New("no command is given by which a target can start processes of the kit")
	}
	switch in.Kind {
	case scenario.KindAgent:
		s, err := cli.Decode(text)
		if err != nil {
			return nil, nil, err
		}
		command := append(append([]string{}, kit...), "stand-in", "cli")
		agent, err := cli.Start(s, cli.Options{Name: in.Ref, Recorder: recorder, Gates: gates, Command: command})
		if err != nil {
			return nil, nil, err
		}
		return &standIn{gates, agent.Close}, value.Of("path", agent.Path()), nil
	case scenario.KindTools:
		s, err := toolserver.Decode(text)
		if err != nil {
			return nil, nil, err
		}
		control, err := toolserver.Start(s, toolserver.Options{Name: in.Ref, Recorder: recorder, Gates: gates})
		if err != nil {
			return nil, nil, err
		}
		args := value.List{}
		for _, a := range append(append([]string{}, kit[1:]...), control.Args()...) {
			args = append(args, a)
		}
		return &standIn{gates, control.Close}, value.Of("command", kit[0], "args", args), nil
	}
	if in.Kind == scenario.KindHost {
		return startHost(in, text, gates, recorder)
	}
	s, err := model.Decode(text)
	if err != nil {
		return nil, nil, err
	}
	server, err := model.Start(s, model.Options{Name: in.Ref, Recorder: recorder, Gates: gates})
	if err != nil {
		return nil, nil, err
	}
	facts := value.Of("dialect", string(s.Dialect), "url", server.URL(), "baseUrl", server.BaseURL())
	return &standIn{gates, server.Close}, facts, nil
}

// recorded turns a recording into the value that matchers see.
func recorded(e record.Event) (*value.Object, error) {
	text, err := e.MarshalJSON()
	if err != nil {
		return nil, err
	}
	v, err := value.Parse(text)
	if err != nil {
		return nil, err
	}
	o, ok := v.(*value.Object)
	if !ok {
		return nil, fmt.Errorf("a recording of %s is not an object", e.StandIn)
	}
	return o, nil
}

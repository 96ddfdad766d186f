package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
)

// Provider is the adapter.
type Provider struct {
	Stage     *Stage
	Inventory []string
	Plain     string // a list of turns for inputs that are no scripts; empty: repeat the input
}

// Models gives the configured inventory.
func (p *Provider) Models(context.Context) ([]string, error) { return p.Inventory, nil }

// Turn carries out the turn of the script that the call's step names.
func (p *Provider) Turn(ctx context.Context, call model.Call, sink model.Sink) (model.Turn, error) {
	s, err := p.script(call.Input)
	if err != nil {
		return model.Turn{}, err
	}
	perf := performance{stage: p.Stage, name: s.As, call: call, sink: sink}
	if number, begun := (*call.State).(int64); begun {
		perf.number = number
	} else {
		perf.number = p.Stage.begin(s.As)
		*call.State = perf.number
	}
	p.Stage.count(s.As, func(c *counters) { c.Calls++ })
	turn := s.Turns[min(int(call.Step), len(s.Turns))-1]
	for i := range turn {
		if err = perf.do(ctx, &turn[i]); err != nil {
			break
		}
	}
	perf.turn.Text = perf.text.String()
	p.Stage.count(s.As, func(c *counters) {
		switch {
		case ctx.Err() != nil:
			c.Cancelled++
		case err != nil:
			c.Failed++
		case len(perf.turn.Calls) == 0:
			c.Completed++
		}
	})
	return perf.turn, err
}

func (p *Provider) script(input string) (*script, error) {
	s, err := parse(input)
	if err != nil || s != nil {
		return s, err
	}
	if p.Plain != "" {
		return parse(`{"turns":` + p.Plain + `}`)
	}
	return &script{Turns: [][]action{{{Text: &input}}}}, nil
}

// performance is one turn being carried out.
type performance struct {
	stage  *Stage
	name   string
	number int64
	call   model.Call
	sink   model.Sink
	turn   model.Turn
	text   strings.Builder
}

func (p *performance) do(ctx context.Context, a *action) error {
	if a.First > 0 && p.number > a.First {
		return nil
	}
	var err error
	switch {
	case a.Text != nil:
		return p.repeat(ctx, a, func(int) { p.say(*a.Text) })
	case a.Whole != nil:
		p.text.WriteString(*a.Whole)
	case a.JSON != nil:
		var b bytes.Buffer
		if err = json.Compact(&b, a.JSON); err == nil {
			p.say(b.String())
		}
	case a.Progress > 0:
		a.Times = a.Progress
		return p.repeat(ctx, a, func(int) { p.sink.Progress() })
	case a.Quiet > 0:
		return pause(ctx, a.Quiet)
	case a.Stall:
		<-ctx.Done()
		return ctx.Err()
	case a.Hold != "":
		return p.stage.Wait(ctx, a.Hold)
	case a.Release != "":
		p.stage.Release(a.Release)
	case a.Until != nil:
		return p.stage.until(ctx, func() bool { return p.stage.reached(p.of(a.Until.Of), a.Until) })
	case a.Call != nil:
		return p.repeat(ctx, a, func(i int) { p.callTool(a, i) })
	case a.Usage != nil:
		p.turn.Usage, err = usageOf(a.Usage)
	case a.Finish != "":
		p.turn.Length = a.Finish == "length"
	case a.Fail != nil:
		return errorOf(a.Fail)
	case a.Throw != nil:
		return errors.New(*a.Throw)
	case a.Native != nil:
		p.turn.Native = wire.Raw(a.Native)
	case a.Event != nil:
		p.sink.Event(eventOf(a.Event))
	case a.Report != "":
		err = p.report(a)
	}
	return err
}

// say streams a piece of text.
func (p *performance) say(text string) {
	p.text.WriteString(text)
	p.sink.Text(text)
}

func (p *performance) callTool(a *action, i int) {
	id := a.Call.ID
	if a.Times > 0 {
		id = fmt.Sprintf("%s-%d", id, i+1)
	}
	arguments := wire.Raw(a.Call.Arguments)
	if arguments == nil {
		arguments = wire.Raw("{}")
	}
	p.turn.Calls = append(p.turn.Calls, model.ToolCall{ID: id, Name: a.Call.Name, Arguments: arguments})
}

func (p *performance) repeat(ctx context.Context, a *action, do func(int)) error {
	for i := range max(a.Times, 1) {
		if a.EveryMs > 0 && (i > 0 || a.Progress > 0) {
			if err := pause(ctx, a.EveryMs); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		do(i)
	}
	return nil
}

func (p *performance) of(name *string) string {
	if name != nil {
		return *name
	}
	return p.name
}

// report says something about the host as text.
func (p *performance) report(a *action) error {
	var v any
	switch a.Report {
	case "counters":
		v = p.stage.snapshot(p.of(a.Of))
	case "messages":
		v = p.messages()
	case "native":
		v = p.call.Native
	default:
		return fmt.Errorf("there is nothing %q to report", a.Report)
	}
	text, err := json.Marshal(v)
	if err == nil {
		p.say(string(text))
	}
	return err
}

type reported struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (p *performance) messages() []reported {
	list := []reported{}
	if p.call.Instructions != "" {
		list = append(list, reported{"system", p.call.Instructions})
	}
	for _, m := range p.call.Messages {
		list = append(list, reported{string(m.Role), m.Content})
	}
	return list
}

func pause(ctx context.Context, ms int64) error {
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

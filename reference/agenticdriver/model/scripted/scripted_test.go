package scripted

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
)

// heard is a sink that writes down what arrives.
type heard struct{ said []string }

func (h *heard) Text(text string) { h.said = append(h.said, "text "+text) }
func (h *heard) Progress()        { h.said = append(h.said, "progress") }
func (h *heard) Event(kind string, members wire.Members) {
	h.said = append(h.said, "event "+kind+" "+string(wire.AppendMembers(nil, members)))
}

// turn carries out one turn of a script, in a run of its own.
func turn(ctx context.Context, p *Provider, input string, step int64) (model.Turn, []string, error) {
	sink, state := &heard{}, any(nil)
	t, err := p.Turn(ctx, model.Call{Input: input, Step: step, State: &state, Instructions: "be kind",
		Messages: []model.Message{{Role: model.User, Content: "hi"}}, Native: wire.Raw(`{"n":1}`)}, sink)
	return t, sink.said, err
}

func TestActions(t *testing.T) {
	tests := []struct {
		name, input string
		step        int64
		said        []string
		text, calls string
		code        string
	}{
		{"what is no script is repeated", "hello", 1, []string{"text hello"}, "hello", "", ""},
		{"JSON that is no script", `{"a":1}`, 1, []string{`text {"a":1}`}, `{"a":1}`, "", ""},
		{"text, more than once", `{"turns":[[{"text":"a"},{"text":"b","times":2}]]}`, 1, []string{"text a", "text b", "text b"}, "abb", "", ""},
		{"text that is not streamed", `{"turns":[[{"whole":"a"}]]}`, 1, nil, "a", "", ""},
		{"JSON as text", `{"turns":[[{"json":{ "a": [1.50, "é"] }}]]}`, 1, []string{`text {"a":[1.50,"é"]}`}, `{"a":[1.50,"é"]}`, "", ""},
		{"progress and an event", `{"turns":[[{"progress":2},{"event":{"type":"x","a":1}}]]}`, 1, []string{"progress", "progress", `event x "a":1`}, "", "", ""},
		{"calls", `{"turns":[[{"call":{"id":"c","name":"t"}},{"call":{"id":"d","name":"u","arguments":{"x":1e2}},"times":2}]]}`, 1, nil, "", `c t {};d-1 u {"x":1e2};d-2 u {"x":1e2};`, ""},
		{"the second turn", `{"turns":[[{"text":"a"}],[{"text":"b"}]]}`, 2, []string{"text b"}, "b", "", ""},
		{"the last turn again", `{"turns":[[{"text":"a"}],[{"text":"b"}]]}`, 9, []string{"text b"}, "b", "", ""},
		{"a failure", `{"turns":[[{"text":"a"},{"fail":{"code":"X","message":"m","retryable":true}},{"text":"b"}]]}`, 1, []string{"text a"}, "a", "", "X"},
		{"a failure without a code", `{"turns":[[{"throw":"boom"}]]}`, 1, nil, "", "", "INTERNAL_ERROR"},
		{"what the model is shown", `{"turns":[[{"report":"messages"}]]}`, 1, []string{`text [{"role":"system","content":"be kind"},{"role":"user","content":"hi"}]`},
			`[{"role":"system","content":"be kind"},{"role":"user","content":"hi"}]`, "", ""},
		{"private state", `{"turns":[[{"report":"native"}]]}`, 1, []string{`text {"n":1}`}, `{"n":1}`, "", ""},
		{"no turns", `{"turns":[]}`, 1, nil, "", "", "INVALID_SCRIPT"},
		{"an action that it does not know", `{"turns":[[{"sing":1}]]}`, 1, nil, "", "", "INVALID_SCRIPT"},
		{"usage that is none", `{"turns":[[{"usage":{"inputTokens":-1}}]]}`, 1, nil, "", "", "INVALID_SCRIPT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, said, err := turn(t.Context(), &Provider{Stage: NewStage()}, tt.input, tt.step)
			code, calls := "", ""
			if err != nil {
				code = failure.Of(err).Code
			}
			for _, c := range got.Calls {
				calls += c.ID + " " + c.Name + " " + string(c.Arguments) + ";"
			}
			if !reflect.DeepEqual(said, tt.said) || got.Text != tt.text || calls != tt.calls || code != tt.code {
				t.Errorf("got %q, %q, calls %q, %v", said, got.Text, calls, err)
			}
		})
	}
}

func TestCountersAndFirstRuns(t *testing.T) {
	p := &Provider{Stage: NewStage()}
	const input = `{"as":"n","turns":[[{"fail":{"code":"X","message":"m","retryable":true},"first":2},{"text":"a"}]]}`
	for i, good := range []bool{false, false, true} {
		if _, _, err := turn(t.Context(), p, input, 1); (err == nil) != good {
			t.Errorf("run %d: got %v", i+1, err)
		}
	}
	p.Stage.Tool("n", "echo")
	want := counters{Runs: 3, Calls: 3, Completed: 1, Failed: 2, Tools: map[string]int64{"echo": 1}}
	if got := p.Stage.snapshot("n"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if got := p.Stage.snapshot("other"); got.Runs != 0 {
		t.Errorf("got %+v", got)
	}
}

// A run can wait for another, for time, or for its end.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Provider{Stage: NewStage()}
		done := make(chan string, 3)
		for name, input := range map[string]string{
			"gate": `{"turns":[[{"hold":"g"}]]}`, "counter": `{"turns":[[{"until":{"counter":"completed","of":"n","atLeast":2}}]]}`, "time": `{"turns":[[{"quiet":5000}]]}`,
		} {
			go func() {
				if _, _, err := turn(t.Context(), p, input, 1); err != nil {
					t.Error(err)
				}
				done <- name
			}()
		}
		order := []string{}
		synctest.Wait()
		for _, input := range []string{`{"as":"n","turns":[[{"text":"a"}]]}`, `{"as":"n","turns":[[{"text":"a"}]]}`} {
			if _, _, err := turn(t.Context(), p, input, 1); err != nil {
				t.Error(err)
			}
		}
		order = append(order, <-done)
		for range 2 { // opening it again changes nothing
			p.Stage.Release("g")
		}
		order = append(order, <-done)
		begun := time.Now()
		order = append(order, <-done)
		if got := strings.Join(order, " "); got != "counter gate time" || time.Since(begun) != 5*time.Second {
			t.Errorf("got %s, %v", got, time.Since(begun))
		}

		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _, err := turn(ctx, p, `{"as":"s","turns":[[{"stall":true}]]}`, 1)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			done <- ""
		}()
		synctest.Wait()
		cancel()
		<-done
		if got := p.Stage.snapshot("s"); got.Cancelled != 1 || got.Completed != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

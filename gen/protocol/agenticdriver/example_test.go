package agenticdriver_test

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// A client reads the data of each server-sent event and switches over the variants.
func ExampleDecodeRunEvent() {
	for _, data := range []string{
		`{"type":"text.delta","runId":"r1","sequence":3,"timestamp":"2026-01-01T00:00:00Z","text":"hel"}`,
		`{"type":"run.cancelled","runId":"r1","sequence":4,"timestamp":"2026-01-01T00:00:01Z","error":{"code":"CANCELLED","message":"stopped","retryable":false}}`,
		`{"type":"weather","optional":true,"runId":"r1","sequence":5,"timestamp":"2026-01-01T00:00:02Z"}`,
	} {
		event, err := agenticdriver.DecodeRunEvent([]byte(data))
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := event.(type) {
		case *agenticdriver.TextDelta:
			fmt.Println("text:", e.Text)
		case *agenticdriver.RunFailed:
			fmt.Println(e.Type, "with", e.Error.Code)
		case *agenticdriver.OptionalEvent:
			fmt.Println("an event that may be skipped:", e.Type)
		default:
			fmt.Println("another event")
		}
	}
	// Output:
	// text: hel
	// run.cancelled with CANCELLED
	// an event that may be skipped: weather
}

// A request is built from Go values and sent where its operation says.
func ExampleRunRequest_AppendJSON() {
	request := &agenticdriver.RunRequest{Provider: "main", Model: "large", Input: "hello", MaxSteps: wire.Some[int64](2)}
	if err := request.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	operation := agenticdriver.OperationRun
	fmt.Println(operation.Method, operation.Path)
	fmt.Println(string(request.AppendJSON(nil)))
	// Output:
	// POST /v1/runs
	// {"provider":"main","model":"large","input":"hello","maxSteps":2}
}

// The table of operations says what an answer holds, for each status and media type.
func ExampleOperations() {
	run := agenticdriver.OperationRun
	fmt.Println("stream of", run.Response(http.StatusOK).As("text/event-stream").Event.Name)
	fmt.Println("failure:", run.Response(http.StatusTooManyRequests).As("application/json").Schema.Name)
	for _, p := range run.Parameters {
		if p.Name == "AgenticDriver-Accept-Optional-Events" {
			fmt.Println("true:", p.Validate([]string{"true"}))
			fmt.Println("yes:", p.Validate([]string{"yes"}))
		}
	}
	// Output:
	// stream of RunEvent
	// failure: Error
	// true: <nil>
	// yes: 1:1: the message: want one of "true", "false" (openapi.json#/components/parameters/OptionalEvents/schema/enum enum)
}

// All violations of a message, not only the first ones.
func ExampleValidateRunRequest() {
	body := []byte(`{"provider":"","model":"m","input":"x","temperature":1}`)
	err := agenticdriver.ValidateRunRequest(body, wire.AllViolations())
	var invalid *wire.Error
	if errors.As(err, &invalid) {
		for _, v := range invalid.Violations {
			fmt.Println(v.Instance, v.Keyword)
		}
	}
	// Output:
	// /provider pattern
	// /temperature additionalProperties
}

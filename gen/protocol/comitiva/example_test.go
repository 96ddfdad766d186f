package comitiva_test

import (
	"errors"
	"fmt"

	"github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// A runner reads one request a line and switches over the variants.
func ExampleDecodeRunnerRequest() {
	line := []byte(`{"type":"run.approval","id":"7","runId":"r1","toolUseId":"t1","decision":"allow","note":"kept"}`)
	request, err := comitiva.DecodeRunnerRequest(line)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch r := request.(type) {
	case *comitiva.Ping:
		fmt.Println("ping", r.ID)
	case *comitiva.RunApproval:
		fmt.Println("approval of", r.ToolUseID, "in", r.RunID, "is", r.Decision)
		fmt.Printf("and %s: %s\n", r.Extra[0].Name, r.Extra[0].Value)
	default:
		fmt.Println("something else:", request.Type())
	}
	// Output:
	// approval of t1 in r1 is allow
	// and note: "kept"
}

// What is built from Go values is written with its constant members in place.
func ExampleRunDone_AppendJSON() {
	done := &comitiva.RunDone{RunID: "r1", StopReason: comitiva.StopReasonCancelled}
	if err := done.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(done.AppendJSON(nil)))
	// Output:
	// {"type":"run.done","runId":"r1","stopReason":"cancelled"}
}

// An optional member is a value that may be absent.
func ExampleCLIDetect() {
	detect := &comitiva.CLIDetect{ID: "1", Provider: comitiva.ProviderCodex}
	fmt.Println(string(detect.AppendJSON(nil)))
	detect.BinaryPath = wire.Some("/usr/bin/codex")
	fmt.Println(string(detect.AppendJSON(nil)))
	// Output:
	// {"id":"1","type":"cli.detect","provider":"codex"}
	// {"id":"1","type":"cli.detect","provider":"codex","binaryPath":"/usr/bin/codex"}
}

// A violation says where in the message, which rule of which document, and what was wanted. It never quotes the value.
func ExampleValidateRunnerRequest() {
	line := []byte(`{"type":"run.cancel","id":"1","runId":""}`)
	err := comitiva.ValidateRunnerRequest(line)
	var invalid *wire.Error
	if errors.As(err, &invalid) {
		v := invalid.Violations[0]
		fmt.Println(v.Instance, v.Keyword, v.Want)
		fmt.Println(v.Document, v.Schema)
	}
	// Output:
	// /runId minLength at least 1 code point
	// RunnerRequest.json /oneOf/7/properties/runId/minLength
}

package nylorun_test

import (
	"errors"
	"fmt"

	"github.com/hallmark-kit/hallmark/gen/protocol/nylorun"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Either end reads one frame a WebSocket message. What a request carries is told by its method.
func ExampleDecodeFrame() {
	text := []byte(`{"t":"req","id":4,"m":"lease.release","p":{"runId":"r1","reason":"shutdown"}}`)
	frame, err := nylorun.DecodeFrame(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch f := frame.(type) {
	case *nylorun.RequestFrame:
		switch f.M {
		case nylorun.MethodLeaseRelease.Name:
			params, err := nylorun.DecodeLeaseReleaseParams(f.P)
			fmt.Println("request", f.ID, "releases", params.RunID, "for", params.Reason, err)
		default:
			fmt.Println("request", f.ID, "of another method")
		}
	case *nylorun.ResultFrame, *nylorun.ErrorFrame:
		fmt.Println("an answer")
	case *nylorun.MessageFrame, *nylorun.AbortFrame, *nylorun.PingFrame:
		fmt.Println("nothing to answer")
	}
	// Output:
	// request 4 releases r1 for shutdown <nil>
}

// Parameters and results are checked by the table of methods.
func ExampleMethods() {
	for _, m := range nylorun.Methods {
		if m.Direction.From() == "host" && !m.Message {
			fmt.Println(m.Name, m.Params.Name, m.Result.Name)
		}
	}
	err := nylorun.MethodHello.Params.Validate([]byte(`{"api":5,"name":"h","version":"1","features":{"teleport":true}}`))
	fmt.Println(err)
	// Output:
	// workspace.exec WorkspaceToolParams WorkspaceResult
	// workspace.read WorkspaceParams WorkspaceResult
	// workspace.remove WorkspaceRemoveParams WorkspaceRemoveResult
	// workspace.report WorkspaceReportParams WorkspaceReportResult
	// workspace.sweep WorkspaceSweepParams WorkspaceSweepResult
	// workspace.write WorkspaceParams WorkspaceResult
	// 1:58: /features/teleport: want no member beside the declared ones (harness-api.v5.json#/$defs/hello.params/properties/features/additionalProperties additionalProperties)
}

// An answer to an effect is a union: the harness does what it is told.
func ExampleDecodeIntentAnswer() {
	answer, err := nylorun.DecodeIntentAnswer([]byte(`{"status":"execute","rejoin":true}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	switch a := answer.(type) {
	case *nylorun.CompletedAnswer:
		fmt.Printf("go on with %s\n", a.Outcome.Value)
	case *nylorun.ExecuteAnswer:
		fmt.Println("execute it, joining the call that runs:", a.Rejoin.Or(false))
	case *nylorun.UnresolvedAnswer:
		fmt.Println("wait:", a.Status)
	}
	// Output:
	// execute it, joining the call that runs: true
}

// Frames are built from their parts; the kind of frame cannot be got wrong.
func ExampleRequestFrame_AppendJSON() {
	params := &nylorun.LeaseRenewParams{RunID: "r1"}
	frame := &nylorun.RequestFrame{ID: 1, M: nylorun.MethodLeaseRenew.Name, P: params.AppendJSON(nil)}
	fmt.Println(string(frame.AppendJSON(nil)))
	// Output:
	// {"t":"req","id":1,"m":"lease.renew","p":{"runId":"r1"}}
}

// A violation names the place in the message and the rule that it breaks.
func ExampleValidateEffectOutcomeParams() {
	err := nylorun.ValidateEffectOutcomeParams([]byte(`{"runId":"r1","effectId":"e","value":1,"error":"x"}`))
	var invalid *wire.Error
	if errors.As(err, &invalid) {
		fmt.Println(invalid.Violations[0].Keyword, "of", invalid.Violations[0].Schema)
	}
	// Output:
	// anyOf of /$defs/effect.outcome.params/anyOf
}

package tutti_test

import (
	"errors"
	"fmt"

	"github.com/hallmark-kit/hallmark/gen/protocol/tutti"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// A consumer reads frames; an event's payload is decoded by its topic.
func ExampleDecodeServerFrame() {
	text := []byte(`{"kind":"event","event":{"id":"event-9","topic":"agent.side.updated","version":1,"emittedAt":"2026-01-01T00:00:00Z",
		"scope":{"workspaceId":"w"},"payload":{"workspaceId":"w","sideAgentSessionId":"s","sourceAgentSessionId":"a","sequence":2,
		"eventType":"message_delta","data":{"messageId":"m","turnId":"t","role":"assistant","content":{"operation":"append_text","text":"hi"}}}}}`)
	frame, err := tutti.DecodeServerFrame(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch f := frame.(type) {
	case *tutti.ReadyFrame:
		fmt.Println("ready", f.CatalogRevision)
	case *tutti.EventFrame:
		if f.Event.Topic != tutti.TopicAgentSideUpdated.Name {
			fmt.Println("another topic")
			return
		}
		update, err := tutti.DecodeSideUpdate(f.Event.Payload)
		if err != nil {
			fmt.Println(err)
			return
		}
		switch u := update.(type) {
		case *tutti.MessageDelta:
			fmt.Println(u.Sequence, u.Data.MessageID, u.Data.Content.Operation, u.Data.Content.Text.Or(""))
		case *tutti.MessageUpdate, *tutti.StatePatch:
			fmt.Println("another change:", u.EventType())
		case *tutti.AvailableCommandsUpdate, *tutti.ConfigOptionsUpdate, *tutti.SessionAudit:
			fmt.Println("takes a number and changes nothing:", u.EventType())
		}
	case *tutti.AckFrame, *tutti.ErrorFrame, *tutti.PongFrame:
		fmt.Println("an answer")
	}
	// Output:
	// 2 m append_text hi
}

// A subscription is built from Go values; what kind of frame it is cannot be got wrong.
func ExampleSubscribeFrame_AppendJSON() {
	frame := &tutti.SubscribeFrame{
		RequestID: "1",
		Topics:    []string{tutti.TopicAgentSideUpdated.Name},
		Scope:     &tutti.Scope{WorkspaceID: wire.Some("w")},
	}
	if err := frame.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(frame.AppendJSON(nil)))
	// Output:
	// {"kind":"subscribe","requestId":"1","topics":["agent.side.updated"],"scope":{"workspaceId":"w"}}
}

// What is absent, null and present are three different things.
func ExampleTurnLifecycle() {
	for _, text := range []string{`{}`, `{"activeTurnId":null}`, `{"activeTurnId":"t1"}`} {
		lifecycle, err := tutti.DecodeTurnLifecycle([]byte(text))
		if err != nil {
			fmt.Println(err)
			return
		}
		id, present := lifecycle.ActiveTurnID.Get()
		fmt.Printf("%q %t, written back as %s\n", id, present, lifecycle.AppendJSON(nil))
	}
	// Output:
	// "" false, written back as {}
	// "" false, written back as {"activeTurnId":null}
	// "t1" true, written back as {"activeTurnId":"t1"}
}

// A violation says which rule of the topic's definition an update breaks.
func ExampleValidateSideUpdate() {
	payload := []byte(`{"workspaceId":"w","sideAgentSessionId":"s","sourceAgentSessionId":"a","sequence":0,"eventType":"session_audit","data":{}}`)
	var invalid *wire.Error
	if errors.As(tutti.TopicAgentSideUpdated.Payload.Validate(payload), &invalid) {
		fmt.Println(invalid.Violations[0].Instance, invalid.Violations[0].Want)
	}
	// Output:
	// /sequence at least 1
}

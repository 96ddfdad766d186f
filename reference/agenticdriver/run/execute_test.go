package run

import (
	"strings"
	"testing"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// What a replay repeats is kept as it was numbered among itself, and not at all
// once it is too much.
func TestWhatIsKeptForAReplay(t *testing.T) {
	for outputs, kept := range map[int]int{3: 5, 20: 0} {
		var got []wire.Raw
		called := 0
		x := &execution{Run: &Run{ID: "r", Record: func(events []wire.Raw, _ protocol.RunEvent) { got, called = events, called+1 }}, put: func(protocol.RunEvent) {}}
		x.emit(&protocol.RunStarted{Provider: "p", Model: "m"})
		for range outputs {
			x.emit(&protocol.TextDelta{Text: "not kept"})
			x.emit(&protocol.ToolCompleted{CallID: "c", Output: wire.Raw(`"` + strings.Repeat("x", 1_000_000) + `"`)})
		}
		x.emit(&protocol.RunFailed{Type: protocol.RunFailedTypeRunFailed, Error: protocol.ErrorInfo{Code: "X"}})
		if called != 1 || len(got) != kept {
			t.Errorf("%d outputs: got %d events, %d times", outputs, len(got), called)
		}
		for i, text := range got {
			ev, err := protocol.DecodeRunEvent(text)
			if err != nil || Sequence(ev) != int64(i+1) || ID(ev) != "r" {
				t.Errorf("event %d is %.200s, %v", i+1, text, err)
			}
		}
	}
}

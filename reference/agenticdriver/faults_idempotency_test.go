package agenticdriver

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestKeepingSequencesNumbersReplaysLikeTheirFirstStream(t *testing.T) {
	first := []string{"run.started", "step.started", "text.delta", "tool.called", "step.started", "text.delta", "run.completed"}
	replay := []string{"run.started", "step.started", "tool.called", "step.started", "run.completed"}
	var e edges
	keepingSequences(&e)
	var sent []string
	host := e.handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		for i, event := range sent {
			_, _ = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: {\"runId\":\"a\",\"sequence\":%d}\n\n", i+1, event, i+1)
		}
	}))
	for i, want := range []string{"1 2 3 4 5 6 7", "1 2 4 5 7", "1 2 4 5 7"} {
		if sent = replay; i == 0 {
			sent = first
		}
		w := httptest.NewRecorder()
		host.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/runs", strings.NewReader("{}")))
		body, err := io.ReadAll(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		var ids, sequences []string
		for line := range strings.Lines(string(body)) {
			line = strings.TrimSpace(line)
			if id, ok := strings.CutPrefix(line, "id: "); ok {
				ids = append(ids, id)
			}
			if _, rest, ok := strings.Cut(line, `"sequence":`); ok {
				sequences = append(sequences, strings.TrimSuffix(rest, "}"))
			}
		}
		if got := strings.Join(ids, " "); got != want || strings.Join(sequences, " ") != want {
			t.Errorf("stream %d has the ids %s and the sequences %v, want %s", i+1, got, sequences, want)
		}
	}
}

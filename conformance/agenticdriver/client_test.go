package agenticdriver

import (
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

func parsed(t *testing.T, text string) *value.Object {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(*value.Object)
}

func ids(found []protocol.Breach) string {
	var out []string
	for _, b := range found {
		out = append(out, b.Requirement)
	}
	return strings.Join(out, " ")
}

func TestWhatAClientSendsIsHeldToItsRequirements(t *testing.T) {
	const headers = `"headers":{"agenticdriver-version":"1.0","agenticdriver-accept-optional-events":"true","authorization":"Bearer t","accept":"application/json","content-type":"application/json"}`
	const right = `{"event":"request","method":"POST","target":"/v1/jobs/read",` + headers + `,"body":{"id":"00000000-0000-4000-8000-000000000000"}}`
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"/v1/jobs/read", "/prefix/v1/jobs/read", ""},
		{`"request"`, `"unexpected"`, "AD-C14"},
		{`"request"`, `"left"`, ""},
		{`"request"`, `"aside"`, ""},
		{`:"1.0"`, `:"2.0"`, "AD-C01"},
		{`:"true"`, `:"false"`, "AD-C01"},
		{`Bearer t`, `t`, "AD-C01"},
		{`Bearer t`, `Bearer `, "AD-C01"},
		{`"accept":"application/json"`, `"accept":"text/event-stream"`, "AD-C01"},
		{`"content-type":"application/json"`, `"content-type":"text/plain"`, "AD-C01"},
		{`"accept":`, `"cookie":"a=b","accept":`, "AD-C01"},
		{`,"body":`, `,"text":"no JSON","was":`, "AD-C26"},
		{`{"id":`, `{"further":1,"id":`, "AD-C26"},
		{"POST", "GET", ""}, // no operation: the script says what is expected
	} {
		if got := ids(requested("host", parsed(t, strings.Replace(right, c.old, c.new, 1)))); got != c.want {
			t.Errorf("%s for %s: %q, expected %q", c.new, c.old, got, c.want)
		}
	}
	health := strings.NewReplacer("POST", "GET", "/v1/jobs/read", "/health", `"authorization":"Bearer t",`, "", `,"body":{"id":"00000000-0000-4000-8000-000000000000"}`, "").Replace(right)
	if got := ids(requested("host", parsed(t, health))); got != "" {
		t.Errorf("health without a token: %s", got)
	}
	run := strings.NewReplacer("/v1/jobs/read", "/v1/runs", `"accept":"application/json"`, `"accept":"text/event-stream"`, `{"id":"00000000-0000-4000-8000-000000000000"}`, `{"provider":"p","model":"m","input":"i"}`).Replace(right)
	if got := ids(requested("host", parsed(t, run))); got != "" {
		t.Errorf("a run with a stream: %s", got)
	}
}

func TestAnAdapterAnswersEachRequestOnce(t *testing.T) {
	rules := client().NewRules()
	for _, step := range []struct{ sent, received, want string }{
		{sent: `{"id":"1","do":"connect","url":"u"}`},
		{received: `{"id":"1","event":{}}`, want: "AD-C27"},
		{received: `{"id":"1","result":{}}`},
		{received: `{"id":"1","result":{}}`, want: "AD-C27"},
		{sent: `{"id":"2","do":"call","operation":"run","stream":true}`},
		{received: `{"id":"2","event":{}}`},
		{received: `{"id":"3","result":{}}`, want: "AD-C27"},
		{received: `{"id":"2","error":{"code":"X"}}`},
		{received: `{"id":"2","event":{}}`, want: "AD-C27"},
		{sent: `{"id":"4","do":"call","operation":"run"}`},
		{sent: `{"id":"5","do":"state"}`},
	} {
		if step.sent != "" {
			rules.Sent(parsed(t, step.sent), true)
			continue
		}
		if got := ids(rules.Received(parsed(t, step.received))); got != step.want {
			t.Errorf("%s: %q, expected %q", step.received, got, step.want)
		}
	}
	open := rules.Unanswered()
	if len(open) != 2 || open[0].Slow == 0 || open[1].Slow != 0 || open[1].Stream != `id="5"` {
		t.Errorf("%+v", open)
	}
	rules.Stopping()
	if open := rules.Unanswered(); len(open) != 0 {
		t.Errorf("after the end: %+v", open)
	}
}

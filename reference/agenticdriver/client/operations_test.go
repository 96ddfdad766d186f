package client_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/client"
)

const (
	uuid    = "00000000-0000-4000-8000-000000000000"
	other   = "00000000-0000-4000-8000-000000000001"
	zeros   = "0000000000000000000000000000000000000000000000000000000000000000"
	stamp   = "2026-01-02T03:04:05.678Z"
	later   = "2026-01-03T03:04:05.678Z"
	secret  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"
	session = `{"id":"` + uuid + `","revision":0,"provider":"p","model":"m","mode":"history","state":"ready","createdAt":"` + stamp + `","updatedAt":"` + stamp + `","expiresAt":"` + later + `"}`
	job     = `{"id":"` + uuid + `","runId":"` + other + `","provider":"p","model":"m","state":"queued","cursor":0,"cancelRequested":false,"createdAt":"` + stamp + `","updatedAt":"` + stamp + `"}`
	index   = `{"providerId":"e","vendor":"v","accountId":"a","authMode":"none","model":"m","dimensions":3,"metric":"cosine","version":"1"}`
	hit     = `{"chunkId":"c","source":{"id":"s","revision":"1"},"text":"text","score":0.5,"documentSha256":"` + zeros + `"}`
	grant   = `{"subject":"somebody","providers":["p"]}`
	made    = `{"id":"` + uuid + `","grant":` + grant + `,"createdAt":"` + stamp + `","expiresAt":"` + later + `"`
	ingest  = `{"format":"text","inputSha256":"` + zeros + `","inputBytes":4,"extractor":{"id":"plain-text","version":"1"},"chunker":{"id":"source-lines-v1","maxBytes":2048},"extractedTextBytes":4,"indexedTextBytes":4,"chunks":1}`
	setting = `{"id":"p","kind":"claude-code"}`
	manage  = `{"version":1,"revision":"` + zeros + `","providers":[` + setting + `],"supportedKinds":["claude-code"]}`
	attempt = `{"id":"` + uuid + `","providerId":"p","accountId":"a","name":"n","method":"codex-device","revision":"` + zeros + `","phase":"starting","createdAt":"` + stamp + `","updatedAt":"` + stamp + `","expiresAt":"` + later + `"}`
	result  = `{"runId":"r","provider":"p","model":"m","text":"hello","usage":{},"steps":1,"finishReason":"stop"}`
)

// operation is one operation with a right answer, and wrong ones by what the right one is changed to.
type operation struct {
	call   func(context.Context, *client.Client) error
	sends  string // request line
	body   string
	answer string
	wrong  map[string]string // old text -> new text
}

func with[Q, V any](method func(*client.Client, context.Context, *Q) (*V, error), q *Q) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error {
		_, err := method(c, ctx, q)
		return err
	}
}

func without[V any](method func(*client.Client, context.Context) (*V, error)) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error {
		_, err := method(c, ctx)
		return err
	}
}

func operations(t *testing.T) map[string]operation {
	var configure agenticdriver.ConfigureProvider
	if err := json.Unmarshal([]byte(`{"revision":"`+zeros+`","provider":`+setting+`}`), &configure); err != nil {
		t.Fatal(err)
	}
	keyed := agenticdriver.SessionIdentity{ID: uuid}
	jobID := agenticdriver.JobIdentity{ID: uuid}
	identity := agenticdriver.ToolExecutionIdentity{ExecutionID: "e", RunID: "r", CallID: "c"}
	identityJSON := `{"executionId":"e","runId":"r","callId":"c"`
	text := agenticdriver.Source{ID: "s", Revision: "1"}
	return map[string]operation{
		"health": {call: without((*client.Client).Health), sends: "GET /health", answer: `{"status":"ok","protocol":"agenticdriver.v1"}`, wrong: map[string]string{`"ok"`: `"down"`}},
		"getProtocol": {call: without((*client.Client).GetProtocol), sends: "GET /v1/protocol",
			answer: `{"protocol":"agenticdriver","version":"1.0","supportedVersions":["1.0"],"features":[]}`, wrong: map[string]string{`"features":[]`: `"features":null`}},
		"listProviders": {call: func(ctx context.Context, c *client.Client) error { _, err := c.ListProviders(ctx, true); return err }, sends: "GET /v1/providers?refresh=true",
			answer: `{"providers":[{"id":"p","name":"n","vendor":"v","authMode":"none","capabilities":{"tools":true,"textStreaming":true}}]}`,
			wrong:  map[string]string{`"tools":true`: `"tools":1`, `"authMode":"none"`: `"authMode":"password"`, `"vendor"`: `"health":null,"vendor"`}},
		"run": {call: with((*client.Client).Run, request()), sends: "POST /v1/runs", body: `{"provider":"p","model":"m","input":"Hello"}`, answer: result,
			wrong: map[string]string{`"provider":"p"`: `"provider":"q"`, `"usage"`: `"retrieval":{"corpus":"c","index":` + index + `,"hits":[],"truncated":false},"usage"`, `"steps":1`: `"steps":1.5`}},
		"decideApproval": {call: with((*client.Client).DecideApproval, &agenticdriver.ApprovalDecision{ApprovalID: "a", RunID: "r", Call: agenticdriver.DecidedCall{ID: "c", Name: "n"}, Decision: agenticdriver.DecisionDeny}),
			sends: "POST /v1/approvals/decisions", body: `{"approvalId":"a","runId":"r","call":{"id":"c","name":"n","arguments":{}},"decision":"deny"}`,
			answer: `{"approvalId":"a","runId":"r","callId":"c","outcome":"denied","decidedAt":"` + stamp + `"}`, wrong: map[string]string{`"denied"`: `"approved"`, `"callId":"c"`: `"callId":"d"`}},
		"reportToolProgress": {call: with((*client.Client).ReportToolProgress, &identity), sends: "POST /v1/tool-executions/progress", body: identityJSON + `}`,
			answer: identityJSON + `,"status":"progress"}`, wrong: map[string]string{`"progress"`: `"accepted"`, `"e"`: `"f"`}},
		"completeTool": {call: func(ctx context.Context, c *client.Client) error {
			_, err := c.CompleteTool(ctx, &agenticdriver.ToolExecutionOutput{ExecutionID: "e", RunID: "r", CallID: "c", Output: wire.Raw("null")})
			return err
		}, sends: "POST /v1/tool-executions/results", body: identityJSON + `,"output":null}`, answer: identityJSON + `,"status":"accepted"}`, wrong: map[string]string{`"accepted"`: `"progress"`, `"r"`: `"s"`}},
		"createSession": {call: with((*client.Client).CreateSession, &agenticdriver.SessionCreate{Provider: "p", Model: "m", Mode: agenticdriver.SessionModeHistory}),
			sends: "POST /v1/sessions/create", body: `{"provider":"p","model":"m","mode":"history"}`, answer: `{"session":` + session + `,"history":[]}`,
			wrong: map[string]string{`"history":[]`: `"history":[{"role":"user","content":"x"}]`, `"revision":0`: `"revision":1`, `"model":"m"`: `"model":"n"`, `,"expiresAt":"` + later + `"`: ``, stamp: "2026-01-02T03:04:05Z", "2026-01-02": "2026-02-30", later: stamp}},
		"readSession":   {call: with((*client.Client).ReadSession, &keyed), sends: "POST /v1/sessions/read", body: `{"id":"` + uuid + `"}`, answer: `{"session":` + session + `,"history":[]}`, wrong: map[string]string{uuid: other, `"ready"`: `"running"`}},
		"deleteSession": {call: with((*client.Client).DeleteSession, &keyed), sends: "POST /v1/sessions/delete", body: `{"id":"` + uuid + `"}`, answer: `{"id":"` + uuid + `","deleted":true}`, wrong: map[string]string{uuid: other, "true": "false"}},
		"submitJob": {call: with((*client.Client).SubmitJob, &agenticdriver.JobSubmit{Key: "k", Request: *request()}), sends: "POST /v1/jobs/submit",
			body: `{"key":"k","request":{"provider":"p","model":"m","input":"Hello"}}`, answer: job,
			wrong: map[string]string{`"model":"m"`: `"model":"n"`, `"cursor":0`: `"cursor":1`, `"queued"`: `"completed"`, `"cursor":0,`: `"cursor":0,"expiresAt":"` + later + `",`}},
		"readJob":   {call: with((*client.Client).ReadJob, &jobID), sends: "POST /v1/jobs/read", body: `{"id":"` + uuid + `"}`, answer: job, wrong: map[string]string{uuid: other}},
		"cancelJob": {call: with((*client.Client).CancelJob, &jobID), sends: "POST /v1/jobs/cancel", body: `{"id":"` + uuid + `"}`, answer: job, wrong: map[string]string{uuid: other}},
		"jobEvents": {call: with((*client.Client).JobEvents, &agenticdriver.JobEventsRequest{ID: uuid, Limit: wire.Some[int64](2)}), sends: "POST /v1/jobs/events", body: `{"id":"` + uuid + `","after":0,"limit":2}`, answer: page(), wrong: wrongPages},
		"searchContext": {call: with((*client.Client).SearchContext, &agenticdriver.RetrievalSearch{Corpus: "k", SourceIDs: []string{"s"}, Query: "q", Limit: wire.Some[int64](1), MaxContextBytes: wire.Some[int64](4), MinScore: wire.Some(0.25)}),
			sends: "POST /v1/retrieval/search", body: `{"corpus":"k","query":"q","sourceIds":["s"],"limit":1,"maxContextBytes":4,"minScore":0.25}`,
			answer: `{"corpus":"k","index":` + index + `,"hits":[` + hit + `],"truncated":false}`,
			wrong:  map[string]string{`"k"`: `"l"`, `0.5`: `0.125`, `"s"`: `"t"`, `"text":"text"`: `"text":"texts"`, `[{`: `[` + hit + `,{`, `"truncated"`: `"further":1,"truncated"`}},
		"indexContext": {call: with((*client.Client).IndexContext, &agenticdriver.RetrievalIndexRequest{Corpus: "k", Source: text, Chunks: []agenticdriver.Chunk{{ID: "c", Text: "text"}}}),
			sends: "POST /v1/retrieval/index", body: `{"corpus":"k","source":{"id":"s","revision":"1"},"chunks":[{"id":"c","text":"text"}]}`,
			answer: `{"corpus":"k","sourceId":"s","revision":"1","documentSha256":"` + zeros + `","chunks":1,"status":"indexed"}`, wrong: map[string]string{`"chunks":1`: `"chunks":2`, `"revision":"1"`: `"revision":"2"`}},
		"ingestContext": {call: with((*client.Client).IngestContext, &agenticdriver.IngestRequest{Corpus: "k", Document: &agenticdriver.TextDocument{Source: text, MediaType: agenticdriver.TextDocumentMediaTypeTextPlain, Text: "text"}}),
			sends: "POST /v1/retrieval/ingest", body: `{"corpus":"k","document":{"type":"text","source":{"id":"s","revision":"1"},"mediaType":"text/plain","text":"text"}}`,
			answer: `{"corpus":"k","sourceId":"s","revision":"1","documentSha256":"` + zeros + `","chunks":1,"status":"indexed","ingestion":` + ingest + `}`,
			wrong:  map[string]string{`"chunks":1,"status"`: `"chunks":2,"status"`, `"indexedTextBytes":4`: `"indexedTextBytes":5`, `"indexedTextBytes"`: `"messages":{"total":1,"empty":0},"indexedTextBytes"`, `"text"`: `"pdf"`}},
		"deleteContext": {call: with((*client.Client).DeleteContext, &agenticdriver.RetrievalDelete{Corpus: "k", SourceID: "s", Revision: "1"}), sends: "POST /v1/retrieval/delete",
			body: `{"corpus":"k","sourceId":"s","revision":"1"}`, answer: `{"corpus":"k","sourceId":"s","revision":"1","deleted":false}`, wrong: map[string]string{`"s"`: `"t"`}},
		"exchangeInvitation": {call: func(ctx context.Context, c *client.Client) error {
			_, err := c.ExchangeInvitation(ctx, secret)
			return err
		},
			sends: "POST /v1/connections/exchange", body: `{}`, answer: made + `,"token":"` + secret + `"}`, wrong: map[string]string{secret: "short"}},
		"createInvitation": {call: with((*client.Client).CreateInvitation, &agenticdriver.CreateInvitation{Grant: agenticdriver.Grant{Subject: "somebody", Providers: []string{"p"}}}),
			sends: "POST /v1/management/invitations", body: `{"grant":` + grant + `}`, answer: made + `,"code":"` + secret + `"}`, wrong: map[string]string{stamp: "yesterday"}},
		"listConnections":  {call: without((*client.Client).ListConnections), sends: "GET /v1/management/connections", answer: `{"invitations":[],"connections":[` + made + `}]}`, wrong: map[string]string{uuid: "1"}},
		"revokeConnection": {call: with((*client.Client).RevokeConnection, &agenticdriver.RevokeConnection{ID: uuid}), sends: "POST /v1/management/connections/revoke", body: `{"id":"` + uuid + `"}`, answer: `{"revoked":false}`, wrong: map[string]string{"false": "0"}},
		"readManagement":   {call: without((*client.Client).ReadManagement), sends: "GET /v1/management", answer: manage, wrong: map[string]string{zeros: "0"}},
		"configureProvider": {call: with((*client.Client).ConfigureProvider, &configure), sends: "POST /v1/management/providers", body: `{"revision":"` + zeros + `","provider":` + setting + `}`,
			answer: manage, wrong: map[string]string{`"id":"p"`: `"id":"q"`}},
		"setUpProvider": {call: func(ctx context.Context, c *client.Client) error {
			_, err := c.SetUpProvider(ctx, &agenticdriver.ReadSetup{ID: uuid})
			return err
		}, sends: "POST /v1/management/setup", body: `{"action":"status","id":"` + uuid + `"}`, answer: `{"version":1,"attempts":[` + attempt + `]}`, wrong: map[string]string{uuid: other, `[{`: `[` + attempt + `,{`}},
	}
}

// page is the page of a job that has ended with its second event.
func page() string {
	ended := strings.NewReplacer(`"queued"`, `"completed"`, `"cursor":0`, `"cursor":2`, `"cancelRequested"`, `"expiresAt":"`+later+`","cancelRequested"`).Replace(job)
	list := strings.ReplaceAll(event(1, started)+","+event(2, completed), `"r"`, `"`+other+`"`)
	return `{"job":` + ended + `,"events":[` + list + `],"nextCursor":2,"hasMore":false}`
}

var wrongPages = map[string]string{
	`"nextCursor":2`:                `"nextCursor":1`,
	`"hasMore":false`:               `"hasMore":true`,
	`"sequence":2`:                  `"sequence":3`,
	`"state":"completed"`:           `"state":"failed"`,
	`"cursor":2`:                    `"cursor":3`,
	`"type":"run.completed"`:        `"type":"run.done","optional":true`,
	`"events":[`:                    `"events":[{"type":"run.progress","phase":"model","runId":"` + other + `","sequence":1,` + at + `},`,
	`"model":"m","state"`:           `"model":"n","state"`,
	`"runId":"` + other + `","seq`:  `"runId":"` + uuid + `","seq`,
	`"id":"` + uuid + `","runId":"`: `"id":"` + other + `","runId":"`,
}

func TestOperationsSendWhatTheyAreAskedToAndTakeWhatTheyShould(t *testing.T) {
	all := operations(t)
	for _, o := range agenticdriver.Operations {
		if _, ok := all[o.ID]; !ok {
			t.Errorf("%s is not tested", o.ID)
		}
	}
	for name, o := range all {
		h := newHost(t, answer("200 OK", o.answer, "AgenticDriver-Version: 1.0"))
		if err := o.call(t.Context(), h.client(t)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		q, body := h.last(t)
		if got := q.Method + " " + q.RequestURI; got != o.sends || body != o.body {
			t.Errorf("%s sends %s %s, expected %s %s", name, got, body, o.sends, o.body)
		}
		authorization, contentType := "Bearer "+token, "application/json"
		switch name {
		case "health":
			authorization = ""
		case "exchangeInvitation":
			authorization = "Bearer " + secret
		}
		if o.body == "" {
			contentType = ""
		}
		for header, want := range map[string]string{
			"Authorization": authorization, "Content-Type": contentType, "Accept": "application/json", "Cookie": "",
			"AgenticDriver-Version": "1.0", "AgenticDriver-Accept-Optional-Events": "true", "Accept-Encoding": "",
		} {
			if got := q.Header.Get(header); got != want {
				t.Errorf("%s sends %s: %q, expected %q", name, header, got, want)
			}
		}
	}
}

func TestAnswersThatDoNotFitAreRefused(t *testing.T) {
	for name, o := range operations(t) {
		for old, changed := range o.wrong {
			if !strings.Contains(o.answer, old) {
				t.Errorf("%s: %s is not in the answer", name, old)
			}
			h := newHost(t, answer("200 OK", strings.Replace(o.answer, old, changed, 1)))
			if got := code(t, o.call(t.Context(), h.client(t))); got != "INVALID_RESPONSE" {
				t.Errorf("%s with %s: %q", name, changed, got)
			}
		}
	}
}

func TestMembersThatOnlyDifferInCaseAreOthers(t *testing.T) {
	h := newHost(t, answer("200 OK", strings.Replace(job, `{"id"`, `{"ID":"x","Cursor":7,"id"`, 1)))
	v, err := h.client(t).ReadJob(t.Context(), &agenticdriver.JobIdentity{ID: uuid})
	if err != nil || v.ID != uuid || v.Cursor != 0 {
		t.Errorf("%+v %v", v, err)
	}
}

func TestRunsThatNeedAStreamAreNotSentWithoutOne(t *testing.T) {
	for want, change := range map[string]func(*agenticdriver.RunRequest){
		"APPROVAL_STREAM_REQUIRED": func(q *agenticdriver.RunRequest) {
			q.Approvals = &agenticdriver.ApprovalPolicy{IdlePolicy: agenticdriver.IdlePolicyPause}
		},
		"TOOL_STREAM_REQUIRED": func(q *agenticdriver.RunRequest) {
			q.ApplicationTools = []agenticdriver.ApplicationToolDefinition{{Name: "n"}}
		},
		"INVALID_REQUEST": func(q *agenticdriver.RunRequest) { q.Input = "" },
	} {
		h := newHost(t)
		q := request()
		change(q)
		if _, err := h.client(t).Run(t.Context(), q); code(t, err) != want || h.count() != 0 {
			t.Errorf("%v, %d requests; expected %s and none", err, h.count(), want)
		}
	}
}

func TestRetrievedEvidenceMustFitItsHits(t *testing.T) {
	q := request()
	q.Retrieval = &agenticdriver.RunRetrieval{Corpus: "k"}
	src := `{"id":"c","revision":"1","location":{"documentId":"s"},"mediaType":"text/plain","bytes":4,"sha256":"` + zeros + `","origin":"retrieval"}`
	right := strings.Replace(result, `"usage"`, `"sources":[`+src+`],"retrieval":{"corpus":"k","index":`+index+`,"hits":[`+hit+`],"truncated":false},"usage"`, 1)
	for old, changed := range map[string]string{
		"":                  "",
		`"bytes":4`:         `"bytes":5`,
		`"documentId":"s"`:  `"documentId":"t"`,
		`"origin"`:          `"expiresAt":"` + stamp + `","origin"`,
		`"retrieval"}],`:    `"inline"}],`,
		`"id":"c"`:          `"id":"d"`,
		`"sources":[` + src: `"sources":[`,
		`"corpus":"k"`:      `"corpus":"l"`,
	} {
		want := "INVALID_RESPONSE"
		if old == "" || strings.Contains(changed, "expiresAt") {
			want = ""
		}
		h := newHost(t, answer("200 OK", strings.Replace(right, old, changed, 1)))
		if _, err := h.client(t).Run(t.Context(), q); code(t, err) != want {
			t.Errorf("%s: %v, expected %q", changed, err, want)
		}
	}
}

func TestOperationsAreInvokedByIDAlike(t *testing.T) {
	for name, o := range operations(t) {
		h := newHost(t, answer("200 OK", o.answer))
		request, bearer := []byte(o.body), token
		switch name {
		case "listProviders":
			request = []byte(`{"refresh":true}`)
		case "exchangeInvitation":
			bearer = secret
		}
		c, err := client.New(h.url, client.Options{Token: bearer})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Invoke(t.Context(), name, request)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		q, body := h.last(t)
		if line := q.Method + " " + q.RequestURI; line != o.sends || body != o.body {
			t.Errorf("%s sends %s %s, expected %s %s", name, line, body, o.sends, o.body)
		}
		if !wire.Equal(got, []byte(o.answer)) {
			t.Errorf("%s gives %s, expected %s", name, got, o.answer)
		}
		if o.body != "" && name != "exchangeInvitation" {
			if _, err := c.Invoke(t.Context(), name, []byte(`{"further":1}`)); code(t, err) != "INVALID_REQUEST" {
				t.Errorf("%s with a request that breaks the document: %v", name, err)
			}
		}
	}
	c, err := client.New("http://localhost", client.Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Invoke(t.Context(), "fly", nil); code(t, err) != "INVALID_REQUEST" {
		t.Error(err)
	}
	if _, err := c.StreamJSON(t.Context(), []byte("{}")); code(t, err) != "INVALID_REQUEST" {
		t.Error(err)
	}
}

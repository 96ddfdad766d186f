package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/standin/model"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
)

func TestRecordsWhatTheClientSent(t *testing.T) {
	server := start(t, `{"dialect":"openai","base":"/a/b","turns":[{"text":"hi"}]}`)
	if got := ask(t, server, completions+"?q=1", chat("hello", "fs__read")); got.text != "hi" || !got.done {
		t.Fatalf("got %+v", got)
	}
	e := await(t, server, model.KindRequest)
	if e["path"] != "/a/b/chat/completions" || e["query"] != "q=1" || e["method"] != "POST" || e["turn"] != 0.0 ||
		e["user"] != "hello" || e["model"] != "m" || e["tools"].([]any)[0] != "fs__read" || e["standIn"] != "model" {
		t.Errorf("got %v", e)
	}
	if h := e["headers"].(map[string]any); h["authorization"] != "Bearer k" {
		t.Errorf("headers %v", h)
	}
	if body := e["body"].(map[string]any); body["stream"] != true {
		t.Errorf("body %v", body)
	}
	if f := await(t, server, model.KindFinished); f["request"] != 1.0 || f["chunks"] != 1.0 || f["status"] != 200.0 {
		t.Errorf("got %v", f)
	}
}

func TestTakesTurnsInOrderAndTellsWhenNoneIsLeft(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"text":"one"},{"text":"two","times":2},{"when":"never","text":"x"}]}`)
	var texts []string
	for range 3 {
		texts = append(texts, ask(t, server, completions, chat("q")).text)
	}
	if got := strings.Join(texts, " "); got != "one two two" {
		t.Errorf("got %s", got)
	}
	if unused := server.Unused(); len(unused) != 1 || unused[0] != 2 {
		t.Errorf("unused %v", unused)
	}
	if got := ask(t, server, completions, chat("q")); got.status != 400 || got.failure == nil {
		t.Errorf("got %+v", got)
	}
	if e := await(t, server, model.KindExhausted); e["request"] != 4.0 || e["reason"] == "" {
		t.Errorf("got %v", e)
	}
}

func TestSelectorsGiveEachRunItsOwnStory(t *testing.T) {
	server := start(t, `{"dialect":"ollama","turns":[
		{"when":"beta","text":"b1"},{"when":{"equals":"alpha"},"text":"a1"},{"when":"beta","text":"b2"},
		{"when":{"contains":"a","model":"other"},"text":"wrong"},{"text":"rest","always":true}]}`)
	for i, c := range []struct{ user, want string }{
		{"alpha", "a1"}, {"to beta", "b1"}, {"to beta", "b2"}, {"to beta", "rest"}, {"alpha", "rest"},
	} {
		if got := ask(t, server, apiChat, chat(c.user)); got.text != c.want {
			t.Errorf("request %d (%s): got %q, want %q", i+1, c.user, got.text, c.want)
		}
	}
	if unused := server.Unused(); len(unused) != 1 || unused[0] != 3 {
		t.Errorf("unused %v", unused)
	}
}

func TestSelectorsReadContentInParts(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"when":"in parts","text":"found"}]}`)
	body := `{"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"said in parts"},{"type":"image_url","image_url":{"url":"x"}}]},{"role":"assistant","content":"x"}]}`
	if got := ask(t, server, completions, body); got.text != "found" {
		t.Errorf("got %+v", got)
	}
}

func TestErrorsByStatusCarryBodyAndHeaders(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"status":429,"times":3},{"status":401,"body":{"x":1}},{"status":503,"body":"busy","headers":{"Retry-After":"7"}}]}`)
	for _, c := range []struct {
		status                int
		body, header, header2 string
	}{
		{429, `"rate_limit_error"`, "1", ""}, {429, "scripted status 429", "1", ""}, {429, "", "1", ""},
		{401, `{"x":1}`, "", ""}, {503, `busy`, "1", "7"},
	} {
		resp, err := post(t, bounded(t), server.BaseURL()+completions, chat("q"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(data), c.body) ||
			resp.Header.Get("retry-after-ms") != c.header || resp.Header.Get("retry-after") != c.header2 {
			t.Errorf("got %d %v %s, %v; want %+v", resp.StatusCode, resp.Header, data, err, c)
		}
	}
}

func TestErrorsInsideTheStream(t *testing.T) {
	for _, c := range []struct{ dialect, turn, want string }{
		{"openai", `{"text":"a","error":"overloaded"}`, `{"code":null,"message":"overloaded","type":"server_error"}`},
		{"openai", "{\"text\":\"a\",\"error\":{\"error\":\n{\"x\": 1}}}", `{"x":1}`},
		{"ollama", `{"text":"a","error":"overloaded"}`, `"overloaded"`},
		{"ollama", `{"deltas":["a",{"raw":"{broken"}],"unfinished":true}`, `"malformed: {broken"`},
		{"openai", `{"text":"a","unfinished":true}`, `null`},
	} {
		server := start(t, `{"dialect":"`+c.dialect+`","turns":[`+c.turn+`]}`)
		path := map[string]string{"openai": completions, "ollama": apiChat}[c.dialect]
		got := ask(t, server, path, chat("q"))
		if data, _ := json.Marshal(got.failure); string(data) != c.want || got.text != "a" || got.done || got.err != nil {
			t.Errorf("%s %s: got %s, %+v", c.dialect, c.turn, data, got)
		}
		await(t, server, model.KindFinished)
	}
}

func TestGatesHoldBackWhatFollows(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"wait":"first","deltas":["a",{"wait":"second","text":"b"},{"wait":"third"}]}]}`)
	type outcome struct {
		reply reply
		err   error
	}
	answered := make(chan outcome, 1)
	go func() {
		resp, err := post(t, context.Background(), server.BaseURL()+completions, chat("q"))
		if err != nil {
			answered <- outcome{err: err}
			return
		}
		answered <- outcome{reply: read(t, resp)}
	}()
	for i, name := range []string{"first", "second", "third"} {
		e := await(t, server, model.KindWaiting)
		if e["gate"] != name || e["chunks"] != float64(i) {
			t.Fatalf("got %v, want gate %s", e, name)
		}
		server.Gates().Release(name)
	}
	if got := <-answered; got.err != nil || got.reply.text != "ab" || !got.reply.done {
		t.Errorf("got %+v", got)
	}
}

func TestNoticesThatTheClientLeft(t *testing.T) {
	for _, c := range []struct {
		name, turn, at string
		chunks         float64
	}{
		{"while stalled before the headers", `{"stall":true}`, model.KindStalled, 0},
		{"while stalled in the middle", `{"chunks":2,"stall":true}`, model.KindStalled, 2},
		{"at a gate before the headers", `{"wait":"g"}`, model.KindWaiting, 0},
		{"at a gate in the middle", `{"deltas":["a",{"wait":"g"}]}`, model.KindWaiting, 1},
	} {
		for dialect, path := range map[string]string{"openai": completions, "ollama": apiChat} {
			t.Run(c.name+" "+dialect, func(t *testing.T) {
				server := start(t, `{"dialect":"`+dialect+`","turns":[`+c.turn+`]}`)
				ctx, leave := context.WithCancel(bounded(t))
				ended := make(chan error, 1)
				go func() {
					resp, err := post(t, ctx, server.BaseURL()+path, chat("q"))
					if err == nil {
						err = read(t, resp).err
					}
					ended <- err
				}()
				await(t, server, c.at)
				leave()
				if e := await(t, server, model.KindClosed); e["request"] != 1.0 || e["chunks"] != c.chunks {
					t.Errorf("got %v", e)
				}
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("the client got %v", err)
				}
			})
		}
	}
}

func TestCutsTheConnection(t *testing.T) {
	for _, c := range []struct {
		name, turn string
		early      bool
		text       string
	}{
		{"before the headers", `{"text":"a","cut":0}`, true, ""},
		{"by reset", `{"cut":0,"reset":true}`, true, ""},
		{"after two chunks", `{"deltas":["a","b","c"],"cut":2}`, false, "ab"},
		{"after all chunks", `{"deltas":["a","b","c"],"cut":9}`, false, "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := start(t, `{"dialect":"openai","turns":[`+c.turn+`]}`)
			resp, err := post(t, bounded(t), server.BaseURL()+completions, chat("q"))
			if (err != nil) != c.early {
				t.Fatalf("got %v", err)
			}
			if err == nil {
				if got := read(t, resp); got.text != c.text || got.done || !errors.Is(got.err, io.ErrUnexpectedEOF) {
					t.Errorf("got %+v", got)
				}
			}
			if e := await(t, server, model.KindCut); e["chunks"] != float64(len(c.text)) {
				t.Errorf("got %v", e)
			}
		})
	}
}

func TestRefusesConnections(t *testing.T) {
	server := start(t, `{"dialect":"openai","refuse":true}`)
	if _, err := post(t, bounded(t), server.BaseURL()+completions, chat("q")); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
}

func TestListsModels(t *testing.T) {
	for _, c := range []struct{ script, path, want string }{
		{`{"dialect":"openai"}`, "/models", `{"data":[{"created":0,"id":"stand-in","object":"model","owned_by":"stand-in"}],"object":"list"}`},
		{`{"dialect":"openai","models":[]}`, "/models", `{"data":[],"object":"list"}`},
		{`{"dialect":"openai","models":["a",{"id":"b","with":{"created":null,"n":[1]}}]}`, "/models",
			`{"data":[{"created":0,"id":"a","object":"model","owned_by":"stand-in"},{"id":"b","n":[1],"object":"model","owned_by":"stand-in"}],"object":"list"}`},
		{`{"dialect":"ollama","models":[{"id":"a","with":{"model":null,"modified_at":null,"size":null}}]}`, "/api/tags", `{"models":[{"name":"a"}]}`},
		{`{"dialect":"ollama"}`, "/api/version", `{"version":"0.9.0"}`},
		{`{"dialect":"ollama","version":"1.2"}`, "/api/version", `{"version":"1.2"}`},
	} {
		server := start(t, c.script)
		if status, body := get(t, server.BaseURL()+c.path); status != 200 || body != c.want {
			t.Errorf("%s: got %d %s\nwant %s", c.script, status, body, c.want)
		}
		if e := await(t, server, model.KindRequest); e["method"] != "GET" || e["turn"] != nil {
			t.Errorf("got %v", e)
		}
	}
}

func TestProbesAreAnsweredAsScripted(t *testing.T) {
	server := start(t, `{"dialect":"openai","probes":[{"status":401},{"status":418,"body":"tea"},{"wait":"g","headers":{"x":"y"}},{"cut":true}]}`)
	server.Gates().Release("g")
	for _, want := range []struct {
		status int
		body   string
	}{{401, "authentication_error"}, {418, "tea"}, {200, "stand-in"}} {
		if status, body := get(t, server.BaseURL()+"/models"); status != want.status || !strings.Contains(body, want.body) {
			t.Errorf("got %d %s, want %+v", status, body, want)
		}
	}
	if _, err := post(t, bounded(t), server.BaseURL()+"/models", ""); err != nil {
		t.Fatal(err)
	}
	await(t, server, model.KindUnexpected)
	r, err := http.NewRequestWithContext(bounded(t), http.MethodPut, server.BaseURL()+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultTransport.RoundTrip(r); err != nil || resp.StatusCode != 404 {
		t.Errorf("got %v, %v", resp, err)
	}
	await(t, server, model.KindUnexpected)
	// The transport repeats a GET on a connection that was in use before; a fresh client does not.
	fresh := &http.Transport{DisableKeepAlives: true}
	r, err = http.NewRequestWithContext(bounded(t), http.MethodGet, server.BaseURL()+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fresh.RoundTrip(r); err == nil {
		t.Error("the connection was not cut")
	}
	await(t, server, model.KindCut)
	if status, _ := get(t, server.BaseURL()+"/models"); status != 400 {
		t.Errorf("got %d", status)
	}
	await(t, server, model.KindExhausted)
}

func TestEveryProbeStallsUntilTheClientLeaves(t *testing.T) {
	server := start(t, `{"dialect":"ollama","probe":{"stall":true}}`)
	for range 2 {
		ctx, leave := context.WithCancel(bounded(t))
		ended := make(chan error, 1)
		go func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.BaseURL()+"/api/tags", nil)
			if err == nil {
				_, err = http.DefaultTransport.RoundTrip(r)
			}
			ended <- err
		}()
		await(t, server, model.KindStalled)
		leave()
		await(t, server, model.KindClosed)
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestUnexpectedRequestsAreAnsweredAndRecorded(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"text":"x"}]}`)
	if status, body := get(t, server.URL()+"/models"); status != 404 || !strings.Contains(body, "error") {
		t.Errorf("the base path is not checked: got %d %s", status, body)
	}
	if e := await(t, server, model.KindUnexpected); e["reason"] != "no such operation: GET /models" {
		t.Errorf("got %v", e)
	}
	if got := ask(t, server, completions, "{broken"); got.status != 400 {
		t.Errorf("got %+v", got)
	}
	await(t, server, model.KindUnexpected)
	await(t, server, model.KindRequest)
	if e := await(t, server, model.KindRequest); e["text"] != "{broken" || e["body"] != nil {
		t.Errorf("got %v", e)
	}
}

func TestLargeBodiesArriveIntact(t *testing.T) {
	server := start(t, `{"dialect":"openai","turns":[{"text":"ok"}]}`)
	big := strings.Repeat("0123456789abcdef", 1<<18)
	if got := ask(t, server, completions, chat(big)); got.text != "ok" {
		t.Fatalf("got %+v", got)
	}
	e, err := server.Recorder().Await(bounded(t), func(e record.Event) bool { return e.Kind == model.KindRequest })
	if err != nil {
		t.Fatal(err)
	}
	if seen := e.Detail.(*model.Request); seen.User != big || len(seen.Body) != seen.Size {
		t.Errorf("the text of the user message arrived damaged; %d bytes", seen.Size)
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	server := start(t, `{"dialect":"openai","turns":[{"when":"stall","chunks":1,"stall":true,"always":true},{"when":"gate","wait":"never","always":true},{"text":"x","always":true}]}`)
	client := &http.Transport{}
	ended := make(chan struct{}, 12)
	for range 4 {
		for _, user := range []string{"stall", "gate", "plain"} {
			go func() {
				defer func() { ended <- struct{}{} }()
				r, err := http.NewRequest(http.MethodPost, server.BaseURL()+completions, strings.NewReader(chat(user)))
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := client.RoundTrip(r)
				if err != nil {
					return // the gate: closed before the headers
				}
				if got := read(t, resp); (user == "plain") != got.done {
					t.Errorf("%s: got %+v", user, got)
				}
			}()
		}
	}
	for range 4 {
		await(t, server, model.KindStalled)
		await(t, server, model.KindWaiting)
		await(t, server, model.KindFinished)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	for range 12 {
		<-ended
	}
	client.CloseIdleConnections()
	if n := server.Recorder().Count(func(e record.Event) bool { return e.Kind == model.KindClosed }); n != 0 {
		t.Errorf("%d clients were said to have left; it was the server that closed", n)
	}
	noGoroutine(t, "standin/model.(*", "net/http.(*conn).serve")
}

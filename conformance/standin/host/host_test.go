package host

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/standin/gate"
	"github.com/hallmark-kit/hallmark/conformance/standin/record"
	"github.com/hallmark-kit/hallmark/conformance/standin/script"
)

const patience = time.Minute

// play starts a host with a script.
func play(t *testing.T, text string) (*Server, *record.Reader, *gate.Set) {
	t.Helper()
	s, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	recorder, gates := record.New(), gate.New()
	reader := recorder.Reader()
	server, err := Start(s, Options{Name: "host", Recorder: recorder, Gates: gates})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close(); recorder.Close() })
	return server, reader, gates
}

// ask sends a request and reads everything that comes back.
func ask(t *testing.T, s *Server, request string) string {
	t.Helper()
	return rest(t, begin(t, s, request))
}

func begin(t *testing.T, s *Server, request string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	return conn
}

func rest(t *testing.T, conn net.Conn) string {
	t.Helper()
	data, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	return string(data)
}

// recorded is the next recording, as JSON.
func recorded(t *testing.T, r *record.Reader) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	e, err := r.Await(ctx, func(record.Event) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	detail, err := json.Marshal(e.Detail)
	if err != nil {
		t.Fatal(err)
	}
	return e.Kind + " " + string(detail)
}

const get = "GET /x HTTP/1.1\r\nHost: h\r\nA: 1\r\nA: 2\r\n\r\n"

func TestAnswersAreSentAsTheScriptSays(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
	for name, c := range map[string]struct{ answer, want string }{
		"body":           {`"body": {"a": 1}`, head + "application/json; charset=utf-8\r\n\r\n{\"a\": 1}"},
		"padded":         {`"body": 1, "pad": 3`, head + "application/json; charset=utf-8\r\n\r\n1  "},
		"bytes":          {`"bytes": {"base64": "/wA=", "times": 2}`, head + "application/json; charset=utf-8\r\n\r\n\xff\x00\xff\x00"},
		"status":         {`"status": 302, "headers": {"content-type": null, "Location": "/y", "X": ["1", "2"]}`, "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /y\r\nX: 1\r\nX: 2\r\n\r\n"},
		"events":         {`"events": [{"event": {"t": 1}}, {"bytes": ": c\n\n"}, {"event": {"r": "own", "n": 9}}]`, head + "text/event-stream; charset=utf-8\r\n\r\ndata: {\"t\": 1,\"n\":1,\"r\":\"each\"}\n\n: c\n\ndata: {\"r\": \"own\", \"n\": 9}\n\n"},
		"CR LF":          {`"events": [{"event": {}}], "line end": "crlf", "split every": 1`, head + "text/event-stream; charset=utf-8\r\n\r\ndata: {\"n\":1,\"r\":\"each\"}\r\n\r\n"},
		"CR":             {`"events": [{"event": {}}], "line end": "cr"`, head + "text/event-stream; charset=utf-8\r\n\r\ndata: {\"n\":1,\"r\":\"each\"}\r\r"},
		"no events":      {`"events": []`, head + "text/event-stream; charset=utf-8\r\n\r\n"},
		"nothing at all": {`"nothing": true`, ""},
	} {
		server, reader, _ := play(t, `{"each": {"r": "each"}, "count": "n", "answers": [{"to": "GET /x", `+c.answer+`}]}`)
		if got := ask(t, server, get); got != c.want {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
		if got := recorded(t, reader); got != `request {"n":1,"method":"GET","target":"/x","headers":{"a":"1, 2"}}` {
			t.Errorf("%s: %s", name, got)
		}
		if got := recorded(t, reader); got != `sent {"n":1}` {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestRequestsAreAnsweredInOrderAndOthersNotAtAll(t *testing.T) {
	server, reader, _ := play(t, `{"prefix": "/p", "answers": [{"to": "POST /x", "body": 1}, {"to": "GET /y", "body": 2}]}`)
	post := func(body string) string {
		return fmt.Sprintf("POST /p/x HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	for _, step := range []struct{ request, answer, recording string }{
		{strings.Replace(post("{}"), "/p/x", "/x", 1), "", `unexpected {"n":1,"method":"POST","target":"/x","headers":{"content-length":"2"},"body":{}}`},
		{post(`{"a":1}`), "1", `request {"n":1,"method":"POST","target":"/p/x","headers":{"content-length":"7"},"body":{"a":1}}`},
		{post("no"), "", `unexpected {"n":2,"method":"POST","target":"/p/x","headers":{"content-length":"2"},"text":"no"}`},
		{"GET /p/y HTTP/1.1\r\nHost: h\r\n\r\n", "2", `request {"n":2,"method":"GET","target":"/p/y","headers":{}}`},
		{"GET /p/y HTTP/1.1\r\nHost: h\r\n\r\n", "", `unexpected {"n":3,"method":"GET","target":"/p/y","headers":{}}`},
	} {
		_, body, _ := strings.Cut(ask(t, server, step.request), "\r\n\r\n")
		if body != step.answer {
			t.Errorf("%q is answered with %q, expected %q", step.request, body, step.answer)
		}
		if got := recorded(t, reader); got != step.recording {
			t.Errorf("%s, expected %s", got, step.recording)
		}
		if step.answer != "" {
			recorded(t, reader) // sent
		}
	}
}

func TestAClientThatLeavesIsNoticed(t *testing.T) {
	for name, text := range map[string]string{
		"held":      `{"answers": [{"to": "GET /x", "body": 1, "then": "hold"}]}`,
		"at a gate": `{"answers": [{"to": "GET /x", "events": [{"event": {}}, {"event": {}, "wait": "g"}]}]}`,
	} {
		server, reader, _ := play(t, text)
		conn := begin(t, server, get)
		if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		recorded(t, reader) // request
		if name == "held" {
			recorded(t, reader) // sent
		}
		if got := recorded(t, reader); got != `left {"n":1}` {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAGateHoldsTheRestBack(t *testing.T) {
	server, _, gates := play(t, `{"answers": [{"to": "GET /x", "events": [{"event": {"a":1}}, {"event": {"b":2}, "wait": "g"}]}]}`)
	conn := begin(t, server, get)
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "data:") {
			break
		}
	}
	gates.Release("g")
	more, err := io.ReadAll(in)
	if err != nil || string(more) != "\ndata: {\"b\":2}\n\n" {
		t.Errorf("%q %v", more, err)
	}
}

func TestAResetIsOne(t *testing.T) {
	server, _, _ := play(t, `{"answers": [{"to": "GET /x", "nothing": true, "then": "reset"}]}`)
	conn := begin(t, server, get)
	if data, err := io.ReadAll(conn); err == nil {
		t.Errorf("the connection ended in order with %q", data)
	}
}

func TestCertificates(t *testing.T) {
	for kind, want := range map[string]bool{TLSRight: true, TLSOtherName: false} {
		server, _, _ := play(t, `{"tls": "`+kind+`", "answers": [{"to": "GET /x", "body": 1}]}`)
		if !strings.HasPrefix(server.URL(), "https://127.0.0.1:") {
			t.Errorf("URL %s", server.URL())
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM([]byte(server.CA())) {
			t.Fatal("the authority is no certificate")
		}
		c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}, Timeout: patience}
		a, err := c.Get(server.URL() + "/x")
		if (err == nil) != want {
			t.Errorf("%s: %v", kind, err)
		}
		if err == nil {
			_ = a.Body.Close()
		}
	}
}

func TestScriptsThatNobodyCouldMean(t *testing.T) {
	for text, want := range map[string]string{
		`{"prefix": "x"}`:             "/prefix: expected a path with a slash in front and none behind",
		`{"tls": "yes"}`:              "/tls: expected right or other name",
		`{"headers": {"A": 1}}`:       "/headers/A: expected a text, a list of texts or null",
		`{"answers": [{"to": "/x"}]}`: "/answers/0/to: expected METHOD TARGET of the request, such as POST /v1/runs",
		`{"answers": [{"to": "GET /x", "body": 1, "bytes": "2"}]}`:             "/answers/0: expected one of body, events, bytes and nothing",
		`{"answers": [{"to": "GET /x", "status": 100}]}`:                       "/answers/0/status: expected a status from 200 to 599",
		`{"answers": [{"to": "GET /x", "invalid": "type at /a"}]}`:             "/answers/0/invalid: invalid speaks of the body, and there is none; say it of the event",
		`{"answers": [{"to": "GET /x", "then": "wait"}]}`:                      "/answers/0/then: expected close, hold or reset",
		`{"answers": [{"to": "GET /x", "line end": "both"}]}`:                  "/answers/0/line end: expected lf, crlf or cr",
		`{"answers": [{"to": "GET /x", "events": [{}]}]}`:                      "/answers/0/events/0: expected either event or bytes",
		`{"answers": [{"to": "GET /x", "events": [{"event": 1}]}]}`:            "/answers/0/events/0/event: expected an object; bytes sends what is none",
		`{"answers": [{"to": "GET /x", "bytes": {"base64": "?"}}]}`:            "/answers/0/bytes/base64: expected base64 with padding: illegal base64 data at input byte 0",
		`{"answers": [{"to": "GET /x", "bytes": {"text": "x", "times": -1}}]}`: "/answers/0/bytes/times: expected a number that makes at most 64 MiB",
	} {
		_, err := Decode([]byte(text))
		var wrong *script.Error
		if !errors.As(err, &wrong) || wrong.Error() != want {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}

func TestWhatIsAlwaysAnsweredDoesNotTakeTheNextAnswer(t *testing.T) {
	server, reader, _ := play(t, `{"prefix": "/p", "always": [{"to": "GET /v", "body": 0}], "answers": [{"to": "GET /x", "body": 1}, {"to": "GET /v", "body": 2}]}`)
	for _, step := range []struct{ target, answer, recording string }{
		{"/p/v", "0", `aside {"method":"GET","target":"/p/v","headers":{}}`},
		{"/v", "", `unexpected {"n":1,"method":"GET","target":"/v","headers":{}}`},
		{"/p/x", "1", `request {"n":1,"method":"GET","target":"/p/x","headers":{}}`},
		{"/p/v", "2", `request {"n":2,"method":"GET","target":"/p/v","headers":{}}`},
		{"/p/v", "0", `aside {"method":"GET","target":"/p/v","headers":{}}`},
	} {
		_, body, _ := strings.Cut(ask(t, server, "GET "+step.target+" HTTP/1.1\r\nHost: h\r\n\r\n"), "\r\n\r\n")
		if body != step.answer {
			t.Errorf("%s is answered with %q, expected %q", step.target, body, step.answer)
		}
		got := recorded(t, reader)
		if got != step.recording {
			t.Errorf("%s, expected %s", got, step.recording)
		}
		if strings.HasPrefix(got, "request") {
			recorded(t, reader) // sent
		}
	}
}

package web

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/transport/stdio"
)

const patience = time.Minute

// server answers one connection after the other with these bytes, written piece by piece, and closes it.
func server(t *testing.T, pieces ...string) *Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			peer, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = peer.Read(make([]byte, 4096))
			for _, p := range pieces {
				_, _ = io.WriteString(peer, p)
			}
			_ = peer.Close()
		}
	}()
	return reach(t, "http://"+l.Addr().String())
}

func reach(t *testing.T, url string) *Conn {
	t.Helper()
	c, err := Reach(url, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Release)
	return c
}

// told lists what comes of an exchange, until it is over or answered.
func told(t *testing.T, c *Conn) []string {
	t.Helper()
	var out []string
	limit := time.After(patience)
	for {
		select {
		case e := <-c.Events():
			switch e.Kind {
			case transport.Head:
				out = append(out, "head")
			case transport.Framed:
				out = append(out, fmt.Sprintf("%s %s %q %d", e.Frame.ID, e.Frame.Event, e.Frame.Data, e.Frame.Bytes))
			case transport.Idle:
				out = append(out, "idle")
			case transport.Body:
				return append(out, fmt.Sprintf("%d %s", e.Answer.Status, e.Answer.Body))
			case transport.Over:
				return append(out, "over "+e.Reason)
			}
		case <-limit:
			t.Fatalf("nothing more came after %q", out)
		}
	}
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

func TestFramesAreReadHoweverTheyAreWritten(t *testing.T) {
	cases := map[string]struct{ stream, want string }{
		"LF":                 {"id: 1\nevent: e\ndata: x\n\n", `head|1 e "x" 20|over `},
		"CR LF":              {"id: 1\r\nevent: e\r\ndata: x\r\n\r\n", `head|1 e "x" 20|over `},
		"CR":                 {"id: 1\revent: e\rdata: x\r\r", `head|1 e "x" 20|over `},
		"lines of data":      {"data: x\ndata:y\n\n", `head|  "x\ny" 13|over `},
		"comment":            {": hello\n\ndata: x\n\n", `head|idle|  "x" 7|over `},
		"byte order mark":    {"\uFEFFdata: x\n\n", `head|  "x" 7|over `},
		"blank lines":        {"\n\n\ndata: x\n\n\n", `head|  "x" 7|over `},
		"two":                {"data: x\n\ndata: ü\n\n", `head|  "x" 7|  "ü" 8|over `},
		"empty":              {"", "head|over "},
		"frame without end":  {"data: x\n\ndata: y\n", `head|  "x" 7|over the stream ended in the middle of a frame`},
		"line without end":   {"data: x", "head|over the stream ended in the middle of a frame"},
		"data without colon": {"data\n\n", `head|  "" 4|over `},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			whole := server(t, head+c.stream)
			whole.Call(1, transport.Request{Method: "GET", Target: "/"})
			if got := strings.Join(told(t, whole), "|"); got != c.want {
				t.Errorf("in one piece: %s, expected %s", got, c.want)
			}
			bytes := server(t, strings.Split(head+c.stream, "")...)
			bytes.Call(1, transport.Request{Method: "GET", Target: "/"})
			if got := strings.Join(told(t, bytes), "|"); got != c.want {
				t.Errorf("byte by byte: %s, expected %s", got, c.want)
			}
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	cases := map[string]struct{ answer, want string }{
		"nothing":         {"", "over the connection was closed without an answer: end of the connection"},
		"no HTTP":         {"hello\r\n\r\n", "over the connection was closed without an answer: malformed HTTP"},
		"half a body":     {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "over the connection broke in the middle of the answer: end of the connection"},
		"half a chunk":    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", "over the connection broke in the middle of the answer: end of the connection"},
		"stream cut":      {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: x\n\n\r\n", "head|  \"x\" 7|over the connection broke in the middle of the stream: end of the connection"},
		"told to go on":   {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", "404 no"},
		"until it closes": {"HTTP/1.1 200 OK\r\n\r\nall", "200 all"},
	}
	for name, c := range cases {
		conn := server(t, c.answer)
		conn.Call(1, transport.Request{Method: "GET", Target: "/"})
		if got := strings.Join(told(t, conn), "|"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, expected %s", name, got, c.want)
		}
	}
}

func TestRequestsAreWrittenAsTheyAreAskedFor(t *testing.T) {
	c := &Conn{host: "h:1", prefix: "/x"}
	body := [][]byte{[]byte("ab"), nil, []byte("c")}
	cases := map[string]struct {
		request transport.Request
		want    string
	}{
		"no body":   {transport.Request{Method: "GET", Target: "/v1?a=%20", Header: [][2]string{{"A", "1"}, {"A", "2"}}}, "GET /x/v1?a=%20 HTTP/1.1\r\nHost: h:1\r\nA: 1\r\nA: 2\r\n\r\n"},
		"with":      {transport.Request{Method: "POST", Target: "/", Body: body}, "POST /x/ HTTP/1.1\r\nHost: h:1\r\nContent-Length: 3\r\n\r\n|ab||c"},
		"empty":     {transport.Request{Method: "POST", Target: "/", Body: [][]byte{{}}}, "POST /x/ HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n"},
		"in chunks": {transport.Request{Method: "POST", Target: "/", Body: body, Chunked: true}, "POST /x/ HTTP/1.1\r\nHost: h:1\r\nTransfer-Encoding: chunked\r\n\r\n|2\r\nab\r\n|1\r\nc\r\n|0\r\n\r\n"},
		"raw":       {transport.Request{Raw: [][]byte{[]byte("no"), []byte("ise")}}, "no|ise"},
	}
	for name, one := range cases {
		var got []string
		for _, p := range c.pieces(one.request) {
			got = append(got, string(p))
		}
		if text := strings.Join(got, "|"); text != one.want {
			t.Errorf("%s: %q, expected %q", name, text, one.want)
		}
	}
}

func TestAbortClosesTheConnectionAndNothingMoreIsTold(t *testing.T) {
	gone := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	defer s.Close()
	c := reach(t, s.URL)
	c.Call(0, transport.Request{Method: "GET", Target: "/"})
	select {
	case e := <-c.Events():
		if e.Kind != transport.Head {
			t.Fatalf("event %v", e)
		}
	case <-time.After(patience):
		t.Fatal("no answer")
	}
	c.Abort(0)
	select {
	case <-gone:
	case <-time.After(patience):
		t.Fatal("the server has not noticed")
	}
	c.Release()
	select {
	case e := <-c.Events():
		t.Errorf("after the end of the exchange came %v", e)
	default:
	}
}

func TestACommandTellsItsAddress(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "here") }))
	defer s.Close()
	start := func(script string, within time.Duration) (*Conn, error) {
		return Start(context.Background(), stdio.Spec{Command: []string{"/bin/sh", "-c", script}, Env: os.Environ(), MaxLine: 1 << 16}, "", within)
	}
	c, err := start(`echo '{"url":"`+s.URL+`","pid":1}'; echo more; exec sleep 60`, patience)
	if err != nil {
		t.Fatal(err)
	}
	c.Call(0, transport.Request{Method: "GET", Target: "/"})
	if got := strings.Join(told(t, c), "|"); got != "200 here" {
		t.Errorf("answer %s", got)
	}
	c.Release()
	for script, want := range map[string]string{
		"echo listening; exec sleep 60":     "is no JSON object with the member url",
		"echo oops >&2; exit 3":             "it ended (status 3) before it told its URL; it wrote to its standard error: oops",
		"exec sleep 60":                     "it has not told its URL within 200ms",
		`echo '{"url":"ftp://x"}'; sleep 9`: `"ftp://x" is no URL of a host that serves HTTP`,
	} {
		within := patience
		if script == "exec sleep 60" {
			within = 200 * time.Millisecond
		}
		if _, err := start(script, within); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", script, err, want)
		}
	}
}

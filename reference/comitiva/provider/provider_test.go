package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestEvents(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
	}{
		{"one", "data: a\n\n", []string{"a"}},
		{"several, with CRLF", "data: a\r\n\r\ndata:b\r\n\r\n", []string{"a", "b"}},
		{"several lines are joined", "data: a\ndata: b\n\n", []string{"a\nb"}},
		{"other fields and comments do not matter", ": hi\nevent: x\nid: 1\ndata: a\nretry: 5\n\n: bye\n\n", []string{"a"}},
		{"only one space is dropped", "data:  a\n\n", []string{" a"}},
		{"empty data", "data:\n\n", []string{""}},
		{"the last blank line is missing", "data: a\n\ndata: b\n", []string{"a", "b"}},
		{"the last line end is missing", "data: a", []string{"a"}},
		{"long", "data: " + strings.Repeat("x", 1<<20) + "\n\n", []string{strings.Repeat("x", 1<<20)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.body), iotest.OneByteReader(strings.NewReader(tt.body))} {
				var got []string
				events := NewEvents(r)
				data, err := events.Next()
				for ; err == nil; data, err = events.Next() {
					got = append(got, string(data))
				}
				if !errors.Is(err, io.EOF) || !slices.Equal(got, tt.want) {
					t.Errorf("got %.60q, %v", got, err)
				}
			}
		})
	}
}

func TestEventsThatBreakOff(t *testing.T) {
	broken := errors.New("broken")
	events := NewEvents(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)))
	if data, err := events.Next(); string(data) != "a" || err != nil {
		t.Fatalf("got %q, %v", data, err)
	}
	if _, err := events.Next(); !errors.Is(err, broken) {
		t.Errorf("an event that is not complete was handed out: %v", err)
	}
}

func TestInput(t *testing.T) {
	for arguments, want := range map[string]string{
		"": "{}", "  ": "{}", `{"a":1}`: `{"a":1}`, " [1] ": "[1]", `{"a`: `"{\"a"`, "text": `"text"`,
	} {
		if got := string(Input(arguments)); got != want {
			t.Errorf("%q: got %s, want %s", arguments, got, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"no luck"}}`: "no luck", `{"error":"no luck"}`: "no luck", `{"message":" no luck "}`: "no luck",
		`{"error":{"code":5}}`: "", `{"error":null}`: "", `no luck`: "", `[]`: "",
	} {
		if got := ErrorText([]byte(body)); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

func TestUsageAdds(t *testing.T) {
	three, four := int64(3), int64(4)
	got := Usage{Input: 1, Output: 2, CacheRead: &three}.Add(Usage{Input: 10, Output: 20, CacheRead: &four, CacheWrite: &four})
	if got.Input != 11 || got.Output != 22 || *got.CacheRead != 7 || *got.CacheWrite != 4 {
		t.Errorf("got %+v", got)
	}
	if sum := (Usage{}).Add(Usage{}); sum.CacheRead != nil {
		t.Error("what nobody reports is reported")
	}
}

// endpoint answers with the statuses in turn, and then with 200.
func endpoint(t *testing.T, header http.Header, statuses ...int) (Endpoint, func() int) {
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		n++
		for name, values := range header {
			w.Header()[name] = values
		}
		if n <= len(statuses) {
			w.WriteHeader(statuses[n-1])
		}
		fmt.Fprint(w, `{"error":{"message":"a key: `+strings.Repeat("x", 980)+`the-secret"}}`)
	}))
	t.Cleanup(server.Close)
	return Endpoint{BaseURL: server.URL + "/base/", Secret: "the-secret", Client: server.Client(), Retry: Retry{Attempts: 2, Backoff: time.Millisecond}}, func() int { return n }
}

func TestPostTriesAgain(t *testing.T) {
	tests := []struct {
		name     string
		statuses []int
		code     Code // empty: success
		requests int
	}{
		{"success at once", nil, "", 1},
		{"success after two refusals", []int{500, 429}, "", 3},
		{"two further attempts at most", []int{503, 503, 503, 503}, Unavailable, 3},
		{"the last refusal counts", []int{500, 500, 429}, RateLimited, 3},
		{"no second attempt against 401", []int{401}, AuthFailed, 1},
		{"no second attempt against 404", []int{404}, Failed, 1},
		{"conflict", []int{409, 409, 409}, Failed, 3},
		{"request timeout", []int{408}, "", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, requests := endpoint(t, http.Header{"Retry-After-Ms": {"1"}}, tt.statuses...)
			res, err := e.Post(t.Context(), "/path", map[string]int{})
			var known *Error
			switch {
			case err == nil:
				_ = res.Body.Close()
				if tt.code != "" {
					t.Error("succeeded")
				}
			case !errors.As(err, &known) || known.Code != tt.code || known.Retryable != tt.code.Retryable():
				t.Errorf("got %v", err)
			case strings.Contains(err.Error(), "the-sec"):
				t.Errorf("the message holds a part of the secret: %v", err)
			}
			if requests() != tt.requests {
				t.Errorf("%d requests came, want %d", requests(), tt.requests)
			}
		})
	}
}

func TestWaitingToTryAgainEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, _ := endpoint(t, nil, 500)
	e.Retry.Backoff = time.Hour
	e.Client = &http.Client{Transport: after{e.Client.Transport, cancel}}
	if _, err := e.Post(ctx, "/path", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// after calls do when an answer has come.
type after struct {
	next http.RoundTripper
	do   func()
}

func (a after) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := a.next.RoundTrip(req)
	time.AfterFunc(0, a.do)
	return res, err
}

func TestAskedWait(t *testing.T) {
	tests := []struct {
		header http.Header
		want   time.Duration
	}{
		{http.Header{}, 0},
		{http.Header{"Retry-After": {"2"}}, 2 * time.Second},
		{http.Header{"Retry-After": {"0.5"}}, 500 * time.Millisecond},
		{http.Header{"Retry-After-Ms": {"3"}, "Retry-After": {"2"}}, 3 * time.Millisecond},
		{http.Header{"Retry-After": {"600"}}, 0},
		{http.Header{"Retry-After": {"-1"}}, 0},
		{http.Header{"Retry-After": {"NaN"}}, 0},
		{http.Header{"Retry-After": {"Wed, 21 Oct 2026 07:28:00 GMT"}}, 0},
	}
	for _, tt := range tests {
		if got := askedWait(tt.header); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.header, got, tt.want)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	for base, want := range map[string]string{
		"http://h/v1":       "http://h/v1/x",
		"http://h/v1/":      "http://h/v1/x",
		"https://h":         "https://h/x",
		"http://h/v1?a=b#c": "http://h/v1/x?a=b",
		"foo:bar":           "",
		"/v1":               "",
		"":                  "",
		"http://[":          "",
	} {
		req, err := Endpoint{BaseURL: base}.request(t.Context(), http.MethodGet, "/x", nil)
		switch {
		case want == "":
			var known *Error
			if !errors.As(err, &known) || known.Code != InvalidRequest {
				t.Errorf("%q: got %v", base, err)
			}
		case err != nil || req.URL.String() != want:
			t.Errorf("%q: got %v, %v", base, req, err)
		}
	}
}

package client_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hallmark-kit/hallmark/reference/agenticdriver/client"
)

func TestBaseURLs(t *testing.T) {
	for base, want := range map[string]string{
		"https://h":                 "",
		"https://h:1/x/":            "",
		"http://127.0.0.1:7433":     "",
		"http://localhost":          "",
		"http://LOCALHOST":          "",
		"http://[::1]:1/x":          "",
		"http://h":                  "INSECURE_TRANSPORT",
		"http://127.0.0.2":          "INSECURE_TRANSPORT",
		"http://localhost.evil.com": "INSECURE_TRANSPORT",
		"http://127.0.0.1@h":        "INSECURE_TRANSPORT",
		"https://" + token + "@h":   "INSECURE_TRANSPORT",
		"https://h?x":               "INSECURE_TRANSPORT",
		"https://h?":                "INSECURE_TRANSPORT",
		"https://h#":                "INSECURE_TRANSPORT",
		"ftp://h":                   "INSECURE_TRANSPORT",
		"https:h":                   "INSECURE_TRANSPORT",
		"h":                         "INSECURE_TRANSPORT",
		"":                          "INSECURE_TRANSPORT",
		"https://h:" + token:        "INSECURE_TRANSPORT",
	} {
		if _, err := client.New(base, client.Options{Token: token}); code(t, err) != want {
			t.Errorf("%s: %v, expected %q", base, err, want)
		}
	}
}

func TestThePrefixOfABaseURLIsKept(t *testing.T) {
	for _, slash := range []string{"", "/"} {
		h := newHost(t, answer("200 OK", job))
		c, err := client.New(h.url+"/a%2Fb/c"+slash, client.Options{Token: token})
		if err != nil {
			t.Fatal(err)
		}
		_ = operations(t)["readJob"].call(t.Context(), c)
		if q, _ := h.last(t); q.RequestURI != "/a%2Fb/c/v1/jobs/read" {
			t.Errorf("asks for %s", q.RequestURI)
		}
	}
}

func TestTokensThatNoHostTakesAreNotSent(t *testing.T) {
	for name, bad := range map[string]string{
		"empty": "", "space": "a b", "line": "a\nb", "no-break space": "a\u00a0b", "NUL": "a\x00b", "no text": "a\xffb", "long": strings.Repeat("x", 4097),
	} {
		h := newHost(t)
		c, err := client.New(h.url, client.Options{Token: bad})
		if err != nil {
			t.Fatal(err)
		}
		for operation, o := range operations(t) {
			if operation == "health" || operation == "exchangeInvitation" {
				continue
			}
			if got := code(t, o.call(t.Context(), c)); got != "AUTH_REQUIRED" {
				t.Errorf("%s, %s: %q", name, operation, got)
			}
		}
		if _, err := c.Stream(t.Context(), request()); code(t, err) != "AUTH_REQUIRED" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.ExchangeInvitation(t.Context(), bad); code(t, err) != "AUTH_REQUIRED" {
			t.Errorf("%s: %v", name, err)
		}
		if h.count() != 0 {
			t.Errorf("%s: %d requests", name, h.count())
		}
	}
	h := newHost(t)
	broken := errors.New("the vault is shut: " + token)
	c, err := client.New(h.url, client.Options{TokenSource: func(context.Context) (string, error) { return "", broken }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetProtocol(t.Context()); code(t, err) != "AUTH_UNAVAILABLE" || !errors.Is(err, broken) || h.count() != 0 {
		t.Errorf("%v, %d requests", err, h.count())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	target := newHost(t, answer("200 OK", job))
	for _, status := range []string{"301 M", "302 F", "303 S", "307 T", "308 P", "300 C", "304 N"} {
		h := newHost(t, answer(status, "", "Location: "+target.url+"/v1/jobs/read"))
		err := operations(t)["readJob"].call(t.Context(), h.client(t))
		var e *client.Error
		if code(t, err) != "HTTP_ERROR" || !errors.As(err, &e) || e.Retryable {
			t.Errorf("%s: %v", status, err)
		}
		if h.count() != 1 {
			t.Errorf("%s: %d requests", status, h.count())
		}
	}
	if target.count() != 0 {
		t.Errorf("the target got %d requests", target.count())
	}
}

func TestNothingIsSentTwice(t *testing.T) {
	for name, pieces := range map[string][]string{
		"busy":                {answer("429 Busy", `{"error":{"code":"BUSY","message":"","retryable":true}}`)},
		"shutting down":       {answer("503 No", `{"error":{"code":"HOST_SHUTTING_DOWN","message":"","retryable":true}}`)},
		"closed at once":      nil,
		"closed in the head":  {"HTTP/1.1 200"},
		"closed in the body":  {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"},
		"stream breaks off":   {streamHead + events(started)},
		"told to retry":       {streamHead + "retry: 1\n\n" + events(started)},
		"authentication":      {answer("401 No", "", `WWW-Authenticate: Basic realm="x"`)},
		"no such version":     {answer("400 No", `{"error":{"code":"UNSUPPORTED_PROTOCOL_VERSION","message":"","retryable":false}}`)},
		"asked for more time": {"HTTP/1.1 102 Processing\r\n\r\n" + answer("408 Slow", "")},
	} {
		h := newHost(t, pieces...)
		c := h.client(t)
		story(t, h, request())
		for _, operation := range []string{"getProtocol", "listProviders", "submitJob", "run"} {
			if err := operations(t)[operation].call(t.Context(), c); err == nil {
				t.Errorf("%s, %s: no failure", name, operation)
			}
		}
		if h.count() != 5 {
			t.Errorf("%s: %d requests for 5 calls", name, h.count())
		}
	}
}

func TestFailuresAreToldAsTheHostTellsThem(t *testing.T) {
	object := func(members string) string { return `{"error":{` + members + `},"further":1}` }
	for name, c := range map[string]struct {
		status, body string
		want         client.Error
	}{
		"known":            {"400 No", object(`"code":"INVALID_JOB","message":"m","retryable":false`), client.Error{Code: "INVALID_JOB", Message: "m", Status: 400}},
		"unknown":          {"418 Tea", object(`"code":"TEAPOT","message":"m","retryable":true,"outcome":"uncertain","more":{}`), client.Error{Code: "TEAPOT", Message: "m", Status: 418, Retryable: true, Uncertain: true}},
		"bad outcome":      {"500 No", object(`"code":"X","message":"m","retryable":false,"outcome":"certain"`), client.Error{Code: "HTTP_ERROR", Status: 500, Retryable: true, Local: true}},
		"null outcome":     {"400 No", object(`"code":"X","message":"m","retryable":false,"outcome":null`), client.Error{Code: "HTTP_ERROR", Status: 400, Local: true}},
		"no retryable":     {"429 No", object(`"code":"X","message":"m"`), client.Error{Code: "HTTP_ERROR", Status: 429, Retryable: true, Local: true}},
		"empty code":       {"404 No", object(`"code":"","message":"m","retryable":true`), client.Error{Code: "HTTP_ERROR", Status: 404, Local: true}},
		"no JSON":          {"502 Bad", "<html>", client.Error{Code: "HTTP_ERROR", Status: 502, Retryable: true, Local: true}},
		"at the bound":     {"400 No", object(`"code":"X","message":"","retryable":true` + strings.Repeat(" ", 64_000-len(object(`"code":"X","message":"","retryable":true`)))), client.Error{Code: "X", Status: 400, Retryable: true}},
		"beyond the bound": {"400 No", object(`"code":"X","message":"","retryable":true` + strings.Repeat(" ", 64_001-len(object(`"code":"X","message":"","retryable":true`)))), client.Error{Code: "HTTP_ERROR", Status: 400, Local: true}},
		"other version":    {"400 No", object(`"code":"X","message":"m","retryable":false`), client.Error{Code: "X", Message: "m", Status: 400}},
		"repeats a token":  {"401 No", object(`"code":"UNAUTHORIZED","message":"` + token + ` is unknown","retryable":false`), client.Error{Code: "UNAUTHORIZED", Message: "[token] is unknown", Status: 401}},
	} {
		h := newHost(t, answer(c.status, c.body, "AgenticDriver-Version: 9"))
		err := operations(t)["readJob"].call(t.Context(), h.client(t))
		code(t, err)
		var e *client.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := client.Error{Code: e.Code, Message: e.Message, Retryable: e.Retryable, Uncertain: e.Uncertain, Status: e.Status, Local: e.Local}
		if e.Local {
			got.Message = ""
		}
		if got != c.want {
			t.Errorf("%s: %+v, expected %+v", name, got, c.want)
		}
	}
}

func TestAnswersAreBoundedAndText(t *testing.T) {
	pad := func(n int) string { return job + strings.Repeat(" ", n-len(job)) }
	for name, c := range map[string]struct{ answer, want string }{
		"at the bound":      {answer("200 OK", pad(2_000_000)), ""},
		"beyond the bound":  {answer("200 OK", pad(2_000_001)), "RESPONSE_TOO_LARGE"},
		"in chunks":         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(pad(1_000_000)) + chunk(strings.Repeat(" ", 1_000_001)), "RESPONSE_TOO_LARGE"},
		"no JSON":           {answer("200 OK", "{"), "INVALID_RESPONSE"},
		"no text":           {answer("200 OK", strings.Replace(job, `"p"`, "\"\xff\"", 1)), "INVALID_RESPONSE"},
		"empty":             {answer("200 OK", ""), "INVALID_RESPONSE"},
		"more behind":       {answer("200 OK", job+"{}"), "INVALID_RESPONSE"},
		"other version":     {answer("200 OK", "{", "AgenticDriver-Version: 2.0"), "UNSUPPORTED_PROTOCOL_VERSION"},
		"two versions":      {answer("200 OK", job, "AgenticDriver-Version: 1.0", "AgenticDriver-Version: 1.0"), "UNSUPPORTED_PROTOCOL_VERSION"},
		"no version":        {answer("200 OK", job), ""},
		"any success":       {answer("203 Fine", job), ""},
		"compressed":        {answer("200 OK", "\x1f\x8b", "Content-Encoding: gzip"), "INVALID_RESPONSE"},
		"short":             {answer("200 OK", job, "Content-Length: 100000"), "HTTP_ERROR"},
		"of no consequence": {answer("200 OK", job, "Set-Cookie: a=b"), ""},
	} {
		h := newHost(t, c.answer)
		if got := code(t, operations(t)["readJob"].call(t.Context(), h.client(t))); got != c.want {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
	}
}

func chunk(s string) string {
	const digits = "0123456789abcdef"
	var size []byte
	for n := len(s); n > 0; n /= 16 {
		size = append([]byte{digits[n%16]}, size...)
	}
	return string(size) + "\r\n" + s + "\r\n"
}

func TestCertificatesAndNamesAreVerified(t *testing.T) {
	var requests atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = io.WriteString(w, job)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	known := x509.NewCertPool()
	known.AddCert(s.Certificate())
	for name, c := range map[string]struct {
		url   string
		roots *x509.CertPool
		want  string
	}{
		"unknown authority": {s.URL, x509.NewCertPool(), "HTTP_ERROR"},
		"wrong name":        {strings.Replace(s.URL, "127.0.0.1", "localhost", 1), known, "HTTP_ERROR"},
		"right":             {s.URL, known, ""},
	} {
		c1, err := client.New(c.url, client.Options{Token: token, RootCAs: c.roots})
		if err != nil {
			t.Fatal(err)
		}
		if got := code(t, operations(t)["readJob"].call(t.Context(), c1)); got != c.want {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
	}
	if requests.Load() != 1 {
		t.Errorf("%d requests came through", requests.Load())
	}
}

func TestCancellingARequestClosesItsConnection(t *testing.T) {
	h := newHost(t)
	h.hold = true
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := h.client(t).Run(ctx, request())
		done <- err
	}()
	for h.count() == 0 {
		select {
		case err := <-done:
			t.Fatal(err)
		default:
		}
	}
	cancel()
	if err := <-done; code(t, err) != "CANCELLED" || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	left(t, h)
}

func TestAHostThatIsNotThereIsSaidSo(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	c, err := client.New(s.URL, client.Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	err = operations(t)["getProtocol"].call(t.Context(), c)
	var e *client.Error
	if code(t, err) != "HTTP_ERROR" || !errors.As(err, &e) || !e.Retryable || e.Status != 0 {
		t.Error(err)
	}
}

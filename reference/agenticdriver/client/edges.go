package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// The edges of a client with a fault: what stands between it and its connection.

// tripper is a transport made of a function.
type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(q *http.Request) (*http.Response, error) { return t(q) }

// altered makes a fault that changes requests.
func altered(change func(*http.Request)) func(*policy) {
	return func(p *policy) {
		p.transport = func(next http.RoundTripper) http.RoundTripper {
			return tripper(func(q *http.Request) (*http.Response, error) {
				q = q.Clone(q.Context())
				change(q)
				return next.RoundTrip(q)
			})
		}
	}
}

// header makes a fault that sets a header where there is one, or takes it away.
func header(name, value string) func(*policy) {
	return altered(func(q *http.Request) {
		if q.Header.Get(name) == "" {
			return
		}
		q.Header.Del(name)
		if value != "" {
			q.Header.Set(name, value)
		}
	})
}

func tokenOf(q *http.Request) string {
	return strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer ")
}

var (
	bareToken  = altered(func(q *http.Request) { q.Header.Set("Authorization", tokenOf(q)) })
	cookie     = altered(func(q *http.Request) { q.Header.Set("Cookie", "token="+tokenOf(q)) })
	tokenInURL = altered(func(q *http.Request) { q.URL.RawQuery = url.Values{"token": {tokenOf(q)}}.Encode() })
	dropPrefix = altered(func(q *http.Request) {
		if i := strings.Index(q.URL.Path, "/v1/"); i > 0 {
			q.URL.Path, q.URL.RawPath = q.URL.Path[i:], ""
		}
	})
)

// furtherMember puts a member into every body that the document does not have there.
var furtherMember = altered(func(q *http.Request) {
	if q.ContentLength <= 0 {
		return
	}
	data, _ := io.ReadAll(q.Body) // of memory: it does not fail
	data = append([]byte(`{"further":true,`), data[1:]...)
	data = bytes.Replace(data, []byte(",}"), []byte("}"), 1)
	q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
})

// trustAnybody takes any certificate.
func trustAnybody(p *policy) {
	p.transport = func(next http.RoundTripper) http.RoundTripper {
		if t, ok := next.(*http.Transport); ok {
			t.TLSClientConfig.InsecureSkipVerify = true
		}
		return next
	}
}

// again makes a fault that sends a request a second time where the first answer says so.
func again(repeat func(*http.Response, error) bool) func(*policy) {
	return func(p *policy) {
		p.transport = func(next http.RoundTripper) http.RoundTripper {
			return tripper(func(q *http.Request) (*http.Response, error) {
				second := rewound(q)
				a, err := next.RoundTrip(q)
				if !repeat(a, err) || q.Context().Err() != nil {
					return a, err
				}
				if a != nil {
					_ = a.Body.Close()
				}
				return next.RoundTrip(second)
			})
		}
	}
}

// rewound makes a copy of a request that has not been sent; both can be.
func rewound(q *http.Request) *http.Request {
	second := q.Clone(q.Context())
	if q.Body != nil {
		data, _ := io.ReadAll(q.Body) // of memory: it does not fail
		q.Body, second.Body = io.NopCloser(bytes.NewReader(data)), io.NopCloser(bytes.NewReader(data))
	}
	return second
}

var (
	retryRefusals = again(func(a *http.Response, err error) bool {
		return err == nil && (a.StatusCode == http.StatusTooManyRequests || a.StatusCode >= 500)
	})
	retryBroken = again(func(_ *http.Response, err error) bool { return err != nil })
)

// follow lets net/http follow redirects; the token goes along.
func follow(p *policy) {
	p.transport = func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(q *http.Request) (*http.Response, error) {
			second := rewound(q)
			token := q.Header.Get("Authorization")
			a, err := next.RoundTrip(q)
			if err != nil || a.StatusCode/100 != 3 {
				return a, err
			}
			target, err := a.Location()
			if err != nil {
				return a, nil
			}
			_ = a.Body.Close()
			second.URL, second.Host = target, ""
			second.Header.Set("Authorization", token)
			return next.RoundTrip(second)
		})
	}
}

// reconnect asks for a run again when its stream ends, and reads on there.
func reconnect(p *policy) {
	p.transport = func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(q *http.Request) (*http.Response, error) {
			second := rewound(q)
			a, err := next.RoundTrip(q)
			if err == nil && strings.Contains(a.Header.Get("Content-Type"), typeStream) {
				a.Body = &resumed{ReadCloser: a.Body, ask: func() (*http.Response, error) { return next.RoundTrip(second) }}
			}
			return a, err
		})
	}
}

// resumed is a body that is asked for once more at its end.
type resumed struct {
	io.ReadCloser
	ask   func() (*http.Response, error)
	asked bool
}

func (r *resumed) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if err == nil || n > 0 || r.asked {
		return n, err
	}
	r.asked = true
	a, broken := r.ask()
	if broken != nil {
		return 0, err
	}
	r.ReadCloser = a.Body
	return r.ReadCloser.Read(b)
}

// linger keeps connections open: neither the end of a context nor Close reaches them.
func linger(p *policy) {
	p.transport = func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(q *http.Request) (*http.Response, error) {
			ctx := q.Context()
			type answer struct {
				*http.Response
				error
			}
			got := make(chan answer, 1)
			go func() {
				a, err := next.RoundTrip(q.WithContext(context.WithoutCancel(ctx)))
				got <- answer{a, err}
			}()
			select {
			case a := <-got:
				if a.error == nil {
					a.Body = &kept{ctx: ctx, from: a.Body}
				}
				return a.Response, a.error
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
	}
}

// kept is a body that is never closed.
type kept struct {
	ctx  context.Context
	from io.Reader
}

func (k *kept) Read(b []byte) (int, error) {
	type part struct {
		n   int
		err error
	}
	got := make(chan part, 1)
	buffer := make([]byte, len(b))
	go func() {
		n, err := k.from.Read(buffer)
		got <- part{n, err}
	}()
	select {
	case p := <-got:
		return copy(b, buffer[:p.n]), p.err
	case <-k.ctx.Done():
		return 0, k.ctx.Err()
	}
}

func (k *kept) Close() error { return nil }

// requireVersion gives answers without a version one that is not ours.
func requireVersion(p *policy) {
	p.transport = func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(q *http.Request) (*http.Response, error) {
			a, err := next.RoundTrip(q)
			if err == nil && a.Header.Get(headerVersion) == "" {
				a.Header.Set(headerVersion, "none")
			}
			return a, err
		})
	}
}

// inventCode gives failures without an error object one.
func inventCode(p *policy) {
	p.transport = func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(q *http.Request) (*http.Response, error) {
			a, err := next.RoundTrip(q)
			if err != nil || a.StatusCode < 400 {
				return a, err
			}
			data, _ := io.ReadAll(a.Body)
			if agenticdriver.ValidateError(data) != nil {
				data = []byte(`{"error":{"code":"INTERNAL_ERROR","message":"unknown","retryable":false}}`)
			}
			_ = a.Body.Close()
			a.Body = io.NopCloser(bytes.NewReader(data))
			return a, nil
		})
	}
}

// info makes a fault that changes what a host tells of a failure.
func info(change func(*agenticdriver.ErrorInfo)) func(*policy) {
	return func(p *policy) {
		p.failure = func(e agenticdriver.ErrorInfo) *agenticdriver.ErrorInfo {
			change(&e)
			return &e
		}
	}
}

// filter is a stream with each byte changed.
type filter struct {
	from   io.Reader
	change func(byte) byte
}

func (f *filter) Read(b []byte) (int, error) {
	n, err := f.from.Read(b)
	for i := range b[:n] {
		b[i] = f.change(b[i])
	}
	return n, err
}

// withoutCR makes white space of carriage returns: behind a line that LF ends they do not matter in JSON.
func withoutCR(r io.Reader) io.Reader {
	return &filter{r, func(c byte) byte {
		if c == '\r' {
			return '\t'
		}
		return c
	}}
}

// marked puts a second mark before a stream: the first is passed over.
func marked(r io.Reader) io.Reader { return io.MultiReader(strings.NewReader("\uFEFF"), r) }

// rewritten reads JSON, changes it and writes it; what is no JSON stays as it is.
func rewritten(data []byte, change func(any) any) []byte {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return data
	}
	out, err := json.Marshal(walk(v, change))
	if err != nil {
		return data
	}
	return out
}

// walk changes a value from the inside out.
func walk(v any, change func(any) any) any {
	switch t := v.(type) {
	case map[string]any:
		for name, member := range t {
			t[name] = walk(member, change)
		}
	case []any:
		for i, item := range t {
			t[i] = walk(item, change)
		}
	}
	return change(v)
}

// anyCase gives members the value of one whose name differs in case only.
func anyCase(data []byte) []byte {
	return rewritten(data, func(v any) any {
		members, _ := v.(map[string]any)
		for name, value := range members {
			for other := range members {
				if other != name && strings.EqualFold(other, name) && strings.ToLower(other[:1]) == other[:1] {
					members[other] = value
				}
			}
		}
		return v
	})
}

func withoutNulls(data []byte) []byte {
	return rewritten(data, func(v any) any {
		members, _ := v.(map[string]any)
		for name, value := range members {
			if value == nil {
				delete(members, name)
			}
		}
		return v
	})
}

func rounded(data []byte) []byte {
	return rewritten(data, func(v any) any {
		if n, ok := v.(json.Number); ok {
			whole, _, _ := strings.Cut(n.String(), ".")
			return json.Number(whole)
		}
		return v
	})
}

// plainIntegers makes a text of every number that is written with a decimal point.
func plainIntegers(data []byte) []byte {
	return rewritten(data, func(v any) any {
		if n, ok := v.(json.Number); ok && strings.Contains(n.String(), ".") {
			return n.String()
		}
		return v
	})
}

// closed tells whether a message has only members that the document names.
func closed(v any) bool { return !extended(reflect.ValueOf(v)) }

// extended looks for further members anywhere in a message.
func extended(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && extended(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if members, ok := v.Field(i).Interface().(wire.Members); ok && len(members) > 0 || extended(v.Field(i)) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if extended(v.Index(i)) {
				return true
			}
		}
	}
	return false
}

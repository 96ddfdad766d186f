package agenticdriver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// The levers that most faults are made of: each gives what a fault applies to
// the edges. Those of runs and streams stand in levers_runs.go.

// configuration changes the configuration that the host starts with.
func configuration(change func(*config.Document)) func(*edges) {
	return func(e *edges) { e.config = change }
}

// refused changes the errors that answers show, where they have one of the
// codes.
func refused(change func(*failure.Error), codes ...string) func(*edges) {
	return func(e *edges) {
		e.refusal = func(shown *failure.Error, _ error) *failure.Error {
			for _, code := range codes {
				if shown.Code == code {
					changed := *shown
					change(&changed)
					return &changed
				}
			}
			return shown
		}
	}
}

// recoded shows another code, with its status.
func recoded(from, to string) func(*edges) {
	return refused(func(f *failure.Error) { f.Code = to }, from)
}

// wrapped goes around what carries out the operation at a target such as
// "POST /v1/runs".
func wrapped(target string, around func(s *server, c *call, do route) (answer, error)) func(*edges) {
	return func(e *edges) {
		e.route = func(s *server, at string, do route) route {
			if at != target {
				return do
			}
			return func(c *call) (answer, error) { return around(s, c, do) }
		}
	}
}

// exchange goes around the whole host: it changes requests on their way in and
// answers on their way out. What is nil changes nothing.
type exchange struct {
	request func(r *http.Request) *failure.Error // an error is answered in the host's place
	answer  func(r *http.Request, a *reply)      // an answer that is no stream
	head    func(h http.Header)                  // the header of a stream
	frame   func(f *frame)                       // a frame of a stream
	after   func(r *http.Request)                // when a stream is over, before its end is told
}

func (x exchange) apply(e *edges) {
	inner := e.handler
	e.handler = func(host http.Handler) http.Handler {
		if inner != nil {
			host = inner(host)
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { x.serve(host, w, r) })
	}
}

func (x exchange) serve(host http.Handler, w http.ResponseWriter, r *http.Request) {
	if x.request != nil {
		if err := x.request(r); err != nil {
			commonHeaders(w.Header())
			writeFailure(w, err)
			return
		}
	}
	out := &outlet{ResponseWriter: w, exchange: x}
	host.ServeHTTP(out, r)
	if out.streams {
		if x.after != nil {
			x.after(r)
		}
		return
	}
	out.finish(r)
}

// reply is an answer that is no stream.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// outlet takes what the host answers.
type outlet struct {
	http.ResponseWriter
	exchange
	streams bool
	status  int
	body    bytes.Buffer
}

// Unwrap lets a response controller reach the connection.
func (o *outlet) Unwrap() http.ResponseWriter { return o.ResponseWriter }

func (o *outlet) WriteHeader(status int) {
	o.status = status
	if o.streams = strings.HasPrefix(o.Header().Get("Content-Type"), "text/event-stream"); o.streams {
		if o.head != nil {
			o.head(o.Header())
		}
		o.ResponseWriter.WriteHeader(status)
	}
}

func (o *outlet) Write(b []byte) (int, error) {
	if !o.streams {
		return o.body.Write(b)
	}
	if o.frame == nil {
		return o.ResponseWriter.Write(b)
	}
	if _, err := o.ResponseWriter.Write(changeFrames(b, o.frame)); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (o *outlet) finish(r *http.Request) {
	a := &reply{o.status, o.Header(), o.body.Bytes()}
	if o.answer != nil {
		o.answer(r, a)
	}
	if a.header.Get("Content-Length") != "" {
		a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	o.ResponseWriter.WriteHeader(a.status)
	_, _ = o.ResponseWriter.Write(a.body) // whoever does not read it has gone
}

// onRequest changes requests, or answers in the host's place.
func onRequest(change func(r *http.Request) *failure.Error) func(*edges) {
	return exchange{request: change}.apply
}

// onHeader changes the header of requests.
func onHeader(change func(h http.Header)) func(*edges) {
	return onRequest(func(r *http.Request) *failure.Error {
		change(r.Header)
		return nil
	})
}

// onText changes the bodies of requests to a path; an empty path: to any.
func onText(path string, change func(body []byte) []byte) func(*edges) {
	return onRequest(func(r *http.Request) *failure.Error {
		if r.Method == http.MethodPost && (path == "" || r.RequestURI == path) {
			rewrite(r, change)
		}
		return nil
	})
}

// onBody changes the bodies of requests to a path, where they are objects.
func onBody(path string, change func(body object)) func(*edges) {
	return onText(path, func(body []byte) []byte { return changed(body, change) })
}

// onAnswer changes all answers that are no streams.
func onAnswer(change func(r *http.Request, a *reply)) func(*edges) {
	return exchange{answer: change}.apply
}

// onFailure changes the answers that are errors.
func onFailure(change func(r *http.Request, a *reply)) func(*edges) {
	return onAnswer(func(r *http.Request, a *reply) {
		if a.status >= http.StatusBadRequest {
			change(r, a)
		}
	})
}

// onSuccess changes the successful answers of a path, whatever its query.
func onSuccess(path string, change func(body object)) func(*edges) {
	return onAnswer(func(r *http.Request, a *reply) {
		if at, _, _ := strings.Cut(r.RequestURI, "?"); at == path && a.status == http.StatusOK {
			a.body = changed(a.body, change)
		}
	})
}

// object is a JSON object, numbers as they were written.
type object = map[string]any

// changed gives a JSON text with a change; text that is no object as it is.
func changed(text []byte, change func(object)) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var o object
	if d.Decode(&o) != nil || o == nil {
		return text
	}
	change(o)
	return encoded(o)
}

func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it came out of JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// at gives the value at a pointer such as /attempts/0/phase; nil if there is
// none.
func at(v any, pointer string) any {
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch in := v.(type) {
		case object:
			v = in[unescape(name)]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// put sets the member at a pointer, if there is an object to have it.
func put(o object, pointer string, v any) {
	if in, name := holder(o, pointer); in != nil {
		in[name] = v
	}
}

// drop takes the member at a pointer away, and tells whether there was one.
func drop(o object, pointer string) bool {
	in, name := holder(o, pointer)
	_, had := in[name]
	delete(in, name)
	return had
}

// each calls do with every object in the list at a pointer.
func each(o object, pointer string, do func(object)) {
	list, _ := at(o, pointer).([]any)
	for _, e := range list {
		if e, ok := e.(object); ok {
			do(e)
		}
	}
}

// cut shortens the list at a pointer to at most n elements.
func cut(o object, pointer string, n int) {
	if list, ok := at(o, pointer).([]any); ok && len(list) > n {
		put(o, pointer, list[:n])
	}
}

// text gives the string at a pointer; empty if there is none.
func text(o object, pointer string) string {
	s, _ := at(o, pointer).(string)
	return s
}

func holder(o object, pointer string) (object, string) {
	i := strings.LastIndexByte(pointer, '/')
	name := unescape(pointer[i+1:])
	if i <= 0 {
		return o, name
	}
	in, _ := at(o, pointer[:i]).(object)
	return in, name
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

func unescape(name string) string { return pointerEscapes.Replace(name) }

// onAnyBody changes the bodies of all operations, where they are objects, and
// is told which operation it is.
func onAnyBody(change func(op *wire.Operation, body object)) func(*edges) {
	return onRequest(func(r *http.Request) *failure.Error {
		for i := range protocol.Operations {
			if op := protocol.Operations[i]; op.Method == http.MethodPost && r.Method == op.Method && r.RequestURI == op.Path {
				rewrite(r, func(body []byte) []byte {
					return changed(body, func(o object) { change(op, o) })
				})
			}
		}
		return nil
	})
}

// droppingUnknown drops members that the schema of a path's bodies does not
// allow, down to a depth.
func droppingUnknown(path string, depth int) func(*edges) {
	return onAnyBody(func(op *wire.Operation, body object) {
		if op.Path == path {
			dropTo(op, body, depth)
		}
	})
}

func dropUnknown(op *wire.Operation, body object) { dropTo(op, body, 99) }

func dropTo(op *wire.Operation, body object, depth int) {
	validate := op.Body.As("application/json").Schema.Validate
	for dropped := true; dropped; {
		dropped = false
		broken, _ := errors.AsType[*wire.Error](validate(encoded(body)))
		if broken == nil {
			return
		}
		for _, v := range broken.Violations {
			switch {
			case strings.Count(v.Instance, "/") > depth:
			case v.Keyword == "additionalProperties":
				dropped = drop(body, v.Instance) || dropped
			case v.Instance == "" && (v.Keyword == "anyOf" || v.Keyword == "oneOf"):
				dropped = dropOne(body, func() bool { return validate(encoded(body)) == nil }) || dropped
			}
		}
	}
}

// dropOne drops the member without which the object is fine, if there is one.
func dropOne(o object, fine func() bool) bool {
	for name, v := range maps.Clone(o) {
		delete(o, name)
		if fine() {
			return true
		}
		o[name] = v
	}
	return false
}

// rewrite changes the body of a request.
func rewrite(r *http.Request, change func([]byte) []byte) {
	body, _ := io.ReadAll(r.Body) // what did not come whole is refused as JSON
	body = change(body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}

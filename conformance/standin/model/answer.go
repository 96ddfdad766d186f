package model

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
)

// headers is what the request carried, names in lower case.
func headers(r *http.Request) map[string]string {
	out := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		out[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return out
}

func (r *Request) setBody(body []byte) {
	switch {
	case len(body) == 0:
	case json.Valid(body):
		r.Body = body
	default:
		r.Text = string(body)
	}
}

// answer is the answer to one request in the making.
type answer struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	request int // its number
	status  int
	chunks  int
	every   int // flush after every that many bytes; 0: after every write
}

func (a *answer) progress(gate string) *Progress {
	return &Progress{Request: a.request, Status: a.status, Chunks: a.chunks, Gate: gate}
}

// leave ends the handler in the middle of an answer, which net/http must not complete. It records that the client
// left, unless it is the server that is closing.
func (a *answer) leave() {
	if a.server.ctx.Err() == nil {
		a.server.record(KindClosed, a.progress(""))
	}
	panic(http.ErrAbortHandler)
}

// wait holds the answer back until the gate (empty: none) is released. If the client leaves first, it does not
// return.
func (a *answer) wait(gate string) {
	if gate == "" {
		return
	}
	a.server.record(KindWaiting, a.progress(gate))
	if a.server.options.Gates.Wait(a.r.Context(), gate) != nil {
		a.leave()
	}
}

// stall does nothing until the client leaves or the server is closed.
func (a *answer) stall() {
	a.server.record(KindStalled, a.progress(""))
	<-a.r.Context().Done()
	a.leave()
}

// cut closes the connection without completing the answer.
func (a *answer) cut(reset bool) {
	a.server.record(KindCut, a.progress(""))
	if reset {
		if conn, _, err := http.NewResponseController(a.w).Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // best effort: without it, it is closed in the orderly way
			}
			_ = conn.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

// send answers in one go. A nil body is replaced by the dialect's error object with the message.
func (a *answer) send(status int, more map[string]string, body json.RawMessage, message string) {
	var text string
	switch {
	case body == nil:
		a.sendJSON(status, more, a.server.wire.failure(status, message))
	case json.Unmarshal(body, &text) == nil:
		a.sendBytes(status, "text/plain; charset=utf-8", more, []byte(text))
	default:
		a.sendJSON(status, more, body)
	}
}

func (a *answer) sendJSON(status int, more map[string]string, body any) {
	a.sendBytes(status, "application/json", more, marshal(body))
}

func (a *answer) sendBytes(status int, contentType string, more map[string]string, body []byte) {
	a.header(status, contentType, more)
	a.write(body)
	a.server.record(KindFinished, a.progress(""))
}

// header sends the status line and the headers; those of the script replace ours.
func (a *answer) header(status int, contentType string, more map[string]string) {
	h := a.w.Header()
	h.Set("Content-Type", contentType)
	if status == http.StatusTooManyRequests || status >= 500 || status == http.StatusRequestTimeout || status == http.StatusConflict {
		h.Set("Retry-After-Ms", "1") // clients that retry by themselves should not make a scenario wait
	}
	for name, value := range more {
		h.Set(name, value)
	}
	a.status = status
	a.w.WriteHeader(status)
}

// write sends bytes and flushes them. If the client has left, it does not return.
func (a *answer) write(data []byte) {
	control := http.NewResponseController(a.w)
	for len(data) > 0 {
		n := len(data)
		if a.every > 0 {
			n = min(n, a.every)
		}
		if a.r.Context().Err() != nil {
			a.leave()
		}
		if _, err := a.w.Write(data[:n]); err != nil {
			a.leave()
		}
		if control.Flush() != nil {
			a.leave()
		}
		data = data[n:]
	}
}

// play answers with a turn.
func (a *answer) play(t *Turn, r *chatRequest) {
	wire := a.server.wire
	a.every = t.Pieces
	a.wait(t.Wait)
	switch {
	case t.Status != 0:
		a.send(t.Status, t.Headers, t.Body, scripted(t.Status))
		return
	case t.Error != nil && !r.stream:
		a.sendJSON(http.StatusInternalServerError, t.Headers, wire.failure(http.StatusInternalServerError, "stand-in: scripted error"))
		return
	}
	pieces := wire.pieces(t, r)
	if !r.stream {
		pieces = inOneGo(pieces, wire.whole(t, r))
	}
	for _, p := range pieces {
		if t.Cut != nil && a.chunks >= *t.Cut {
			break
		}
		a.wait(p.wait)
		if p.bytes == nil {
			continue
		}
		a.begin(t, r)
		a.write(p.bytes)
		a.chunks++
	}
	switch {
	case t.Cut != nil:
		a.cut(t.Reset)
		return
	case t.Stall:
		a.stall()
	}
	a.begin(t, r)
	switch {
	case t.Error != nil:
		a.write(wire.streamError(t.Error))
	case !t.Unfinished && r.stream:
		a.write(wire.end(t, r))
	}
	a.server.record(KindFinished, a.progress(""))
}

// begin sends the headers before the first chunk.
func (a *answer) begin(t *Turn, r *chatRequest) {
	if a.status == 0 {
		a.header(http.StatusOK, a.server.wire.contentType(r.stream), t.Headers)
	}
}

// inOneGo keeps the gates of a streamed answer and sends body in place of its chunks.
func inOneGo(pieces []piece, body []byte) []piece {
	var out []piece
	for _, p := range pieces {
		if p.wait != "" {
			out = append(out, piece{wait: p.wait})
		}
	}
	return append(out, piece{bytes: body})
}

package model

import (
	"encoding/json"
	"strconv"
	"time"
)

// openAI is the dialect of the Chat Completions API as many servers offer it.
type openAI struct{}

func (openAI) contentType(stream bool) string {
	if stream {
		return "text/event-stream; charset=utf-8"
	}
	return "application/json"
}

// event frames one line of data as a server-sent event.
func event(data []byte) []byte {
	return append(append([]byte("data: "), data...), "\n\n"...)
}

func (openAI) head(r *chatRequest, kind string) object {
	return object{"id": "chatcmpl-" + strconv.Itoa(r.number), "object": kind, "created": time.Now().Unix(), "model": r.model}
}

// chunk is one event with a single choice; finish nil means: not finished yet.
func (d openAI) chunk(r *chatRequest, delta object, finish any) []byte {
	c := d.head(r, "chat.completion.chunk")
	c["choices"] = []object{{"index": 0, "delta": delta, "finish_reason": finish}}
	if r.usage {
		c["usage"] = nil
	}
	return event(marshal(c))
}

func (d openAI) opening(r *chatRequest) []byte {
	return d.chunk(r, object{"role": "assistant", "content": ""}, nil)
}

func (d openAI) pieces(t *Turn, r *chatRequest) []piece {
	var out []piece
	for _, delta := range t.deltas() {
		p := piece{wait: delta.Wait}
		switch {
		case delta.Raw != "":
			p.bytes = event([]byte(delta.Raw))
		case delta.Text != "":
			p.bytes = d.chunk(r, object{"content": delta.Text}, nil)
		}
		out = append(out, p)
	}
	for _, fragment := range d.fragments(t, r) {
		out = append(out, piece{bytes: d.chunk(r, object{"tool_calls": []object{fragment}}, nil)})
	}
	for i := range out {
		if out[i].bytes != nil {
			out[i].bytes = append(d.opening(r), out[i].bytes...)
			break
		}
	}
	return out
}

// fragments are the calls in the order in which their parts arrive: each call first with its id and name, then its
// arguments in parts.
func (openAI) fragments(t *Turn, r *chatRequest) []object {
	calls := make([][]object, len(t.Calls))
	for i := range t.Calls {
		c := &t.Calls[i]
		first := object{"index": i, "type": "function", "function": object{"name": r.toolName(c.Tool), "arguments": ""}}
		if id := r.callID(c, i); id != "" {
			first["id"] = id
		}
		calls[i] = append(calls[i], first)
		n := c.Fragments
		if n == 0 {
			n = 2
		}
		for _, part := range split(c.argumentsText(), n) {
			calls[i] = append(calls[i], object{"index": i, "function": object{"arguments": part}})
		}
	}
	var out []object
	if !t.Interleave {
		for _, c := range calls {
			out = append(out, c...)
		}
		return out
	}
	for round, more := 0, true; more; round++ {
		more = false
		for _, c := range calls {
			if round < len(c) {
				out, more = append(out, c[round]), true
			}
		}
	}
	return out
}

// split cuts text into at most n parts of nearly equal length, none empty, between characters.
func split(text string, n int) []string {
	runes := []rune(text)
	var out []string
	for i := range n {
		if part := runes[len(runes)*i/n : len(runes)*(i+1)/n]; len(part) > 0 {
			out = append(out, string(part))
		}
	}
	return out
}

func (openAI) finish(t *Turn) string {
	switch {
	case t.Stop != "":
		return t.Stop
	case len(t.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (openAI) usage(u Usage) object {
	out := object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output}
	if u.Cached != nil {
		out["prompt_tokens_details"] = object{"cached_tokens": *u.Cached}
	}
	return out
}

func (d openAI) end(t *Turn, r *chatRequest) []byte {
	var out []byte
	if len(t.Calls) == 0 && t.Content() == "" {
		out = d.opening(r)
	}
	out = append(out, d.chunk(r, object{}, d.finish(t))...)
	if u := t.usage(); r.usage && !u.None {
		c := d.head(r, "chat.completion.chunk")
		c["choices"], c["usage"] = []object{}, d.usage(u)
		out = append(out, event(marshal(c))...)
	}
	return append(out, event([]byte("[DONE]"))...)
}

func (d openAI) streamError(raw json.RawMessage) []byte {
	var message string
	if json.Unmarshal(raw, &message) == nil {
		return event(marshal(object{"error": object{"message": message, "type": "server_error", "code": nil}}))
	}
	return event(compact(raw))
}

func (d openAI) whole(t *Turn, r *chatRequest) []byte {
	message := object{"role": "assistant", "content": t.Content()}
	var calls []object
	for i := range t.Calls {
		c := &t.Calls[i]
		call := object{"type": "function", "function": object{"name": r.toolName(c.Tool), "arguments": c.argumentsText()}}
		if id := r.callID(c, i); id != "" {
			call["id"] = id
		}
		calls = append(calls, call)
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out := d.head(r, "chat.completion")
	out["choices"] = []object{{"index": 0, "message": message, "finish_reason": d.finish(t)}}
	if u := t.usage(); !u.None {
		out["usage"] = d.usage(u)
	}
	return marshal(out)
}

func (openAI) failure(status int, message string) any {
	kind := "invalid_request_error"
	switch {
	case status == 401 || status == 403:
		kind = "authentication_error"
	case status == 429:
		kind = "rate_limit_error"
	case status >= 500:
		kind = "server_error"
	}
	return object{"error": object{"message": message, "type": kind, "param": nil, "code": nil}}
}

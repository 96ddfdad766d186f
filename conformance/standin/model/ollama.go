package model

import (
	"encoding/json"
	"time"
)

// ollama is the dialect of Ollama's own API.
type ollama struct{}

func (ollama) contentType(stream bool) string {
	if stream {
		return "application/x-ndjson"
	}
	return "application/json; charset=utf-8"
}

func (ollama) line(r *chatRequest, message object) object {
	return object{"model": r.model, "created_at": time.Now().UTC().Format(time.RFC3339Nano), "message": message, "done": false}
}

func newline(data []byte) []byte { return append(data[:len(data):len(data)], '\n') }

func (d ollama) pieces(t *Turn, r *chatRequest) []piece {
	var out []piece
	for _, delta := range t.deltas() {
		p := piece{wait: delta.Wait}
		switch {
		case delta.Raw != "":
			p.bytes = newline([]byte(delta.Raw))
		case delta.Text != "":
			p.bytes = newline(marshal(d.line(r, object{"role": "assistant", "content": delta.Text})))
		}
		out = append(out, p)
	}
	if len(t.Calls) > 0 {
		out = append(out, piece{bytes: newline(marshal(d.line(r, object{"role": "assistant", "content": "", "tool_calls": d.calls(t, r)})))})
	}
	return out
}

// calls is the list of calls, which arrives whole. An id is sent only where the script gives one.
func (ollama) calls(t *Turn, r *chatRequest) []object {
	var out []object
	for i := range t.Calls {
		c := &t.Calls[i]
		arguments := c.Arguments
		if arguments == nil {
			arguments = json.RawMessage("{}")
		}
		call := object{"function": object{"name": r.toolName(c.Tool), "arguments": arguments}}
		if c.ID != nil && *c.ID != "" {
			call["id"] = *c.ID
		}
		out = append(out, call)
	}
	return out
}

// finish completes the last line of an answer.
func (ollama) finish(t *Turn, line object) []byte {
	line["done"], line["done_reason"] = true, "stop"
	if t.Stop != "" {
		line["done_reason"] = t.Stop
	}
	line["total_duration"], line["load_duration"] = 1000, 100
	if u := t.usage(); !u.None {
		line["prompt_eval_count"], line["eval_count"] = u.Input, u.Output
	}
	return marshal(line)
}

func (d ollama) end(t *Turn, r *chatRequest) []byte {
	return newline(d.finish(t, d.line(r, object{"role": "assistant", "content": ""})))
}

func (ollama) streamError(raw json.RawMessage) []byte {
	var message string
	if json.Unmarshal(raw, &message) == nil {
		return newline(marshal(object{"error": message}))
	}
	return newline(compact(raw))
}

func (d ollama) whole(t *Turn, r *chatRequest) []byte {
	message := object{"role": "assistant", "content": t.Content()}
	if len(t.Calls) > 0 {
		message["tool_calls"] = d.calls(t, r)
	}
	return d.finish(t, d.line(r, message))
}

func (ollama) failure(_ int, message string) any { return object{"error": message} }

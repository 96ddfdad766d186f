package model_test

import (
	"errors"
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/standin/model"
	"github.com/hallmark-kit/hallmark/conformance/standin/script"
)

func TestDecodeRefusesWhatCannotBePlayed(t *testing.T) {
	turn := func(members string) string { return `{"dialect":"openai","turns":[{"text":"a"},{` + members + `}]}` }
	for _, c := range []struct{ script, want string }{
		{`{}`, `/dialect: expected openai or ollama`},
		{`{"dialect":"gemini"}`, `/dialect: expected openai or ollama`},
		{`{"dialect":"openai","base":"v1"}`, `/base: expected a path such as /v1, without a slash at the end, or an empty text`},
		{`{"dialect":"openai","base":"/v1/"}`, `/base: expected a path such as /v1, without a slash at the end, or an empty text`},
		{`{"dialect":"openai","version":"1"}`, `/version: only the dialect ollama tells a version`},
		{`{"dialect":"openai","probe":{},"probes":[]}`, `/probes: expected probe or probes, not both`},
		{`{"dialect":"openai","models":[{}]}`, `/models/0/id: expected the id of the model`},
		{`{"dialect":"openai","models":[1]}`, `/models/0: expected a model id or an object with an id`},
		{`{"dialect":"openai","probe":{"status":99}}`, `/probe/status: expected a final HTTP status, 200 to 599`},
		{`{"dialect":"openai","probes":[{"body":"x"}]}`, `/probes/0/body: a body needs a status beside it`},
		{`{"dialect":"openai","probe":{"stall":true,"cut":true}}`, `/probe: expected one of status, stall, cut`},
		{`{"dialect":"openai","probe":{"reset":true}}`, `/probe/reset: reset says how to cut; it needs cut beside it`},
		{turn(`"txt":"a"`), `/turns/1/txt: no such member (did you mean text?); known here: always, body, calls, chunks, cut, deltas, error, headers, interleave, pieces, reset, stall, status, stop, text, times, unfinished, usage, wait, when`},
		{turn(`"text":"a","chunks":2`), `/turns/1/chunks: expected one of text, deltas, chunks; text is there already`},
		{turn(`"stall":true,"cut":1`), `/turns/1/cut: expected one of error, stall, cut, unfinished; stall is there already`},
		{turn(`"status":1000`), `/turns/1/status: expected a final HTTP status, 200 to 599`},
		{turn(`"status":401,"text":"a"`), `/turns/1/text: a turn with a status has no text; its answer is status, body and headers`},
		{turn(`"body":{}`), `/turns/1/body: a body needs a status beside it`},
		{turn(`"reset":true`), `/turns/1/reset: reset says how to cut; it needs cut beside it`},
		{turn(`"cut":-1`), `/turns/1/cut: expected a number of chunks, 0 or more`},
		{turn(`"times":2,"always":true`), `/turns/1/times: expected a number of uses, 1 or more, and no always beside it`},
		{turn(`"chunks":-1`), `/turns/1/chunks: expected a number of chunks, 1 to 100000`},
		{turn(`"pieces":-1`), `/turns/1/pieces: expected a number of bytes, 1 or more`},
		{turn(`"interleave":true,"calls":[{"tool":"a"}]`), `/turns/1/interleave: only the fragments of two or more calls in the dialect openai can alternate`},
		{turn(`"deltas":[""]`), `/turns/1/deltas/0: expected a text that is not empty, or an object with wait, text or raw`},
		{turn(`"deltas":["a",{}]`), `/turns/1/deltas/1: expected text or raw, or wait alone`},
		{turn(`"deltas":[{"text":"a","raw":"b"}]`), `/turns/1/deltas/0: expected text or raw, or wait alone`},
		{turn(`"calls":[{}]`), `/turns/1/calls/0/tool: expected the name of a tool`},
		{turn(`"calls":[{"tool":"a","fragments":-1}]`), `/turns/1/calls/0/fragments: expected a number, 1 or more, and the dialect openai`},
		{turn(`"usage":"nothing"`), `/turns/1/usage: expected none, or an object with input, output, cached`},
		{turn(`"usage":{"input":-1}`), `/turns/1/usage: expected numbers of tokens, 0 or more`},
		{turn(`"usage":{"input":1,"cached":2}`), `/turns/1/usage/cached: expected a part of input, which includes it`},
		{turn(`"when":""`), `/turns/1/when: expected a text that the last user message contains, or an object`},
		{turn(`"wait":null`), `/turns/1/wait: expected a string, not null; leave the member out instead`},
		{`{"dialect":"ollama","turns":[{"usage":{"input":1,"cached":1}}]}`, `/turns/0/usage/cached: only the dialect openai tells what was cached`},
		{`{"dialect":"ollama","turns":[{"calls":[{"tool":"a","fragments":2}]}]}`, `/turns/0/calls/0/fragments: expected a number, 1 or more, and the dialect openai`},
	} {
		_, err := model.Decode([]byte(c.script))
		var e *script.Error
		if !errors.As(err, &e) || e.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.script, err, c.want)
		}
	}
	if _, err := model.Start(model.Script{}, model.Options{}); err == nil {
		t.Error("a script without dialect was started")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"dialect":"openai","turns":[{"when":"a","deltas":["a",{"wait":"g"}],"calls":[{"tool":"t","arguments":{}}],"usage":"none"}]}`))
	f.Add([]byte(`{"dialect":"ollama","models":["a",{"id":"b","with":{"x":null}}],"probe":{"status":401}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := model.Decode(data)
		if err != nil {
			return
		}
		for i := range s.Turns {
			_ = s.Turns[i].Content()
		}
	})
}

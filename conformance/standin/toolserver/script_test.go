package toolserver_test

import (
	"errors"
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/standin/script"
	"github.com/hallmark-kit/hallmark/conformance/standin/toolserver"
)

func TestDecodeRefusesWhatCannotBePlayed(t *testing.T) {
	tool := func(members string) string { return `{"tools":[{"name":"a"},{"name":"b",` + members + `}]}` }
	for _, c := range []struct{ script, want string }{
		{`{"tool":[]}`, `/tool: no such member (did you mean tools?); known here: pageSize, refuse, starts, stubborn, tools`},
		{`{"pageSize":-1}`, `/pageSize: expected a number of tools, 1 or more`},
		{`{"refuse":{}}`, `/refuse: expected one of exit, hang`},
		{`{"refuse":{"exit":1,"hang":true}}`, `/refuse: expected one of exit, hang`},
		{`{"refuse":{"hang":true,"stderr":"x"}}`, `/refuse: stderr needs exit beside it`},
		{`{"refuse":{"exit":256}}`, `/refuse/exit: expected an exit status, 0 to 255`},
		{`{"refuse":{"exit":1},"starts":[{}]}`, `/starts: expected refuse or starts, not both`},
		{`{"starts":[]}`, `/starts: expected at least one start`},
		{`{"starts":[{},{"refuse":{}}]}`, `/starts/1/refuse: expected one of exit, hang`},
		{`{"stubborn":true,"refuse":{"exit":1}}`, `/stubborn: a process that is to exit by itself cannot be stubborn`},
		{`{"tools":[{"title":"x"}]}`, `/tools/0/name: expected the name of the tool`},
		{`{"tools":[{"name":"a"},{"name":"a"}]}`, `/tools/1/name: another tool of this server has the same name`},
		{tool(`"inputSchema":true`), `/tools/1/inputSchema: expected an object; to list something else, put it under with`},
		{tool(`"annotations":{"readonlyHint":true}`), `/tools/1/annotations/readonlyHint: no such member (did you mean readOnlyHint?); known here: destructiveHint, idempotentHint, openWorldHint, readOnlyHint, title`},
		{tool(`"hang":true,"calls":[{}]`), `/tools/1/calls: expected one behaviour or calls, not both`},
		{tool(`"calls":[]`), `/tools/1/calls: expected at least one behaviour`},
		{tool(`"calls":[{},{"hang":true,"crash":true}]`), `/tools/1/calls/1: expected one of result, hang, crash, error`},
		{tool(`"crash":false`), `/tools/1/crash: expected true or an exit status`},
		{tool(`"crash":-1`), `/tools/1/crash: expected an exit status, 0 to 255`},
		{tool(`"error":{"code":1}`), `/tools/1/error: expected a code and a message`},
		{tool(`"result":7`), `/tools/1/result: expected a text, or an object with text, content, echo or structured`},
		{tool(`"result":null`), `/tools/1/result: expected an object, not null; leave the member out instead`},
		{tool(`"result":{"text":"a","echo":true}`), `/tools/1/result: expected one of text, content, echo`},
		{tool(`"result":{"echo":true,"repeat":2}`), `/tools/1/result: repeat says how often text comes; together at most 16777216 bytes`},
		{tool(`"result":{"text":"ab","repeat":8388609}`), `/tools/1/result: repeat says how often text comes; together at most 16777216 bytes`},
	} {
		_, err := toolserver.Decode([]byte(c.script))
		var e *script.Error
		if !errors.As(err, &e) || e.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.script, err, c.want)
		}
	}
	if _, err := toolserver.Start(toolserver.Script{PageSize: -1}, toolserver.Options{}); err == nil {
		t.Error("an impossible script was started")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"pageSize":2,"tools":[{"name":"a","annotations":{"readOnlyHint":true},"calls":[{"crash":true},{"result":"x"}]}]}`))
	f.Add([]byte(`{"starts":[{"refuse":{"exit":1}},{}],"tools":[{"name":"a","result":{"content":[{"type":"text","text":"x"}]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := toolserver.Decode(data)
		if err == nil && s.Validate() != nil {
			t.Error("decoded what is not valid")
		}
	})
}

package main

// leaseResult makes the answer to a lease: a run and everything a turn of it
// starts from.
func leaseResult() string {
	w := newWriter(4)
	w.add(`{"run":{"runId":%s,"sessionId":%s,"turnId":%s,"epoch":3,"token":"%s","tokenExpiresAt":%s},`,
		w.id("run"), w.id("ses"), w.id("turn"), w.hex(64), instant)
	w.add(`"input":{"type":"turn.start","engine":"agent","manifest":{"name":"reviewer","version":4,"agents":[`)
	w.add(`{"id":"main","model":"m2","tools":["files.read","vcs.diff"],"limits":{"steps":30,"ms":480000}}],"hash":"c0ffee"},`)
	w.add(`"definition":{"name":"reviewer","version":4},"loop":{"max":12},`)
	w.add(`"memory":{"access":"read_write","instructions":%s,"index":%s,"truncated":false},`, w.prose(34), w.prose(50))
	w.add(`"checkpoint":{"seg":2,"state":{"a":1,"b":[1,2,3]}},"mcp":{"servers":[`)
	w.list(4, w.server)
	w.add(`]},"outcomes":[`)
	w.list(8, w.outcome)
	w.add(`],"transcript":{"cursor":57},"options":{"yieldAfter":{"steps":8,"ms":25000},"fixtureModel":false},`)
	w.add(`"routing":{"rootManifest":{"name":"reviewer","version":4},"sandbox":{"ownerId":%s,"environmentId":%s,`, w.id("own"), w.id("env"))
	w.add(`"spec":{"image":"alpine:3","cpu":1},"environment":{"LANG":"C.UTF-8","TZ":"UTC"}}},`)
	w.add(`"trace":{"traceparent":"00-%s-%s-01","tracestate":"vendor=1"},`, "1"+w.hex(31), "2"+w.hex(15))
	w.add(`"limits":{"recordEntryBytes":1048576,"modelCallBytes":4194304,"modelFileBytes":33554432,"toolAnswerBytes":262144,`)
	w.add(`"harnessStateBytes":1048576,"chunkBytes":65536,"folderEntries":10000},`)
	w.add(`"model":{"provider":"vendor","id":"large-2","inputs":["text","image","pdf"],"contextWindow":200000,"maxOutputTokens":8192,"reasoning":true},`)
	w.add(`"agent":{"id":"main","kind":"pod","sandbox":{"workspace":"/srv"},"selfWake":false}}}`)
	return w.String()
}

// server writes a tool server with its tools, whose schemas are free-form.
func (w *writer) server(i int) {
	w.add(`{"agentId":"main","name":"server%d","instructions":%s,"tools":[`, i, w.prose(25))
	w.list(3, func(t int) {
		w.add(`{"name":"tool_%d","description":%s,"inputSchema":{"type":"object","properties":{"path":{"type":"string"},`, t, w.prose(15))
		w.add(`"limit":{"type":"integer","minimum":1}},"required":["path"]},"enabled":true,"deferred":false}`)
	})
	w.add(`]}`)
}

// outcome writes what an effect came to.
func (w *writer) outcome(i int) {
	w.add(`{"effectId":%s,"requestHash":"h_%s","outcome":{"value":{"ok":true,"text":%s,"n":%d.5},"statePatch":{"k":%d}}}`,
		w.id("eff"), w.hex(64), w.prose(50), i, i+1)
}

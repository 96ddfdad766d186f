package main

// runStart makes a request to start a run, with a conversation of n messages.
func runStart(n int) string {
	w := newWriter(2)
	conversation := w.id("conv")
	w.add(`{"id":%s,"type":"run.start","runId":%s,"conversationId":%s,`, w.id("req"), w.id("run"), conversation)
	w.add(`"agent":{"id":%s,"name":"Reviewer","avatar":{"color":"emerald","emoji":"🌿"},"connectionId":%s,`, w.id("agent"), w.id("conn"))
	w.add(`"model":"large-2","role":%s,`, w.prose(18))
	w.add(`"params":{"temperature":0.7,"maxTokens":4096,"topP":0.9,"maxToolIterations":25},"toolServerIds":["files","vcs"],`)
	w.add(`"roots":[{"path":"/srv/project","mode":"readwrite"},{"path":"/usr/share","mode":"read"}],"permissionPolicy":"ask",`)
	w.add(`"fallbackConnectionIds":[],"tags":["code","review"],"createdAt":%s,"updatedAt":%s},`, instant, instant)
	w.add(`"connection":{"id":%s,"name":"Local","secretRef":null,"enabled":true,"createdAt":%s,"updatedAt":%s,`, w.id("conn"), instant, instant)
	w.add(`"kind":"cli","provider":"claude-code","config":{"binaryPath":"/opt/tool/bin/tool","extraArgs":["--quiet"],"workingDirectory":"/srv/project"}},`)
	w.add(`"messages":[`)
	w.list(n, func(i int) { w.message(i, conversation) })
	w.add(`],"workingDirectory":"/srv/project","alwaysAllowed":["files.read","vcs.log"],"toolServers":[{"id":"files","name":"Files",`)
	w.add(`"transport":"stdio","command":"serve-files","args":["--root","/srv/project"],"env":{"LANG":"C.UTF-8","HOME":"/srv"},"builtin":"filesystem"}]}`)
	return w.String()
}

// message writes what the user says, what the model answers with a call of a
// tool, what the tool answers, or a picture with a comment: in turns.
func (w *writer) message(i int, conversation string) {
	w.add(`{"id":%s,"conversationId":%s,"role":`, w.id("msg"), conversation)
	switch i % 4 {
	case 0:
		w.add(`"user","content":[{"type":"text","text":%s}]`, w.prose(46))
	case 1:
		w.add(`"assistant","content":[{"type":"text","text":%s},`, w.prose(20))
		w.add(`{"type":"tool_use","id":%s,"toolServerId":"files","name":"read","input":{"path":"/srv/project/a.go","range":[10,80],"options":{"trim":true}}}]`, w.id("use"))
	case 2:
		w.add(`"tool","content":[{"type":"tool_result","toolUseId":%s,"content":[{"type":"text","text":%s}],"isError":false,"durationMs":31.25}]`, w.id("use"), w.prose(60))
	case 3:
		w.add(`"assistant","content":[{"type":"text","text":%s},`, w.prose(12))
		w.add(`{"type":"image","source":{"kind":"base64","mediaType":"image/png","data":"%sAA=="}}]`, w.hex(160))
	}
	w.add(`,"status":"complete","seq":%d,"createdAt":%s,"error":null}`, i, instant)
}

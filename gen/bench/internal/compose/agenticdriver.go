package main

import "strings"

// runRequest makes a request with attachments, a history and a tool.
func runRequest() string {
	w := newWriter(3)
	w.add(`{"provider":"main","model":"vendor/large:latest","input":%s,"attachments":[`, w.prose(128))
	w.add(`{"type":"text","source":{"id":"doc:1","revision":"r2","title":"Notes","uri":"https://example.test/notes",`)
	w.add(`"location":{"documentId":"d1","page":2,"startLine":5,"endLine":60,"section":"Start"}},"mediaType":"text/markdown","text":%s},`, w.prose(90))
	w.add(`{"type":"image","source":{"id":"img:1","revision":"r1"},"mediaType":"image/png","data":"%s"},`, strings.Repeat("QUJDREVGR0g=", 20))
	w.add(`{"type":"reference","id":"ref:3","revision":"r5","mediaType":"application/pdf"}],`)
	w.add(`"retrieval":{"corpus":"docs","sourceIds":["s1","s2"],"query":%s,"limit":6,"maxContextBytes":65536,"minScore":0.25},`, w.prose(14))
	w.add(`"outputArtifact":{"name":"summary.md","mediaType":"text/markdown"},"idempotencyKey":"key-42","retry":{"maxAttempts":3,"baseDelayMs":200,"maxDelayMs":8000},`)
	w.add(`"instructions":%s,"history":[`, w.prose(70))
	w.list(7, func(i int) {
		w.add(`{"role":"%s","content":%s}`, []string{"user", "assistant"}[i%2], w.prose(32))
	})
	w.add(`],"session":{"id":"%s-%s-4%s-8%s-%s","revision":3},`, w.hex(8), w.hex(4), w.hex(3), w.hex(3), w.hex(12))
	w.add(`"approvals":{"mode":"interactive","idlePolicy":"pause","expiresAfterMs":600000},`)
	w.add(`"applicationTools":[{"name":"lookup","description":%s,"inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},"requiresApproval":true}],`, w.prose(16))
	w.add(`"tools":["lookup","search"],"requiredCapabilities":["tools","textStreaming"],"maxSteps":12,"maxOutputTokens":2048,"idleTimeoutMs":90000,`)
	w.add(`"outputSchema":{"type":"object"},"metadata":{"tenant":"example","trace":"t-42"}}`)
	return w.String()
}

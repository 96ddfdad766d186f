package main

// sideEvent makes a piece of a message that is being written.
func sideEvent() string {
	w := newWriter(1)
	w.add(`{"workspaceId":"ws_07","sideAgentSessionId":%s,"sourceAgentSessionId":%s,"sequence":41,"eventType":"message_delta",`, w.id("side"), w.id("src"))
	w.add(`"data":{"messageId":"m_3","turnId":"t_8","role":"assistant","kind":"text","occurredAtUnixMs":1777624200125,`)
	w.add(`"content":{"operation":"append_text","text":%s},"payloadUnset":["draft","cursor"],`, w.prose(17))
	w.add(`"semantics":{"final":false},"status":"streaming","more":{"x":1}}}`)
	return w.String()
}

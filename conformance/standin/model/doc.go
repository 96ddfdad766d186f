// Package model is a scripted model server: a real HTTP server on the loopback interface that speaks the dialects in
// which hosts reach models, answers exactly as its [Script] says, and records everything it sees.
//
// Dialects:
//
//   - openai: POST {base}/chat/completions (server-sent events when the request asks for a stream), GET {base}/models;
//   - ollama: POST {base}/api/chat (one JSON object a line unless the request says stream false), GET
//     {base}/api/version, GET {base}/api/tags.
//
// Each chat request takes the next turn of the script whose selector matches it, so that several runs can share a
// server and each still has its own story. Nothing is timed: where a turn has to wait, it waits at a gate that the
// kit releases.
//
// # Events
//
// The kinds are the constants from [KindRequest] on. A request is numbered in order of arrival and every later event about it
// carries that number:
//
//	request     the whole request was read
//	waiting     its answer is held back at a gate
//	stalled     its answer goes no further until the client leaves or the server is closed
//	finished    everything the script says was sent
//	closed      the client closed the connection before that
//	cut         the server closed the connection, as scripted
//	exhausted   no turn or probe was left for it (answered with status 400)
//	unexpected  the dialect has no such operation (answered with status 404 or 400)
//
// Recorded requests hold credentials as they were sent; a report must not print them.
package model

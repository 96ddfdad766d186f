// Package capture reads recorded traffic as a sequence of JSON messages, each with its place in the recording: one JSON
// text, a JSON text a line (NDJSON), or a stream of server-sent events.
//
// Memory does not grow with the length of a recording, only with that of its longest message, which is bounded: a
// message beyond the bound is reported with its place and passed over, and reading goes on behind it.
package capture

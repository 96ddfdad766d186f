// Package wire is the runtime that generated bindings import: it reads JSON
// text in one strict pass, records violations of schema rules, matches
// ECMA-262 patterns, checks formats, compares numbers exactly and appends
// JSON.
//
// # Reading
//
// A [Reader] walks one message. It is acquired from a pool, positioned at the
// root value and always stands at the start of a value, or just behind one.
// Containers are read as
//
//	if !r.Object() {
//		return false
//	}
//	frame := r.Frame()
//	for r.Member() {
//		switch string(r.Name()) {
//		case "id":
//			…
//		default:
//			if !r.Unique(frame) || !r.Skip() {
//				return false
//			}
//		}
//	}
//	return r.EndObject(frame)
//
// Every method that returns a boolean returns false when reading must stop:
// either the text is not JSON, or enough violations were found. [Reader.Close]
// then tells which. After an error in the text the reader stands at the end of
// its input, so that a caller that goes on by mistake only meets more
// failures, never wrong data.
//
// # What counts as JSON text
//
// RFC 8259, and stricter where the RFC leaves room: the text is UTF-8 without
// a byte order mark, strings hold no unpaired surrogate escapes, objects name
// no member twice (unless [AllowRepeatedNames]), nothing but white space
// follows the value, and containers nest at most [DefaultMaxDepth] deep. A
// break of these rules is a violation with the keyword "json".
//
// # Costs
//
// Reading valid text in validating mode allocates nothing. In decoding mode
// ([AcquireDecode]) strings and raw values are copied, side by side, into memory
// that is asked for once a message; small messages share it. Nothing is
// quadratic or worse in the length of hostile input: numbers are compared by
// digit position and never expanded, repeated names and items are found through
// keyed hashes, patterns run on automata.
package wire

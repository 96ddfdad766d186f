// Package host is the host that a client under test speaks to: it answers each request as its script says, byte for
// byte, right or wrong, and records what the client sent and when it left.
//
// It knows no protocol. An answer says which request it is for; requests are answered in the order of the script, each
// over a connection of its own, which ends the answer. A request that the script does not have next gets one
// of the answers that are always given, or is recorded as unexpected and gets no answer at all.
//
// Recordings:
//
//	request      n, method, target, headers (names in lower case, several lines joined by comma and space), and body, or
//	             text when the body is no JSON; neither when there is none
//	aside        likewise, without n: a request that is always answered
//	unexpected   likewise: a request that nothing in the script is for
//	sent         n: everything of answer n has been handed to the connection
//	left         n: the client closed the connection of answer n before its end
package host

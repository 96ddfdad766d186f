// Package scenario reads scenarios: YAML files that tell a conversation with an implementation under test step by
// step. Everything that can be known before a target is there is checked while loading: words and their members,
// names, requirements, faults, features, matchers, scripts of stand-ins, and that each message is valid, or breaks
// the rule it says it breaks.
//
// The members of the file are described by schemas/hallmark/scenario.json; placeholders and value builders by package
// scope, matchers by package match, scripts by the packages of the stand-ins. What the words mean:
//
// # Streams
//
// Each message of the target belongs to the stream that its correlation value names: the value of the first member
// present among those that protocol.yaml lists. A message without one belongs to the rest. A message is consumed once.
// A step reads the stream that its own correlation member names; if that member is a matcher, all streams in order of
// arrival; without such a member, the rest. A mismatch fails at once. So does waiting on a stream of which nothing
// more can come.
//
// A role that serves HTTP is sent requests, each over a connection of its own, and each stream of events belongs to its
// request. Steps name the request they speak of with of, by the name that as gave it; without, it is the last one
// before the step. Every body, in both directions, is checked against the description of the operation.
//
// # Clients
//
// The adapter of a client under test is sent messages like any other target: "connect", "call" and "cancel", each with
// an id that its answers carry; schemas/hallmark/adapter.json describes them. The host that the client speaks to is a
// stand-in, whose script (package standin/host) says byte for byte how each request is answered; observe host sees what
// the client has sent and that it has left. What the script has a host send is checked against the documents like a
// message that a step sends, and says with invalid which rule it breaks.
//
// # Words
//
//	send            a message; with invalid: KEYWORD at POINTER one that breaks this rule
//	send together   messages, in one write
//	raw             bytes that need not be a message
//	                (all three: line end lf, crlf or none; split every n bytes; split at offsets)
//	expect          the next message of the stream matches
//	maybe           the next message is taken if it matches, and left otherwise
//	some            messages in a row match, at least one; count and joined look at the row as a whole
//	until           messages are passed over until one matches
//	                (all four: valid as, parts that are valid as a type of the documents)
//	request         METHOD TARGET, with token (default $target.token), accept, headers, body or bytes; invalid as for send;
//	                chunked; split every, split at; until answer repeats it until its answer matches
//	answer          the answer is like this: status, headers (lower case), body or text; { closed: true } is none
//	end of stream   everything of the stream was read, and it ends in order
//	comment         a frame without data arrives
//	near misses     a body for each rule of the operation's schema that breaks it alone is refused, and a valid one accepted
//	silence         for a time nothing unread is about this; without about: not one byte arrives
//	never           nothing so far, read or not, is about this
//	in any order    all these steps, in whatever order they become possible
//	in order        these steps one after the other, as one step of a block
//	parallel        all these steps side by side
//	repeat          the same steps several times, each time with names of their own
//	observe, sees   the next recording of a stand-in with the same event matches
//	release         opens a gate at which a stand-in waits
//	close, signal   closes the target's input or the connection of a request, or sends its process a signal
//	exit            the process ends, in this way
//	stderr          everything on standard error so far matches, as one text
//	let             names values
//	check, is       a value matches
//
// Every step may have within, a bound of its own, for, the requirement a failure is charged to, and note.
package scenario

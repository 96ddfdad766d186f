// Package drift judges what a change of a protocol document breaks, for whom,
// and proves each break with a message.
//
// [Compare] takes two versions of a JSON Schema, an OpenAPI description or an
// event definition. It finds the messages both describe and who sends them, and
// asks of each (package inclusion) whether everything one side may send is
// accepted by the other. Where it is not, it walks the two schema graphs side by
// side down to the keywords that differ, and asks again for each of them alone,
// so that one edit is one [Finding], however many messages it reaches.
//
// A finding is breaking only with a [Witness]: a message that is valid on the
// sender's side and invalid on the receiver's, judged by jsonschema/v6 on the
// documents themselves. What breaks only a peer that happens to use a name which
// gets a meaning is risky, as are changes of annotations that programs act on.
// What could not be decided says so and names the keyword.
//
// Nothing here knows a protocol by name. Who sends a message comes from the
// OpenAPI description, from the direction of an event, or from the caller.
package drift

// Package inclusion decides whether every value that one schema accepts is
// accepted by another, and finds a value that shows it if not.
//
// The question "is A inside B" is asked as "is there a value of which A holds
// and B does not". A [Solver] answers such questions for any number of schemas
// that must hold or must not ([Literal]): it takes the schemas apart, one
// family of JSON values at a time, into conditions on numbers (intervals and
// multiples), strings (automata and lengths), arrays and objects (which parts
// must exist and what must hold of each), and builds a value from them, parts
// first. All keywords of JSON Schema 2020-12 take part, the unevaluated ones
// included. There are three answers: a value, the certainty that there is none,
// or that it could not be decided, with the keyword that stood in the way.
//
// Answers are remembered by what the schemas mean, so that shared schemas cost
// once; a question that leads to itself has no answer smaller than itself, and
// ends there.
package inclusion

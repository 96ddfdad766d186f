// Package sample makes instances of a schema: valid ones at random, valid ones
// with each bound at its edge, and near misses that break exactly one rule.
//
// A [Sampler] works on a node of a schema graph, whichever keywords of JSON
// Schema 2020-12 it uses. It builds an instance from the rules that hold
// together at each place: the node, what it refers to, and one branch of every
// union on the way, with strings read off the automata of their patterns. What
// cannot be built that way (not, the branches of a oneOf that must fail) is
// found by trying, within a fixed amount of work. Everything handed out has
// been evaluated against the whole schema before; what could not be made is
// reported to the function given with [GaveUp], so that a missing instance is
// never silent.
//
// [Mutate] and [Shrink] know no schema: one damages a message, the other makes
// a message that shows a fault as small as it gets.
//
// The same node, options and seed give the same instances.
package sample

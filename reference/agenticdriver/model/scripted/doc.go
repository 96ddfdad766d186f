// Package scripted is a model provider that does what the input of the run
// tells it: a JSON document with turns, each a list of actions. Any other input
// is repeated. Counters say what has happened; gates let one run wait for
// another. It is how a conformance suite makes a host stall, fail or call tools
// without a model.
package scripted

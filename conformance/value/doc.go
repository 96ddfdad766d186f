// Package value holds JSON values of any shape with the order of members and the text of numbers kept.
//
// Scenarios, messages and recordings are handled as such values: what a scenario sends goes out in the order in
// which its author wrote it, and a number is compared by what it means and shown as it was written.
//
// A value is one of: nil, bool, [Number], string, [List] and *[Object].
package value

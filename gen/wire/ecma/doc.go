// Package ecma reads regular expressions of ECMA-262 (22.2) and turns those
// that are regular languages into automata: for matching in linear time, for
// comparing two patterns (is one included in the other, with a string that
// proves it if not), and for making strings that match.
//
// Matching is what JSON Schema asks for: an unanchored search, by code point,
// without flags but with the meaning of the u flag. So ^ is the start and $
// the end of the input, \d and \w are ASCII, \s is the white space and the
// line terminators of ECMA-262, the dot excludes line terminators, and \p
// takes Unicode properties. Strings are sequences of Unicode scalar values;
// unpaired surrogates exist neither in patterns nor in input.
//
// [Parse] gives a [Pattern], a tree. [Pattern.NFA] gives an automaton for it,
// [NFA.DFA] a deterministic one, unless that would be too large. Look-around
// is evaluated by the NFA in linear time; back-references are no regular
// language and have no automaton.
package ecma

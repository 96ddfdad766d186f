// Package match decides whether a value is what a scenario expects.
//
// A matcher is itself a JSON value. A plain object matches an object that has at least its members, a list matches
// item by item, a scalar matches an equal one. An object may contain words, members whose names begin with a dollar
// sign; all of them and all plain members must hold:
//
//	$exact: v            the same value, nothing more, deeply; v has no words
//	$equals: v           the same as $exact
//	$pattern: RE         text with a match of the RE2 expression, anywhere
//	$type: name | [..]   string, number, integer, boolean, null, array or object
//	$absent: true        the member is not there
//	$present: true       the member is there
//	$any order: [m..]    a list of exactly these, in any order
//	$contains: text      text with this part
//	$contains: [m..]     a list with an item for each of these
//	$each: m             a list, every item of which matches
//	$unique: true        a list of which no two items are equal
//	$length: m           code points of text, items of a list or members of an object, as a number that matches
//	$range: {..}         a number; min and max are inclusive, above and below exclusive
//	$starts, $ends: text text that begins or ends so
//	$not: m              anything that does not match
//	$any of, $all of     at least one, or all, of a list of matchers
//	$capture: name       anything; remembers the value under the name
//
// The result of a failed match is a list of differences, each with the JSON pointer, what was wanted and what was
// there.
package match

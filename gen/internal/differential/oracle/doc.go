// Package oracle judges instances with jsonschema/v6, a validator that shares no
// code with ours, so that tests can hold what we generate against it.
//
// The library takes one engine for all patterns; none that exists takes every
// pattern of ECMA-262. So each pattern is translated for RE2 where that can be
// done exactly, and goes to regexp2 in its ECMAScript mode otherwise.
package oracle

// Package validator compiles a schema into a checker at run time, for documents for which no code has been generated.
//
// It is the interpreter beside the generator: a schema becomes closures over wire.Reader that hold the same rule values
// (wire.TextRule, wire.NumberRule, ...) as generated code, look at them in the same order, and find branches by the same
// decisions (gen/shape). So a message gets the same verdict, and the same violations, whether its validator was
// generated or compiled (only that of several equal schemas, which are one Go type, generated code names the first, and
// a compiled validator the one at the place), and on valid input nothing is allocated but for unevaluatedProperties and unevaluatedItems that
// cannot be decided in one pass, and for objects of which a schema names more than 256 members.
package validator

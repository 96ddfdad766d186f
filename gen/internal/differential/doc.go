// Package differential proves the generated packages: for every type of every
// package, Validate and Decode must agree with an independent validator (package
// oracle) on fixtures and on generated instances, and what Decode reads must be
// written back unchanged. Formats are annotations and, in a second look, rules.
// The package holds only tests.
//
// A run takes some 20,000 instances. More, or others:
//
//	go test ./gen/internal/differential -instances 200000 -seed 7
//
// Every disagreement is printed shrunk, with the type and the seed. tables_test.go
// lists the packages and is written by the test itself:
//
//	go test ./gen/internal/differential -run TestTablesAreCurrent -update
//
// Then each package has a fuzz target too, FuzzName:
//
//	go test ./gen/internal/differential -run '^$' -fuzz FuzzName
package differential

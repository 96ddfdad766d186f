// Command validator measures the way that is exact without generated code: a
// message is read to any and held against the document by jsonschema/v6. It is
// a program of its own because the library keeps a large heap from the start,
// which would make every garbage collection of the other rows dearer.
package main

import "github.com/hallmark-kit/hallmark/gen/bench/internal/measure"

func main() { measure.Main(schemaPeer()) }

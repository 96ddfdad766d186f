// Command hallmark generates Go bindings from protocol documents, runs reference implementations, and certifies
// anybody's implementation over its real wire. Run hallmark --help for what it can do.
package main

import (
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

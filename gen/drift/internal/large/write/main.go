// Command write puts two versions of the large description into a folder, old.json
// and new.json: they differ in the type of one member of the schema that all operations
// share.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hallmark-kit/hallmark/gen/drift/internal/large"
)

func main() {
	if len(os.Args) != 3 || os.Args[2] != "cycles" && os.Args[2] != "layers" {
		fmt.Fprintln(os.Stderr, "usage: write FOLDER cycles|layers")
		os.Exit(2)
	}
	for name, id := range map[string]string{"old.json": `{"type": "string"}`, "new.json": `{"type": "integer"}`} {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), large.Description(id, os.Args[2] == "cycles"), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

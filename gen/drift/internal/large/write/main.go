// Command write puts two versions of the large description into a folder, old.json
// and new.json: they differ in the type of one member of the schema that all operations
// share.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/hallmark-kit/hallmark/gen/drift/internal/large"
)

func main() {
	layers, err := strconv.Atoi(os.Args[len(os.Args)-1])
	if len(os.Args) != 3 || err != nil || layers < 0 {
		fmt.Fprintln(os.Stderr, "usage: write FOLDER LAYERS (0: cycles)")
		os.Exit(2)
	}
	for name, id := range map[string]string{"old.json": `{"type": "string"}`, "new.json": `{"type": "integer"}`} {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), large.Description(id, layers), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

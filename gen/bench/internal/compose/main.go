// Command compose writes the messages of the benchmark into testdata: one of
// each protocol, and a large one of the first. They are valid by the documents
// and made of the mixture of names, texts, escapes, other scripts, numbers and
// free-form members that agents send. Every run writes the same bytes.
package main

import (
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	for name, text := range map[string]string{
		"run.start-2k.json":     runStart(2),
		"run.start-50k.json":    runStart(92),
		"lease.result-10k.json": leaseResult(),
		"run-request-5k.json":   runRequest(),
		"side-event-0.5k.json":  sideEvent(),
	} {
		if err := os.WriteFile(filepath.Join("testdata", name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

package peers

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/downlevel"
)

// Output is what a generator wrote.
type Output struct {
	Package string        // import path
	Time    time.Duration // it took to write it
	Lines   int
}

// settings keep ogen to types: no clients, servers and telemetry.
const settings = `generator:
  ignore_not_implemented: [all]
  features:
    disable_all: true
`

// ogen writes the package for a document.
func ogen(s source, spec *downlevel.Spec) (*Output, error) {
	program := filepath.Join(Folder, "bin", "ogen")
	if err := run("go", "build", "-o", program, "github.com/ogen-go/ogen/cmd/ogen"); err != nil {
		return nil, err
	}
	target := filepath.Join(Folder, "ogen", s.folder)
	if err := os.MkdirAll(target, 0o755); err != nil {
		return nil, err
	}
	document, config := target+".json", filepath.Join(Folder, "ogen", "ogen.yml")
	if err := os.WriteFile(document, spec.JSON, 0o644); err != nil {
		return nil, err
	}
	if err := os.WriteFile(config, []byte(settings), 0o644); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := run(program, "-clean", "-config", config, "-target", target, "-package", s.folder, document); err != nil {
		return nil, err
	}
	took := time.Since(start)
	lines, err := countLines(target)
	if err != nil {
		return nil, err
	}
	return &Output{Package: module + "/" + filepath.ToSlash(target), Time: took, Lines: lines}, run("go", "build", "./"+target)
}

// countLines counts the lines of Go in a folder.
func countLines(dir string) (lines int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return 0, err
		}
		lines += bytes.Count(text, []byte{'\n'})
	}
	return lines, nil
}

func sortedNotes(notes map[string]int) []string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(notes)) {
		all = append(all, fmt.Sprintf("%s (%d)", what, notes[what]))
	}
	return all
}

// Command suite measures generated validators against a directory in the layout of the official JSON-Schema-Test-Suite
// (tests/*.json, tests/optional/**, remotes/): it generates a package for every group, compiles them, runs every case
// through the generated code and prints {"passed": n, "failed": [{file, group, case, want}]}.
//
//	go run ./gen/internal/suite DIR
//
// Cases of optional/format are run with formats asserted. Exit code 0: all cases passed, 1: some did not, 2: the
// directory cannot be read.
package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// group is one schema of a test file, with its cases.
type group struct {
	File        string          `json:"-"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

// failure is a case that the generated code judged wrong, or could not judge.
type failure struct {
	File   string `json:"file"`
	Group  string `json:"group"`
	Case   string `json:"case"`
	Want   bool   `json:"want"`
	Reason string `json:"reason,omitempty"` // why there was no verdict
}

// result is what the command prints.
type result struct {
	Passed int       `json:"passed"`
	Failed []failure `json:"failed"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./gen/internal/suite DIR")
		os.Exit(2)
	}
	groups, err := readGroups(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(2)
	}
	out, err := runGroups(groups, remoteLoader(os.Args[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(2)
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(2)
	}
	if len(out.Failed) > 0 {
		os.Exit(1)
	}
}

// readGroups reads every test file below DIR/tests (or DIR itself, where it has no such folder).
func readGroups(dir string) ([]*group, error) {
	tests := filepath.Join(dir, "tests")
	if _, err := os.Stat(tests); err != nil {
		tests = dir
	}
	var groups []*group
	err := filepath.WalkDir(tests, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var file []*group
		if err := json.Unmarshal(data, &file); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		name, err := filepath.Rel(tests, path)
		if err != nil {
			return err
		}
		for _, g := range file {
			g.File = filepath.ToSlash(name)
			groups = append(groups, g)
		}
		return nil
	})
	return groups, err
}

// remoteBase is where the suite's schemas expect the files of remotes/.
const remoteBase = "http://localhost:1234/"

// remoteLoader serves DIR/remotes as the suite wants it.
func remoteLoader(dir string) func(uri string) ([]byte, error) {
	return func(uri string) ([]byte, error) {
		name, ok := strings.CutPrefix(uri, remoteBase)
		if !ok {
			return nil, fmt.Errorf("%s: %w", uri, fs.ErrNotExist)
		}
		return os.ReadFile(filepath.Join(dir, "remotes", filepath.FromSlash(name)))
	}
}

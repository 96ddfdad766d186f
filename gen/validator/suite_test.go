package validator_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/validator"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Cases of every keyword, and those by which generated validators are measured; both in the layout of the official
// JSON-Schema-Test-Suite.
func TestCompiledValidatorsPassTheCasesOfTheKeywords(t *testing.T) {
	dirs := []string{"testdata"}
	if shared := "../internal/suite/testdata"; exists(shared) {
		dirs = append(dirs, shared)
	}
	for _, dir := range dirs {
		if passed := runSuite(t, dir); passed == 0 {
			t.Errorf("no case passed in %s", dir)
		}
	}
}

func exists(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

// group is one schema of a test file, with its cases.
type group struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

// runSuite runs every case below DIR/tests and returns how many passed.
func runSuite(t *testing.T, dir string) (passed int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "tests"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var groups []group
		if err := json.Unmarshal(data, &groups); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var opts []wire.Option
		if strings.Contains(filepath.ToSlash(path), "optional/format/") {
			opts = append(opts, wire.AssertFormats())
		}
		for _, g := range groups {
			name := filepath.Base(path) + ": " + g.Description
			v, err := compileText(g.Schema, remotes(dir))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for _, c := range g.Tests {
				if err := v.Validate(c.Data, opts...); (err == nil) != c.Valid {
					t.Errorf("%s: %s: valid is %t, got %v", name, c.Description, c.Valid, err)
					continue
				}
				passed++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return passed
}

// remotes serves DIR/remotes as the suite's schemas expect it.
func remotes(dir string) document.Loader {
	return func(uri string) ([]byte, error) {
		name, ok := strings.CutPrefix(uri, "http://localhost:1234/")
		if !ok {
			return nil, fmt.Errorf("%s: %w", uri, fs.ErrNotExist)
		}
		return os.ReadFile(filepath.Join(dir, "remotes", filepath.FromSlash(name)))
	}
}

func compileText(text []byte, load document.Loader) (*validator.Validator, error) {
	f, err := document.Parse("schema.json", text)
	if err != nil {
		return nil, err
	}
	set := document.NewSet(f)
	set.Loader = load
	g, err := schema.Build(set)
	if err != nil {
		return nil, err
	}
	return validator.Compile(g.Roots["schema.json#"])
}

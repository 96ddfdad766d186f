package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/schemas"
)

const module = "github.com/hallmark-kit/hallmark/"

// allowed says which rooms each room may import, tests included. The longest prefix of a package counts. A room may
// always import itself and what lies below it.
var allowed = map[string][]string{
	"cmd":           {"conformance", "reference", "gen", "schemas", "fixtures"},
	"conformance":   {"gen/protocol", "gen/sample", "gen/schema", "gen/document", "gen/wire", "schemas", "fixtures"},
	"reference":     {"gen/protocol", "gen/wire"},
	"gen":           {"schemas"},
	"gen/document":  {"gen/wire"},
	"gen/schema":    {"gen/document", "gen/wire"},
	"gen/shape":     {"gen/schema", "gen/document"},
	"gen/golang":    {"gen/shape", "gen/schema", "gen/document", "gen/wire"},
	"gen/sample":    {"gen/schema", "gen/document", "gen/wire"},
	"gen/drift":     {"gen/schema", "gen/document", "gen/wire", "gen/sample"},
	"gen/validator": {"gen/shape", "gen/schema", "gen/document", "gen/wire"},
	"gen/capture":   {"gen/wire"},
	"gen/account":   {"gen/shape", "gen/schema", "gen/document", "gen/protocol", "gen/wire"},
	"gen/internal":  {"gen", "schemas", "fixtures"},
	"gen/protocol":  {"gen/wire"},
	"gen/wire":      {},
	"schemas":       {},
	"fixtures":      {"schemas"},
}

// forTests may be imported by the tests of any room: the documents and messages to test with, and the independent
// oracle, and what makes messages out of a document. None of them leads to another room's inside.
var forTests = []string{"schemas", "fixtures", "gen/internal/differential/oracle", "gen/sample", "gen/schema", "gen/document"}

type goPackage struct {
	ImportPath                         string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
	Dir                                string
}

// The arrows between the rooms run one way; above all, the conformance kit must not know whom it tests.
func TestImportsFollowTheArrowsOfTheHouse(t *testing.T) {
	for _, p := range packages(t) {
		room := strings.TrimPrefix(p.ImportPath, module)
		may := rulesOf(room)
		if may == nil {
			t.Errorf("%s lies in no room of the house", room)
			continue
		}
		check := func(kind string, imports, to []string) {
			for _, imported := range imports {
				name, ok := strings.CutPrefix(imported, module)
				if ok && !within(name, append(slices.Clone(to), may.room)) {
					t.Errorf("%s %s %s; %s may import only %s", room, kind, name, may.room, strings.Join(to, ", "))
				}
			}
		}
		check("imports", p.Imports, may.to)
		check("has tests that import", slices.Concat(p.TestImports, p.XTestImports), append(slices.Clone(may.to), forTests...))
	}
}

type rules struct {
	room string
	to   []string
}

func rulesOf(room string) *rules {
	for r := room; r != "."; r = path.Dir(r) {
		if to, ok := allowed[r]; ok {
			return &rules{r, to}
		}
	}
	return nil
}

func within(pkg string, rooms []string) bool {
	for _, room := range rooms {
		if pkg == room || strings.HasPrefix(pkg, room+"/") {
			return true
		}
	}
	return false
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Dir", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// The generator is for any document: nothing in gen outside gen/protocol may name a protocol in its code.
func TestTheGeneratorNamesNoProtocol(t *testing.T) {
	for _, p := range packages(t) {
		room := strings.TrimPrefix(p.ImportPath, module)
		if !within(room, []string{"gen"}) || within(room, []string{"gen/protocol", "gen/internal"}) {
			continue
		}
		for _, file := range p.GoFiles {
			text := strings.ToLower(readFile(t, path.Join(p.Dir, file)))
			for _, protocol := range schemas.Protocols() {
				if strings.Contains(text, protocol) {
					t.Errorf("%s/%s names %s", room, file, protocol)
				}
			}
		}
	}
}

package protocol_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The exported API of every generated package is recorded, so that a rename shows in review.
func TestExportedAPIIsRecorded(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() || entry.Name() == "testdata" {
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) {
			got := exported(t, entry.Name())
			golden := filepath.Join("testdata", entry.Name()+".api")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v (record it with go test ./gen/protocol -update)", err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the exported API has changed (-recorded +now); if that is meant, go test ./gen/protocol -update:\n%s", diff)
			}
		})
	}
}

// exported lists the exported declarations of a package, one a line (structs and interfaces with their members below),
// sorted, without comments.
func exported(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var out []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(f)
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				d.Body = nil
				out = append(out, show(fset, d))
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						out = append(out, "type "+show(fset, s))
					case *ast.ValueSpec:
						if d.Tok == token.VAR {
							s.Values = nil
						}
						out = append(out, d.Tok.String()+" "+show(fset, s))
					}
				}
			}
		}
	}
	sort.Strings(out)
	return strings.Join(out, "\n") + "\n"
}

func show(fset *token.FileSet, node any) string {
	var b bytes.Buffer
	cfg := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 4}
	if err := cfg.Fprint(&b, fset, node); err != nil {
		return err.Error()
	}
	// One blank is enough between a name and its type: alignment would make one long name touch every line.
	var lines []string
	for line := range strings.SplitSeq(b.String(), "\n") {
		if fields := strings.Fields(line); len(fields) > 0 {
			indent := line[:len(line)-len(strings.TrimLeft(line, "\t "))]
			lines = append(lines, indent+strings.Join(fields, " "))
		}
	}
	return strings.Join(lines, "\n")
}

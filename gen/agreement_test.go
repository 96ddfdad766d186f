package gen_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/fixtures"
	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/protocol"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/validator"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/schemas"
)

// A message gets the same verdict, and the same first violation, whether its validator was generated or compiled.
func TestCompiledAndGeneratedValidatorsAgree(t *testing.T) {
	for _, name := range protocol.Names() {
		t.Run(name, func(t *testing.T) {
			types, _ := protocol.Types(name)
			compiled := compileTypes(t, name, types)
			compared, invalid := 0, 0
			for file, data := range messages(t, name) {
				for typeName, generated := range types {
					if compiled[typeName] == nil {
						continue
					}
					got, want := first(compiled[typeName].Validate(data, wire.AllViolations())), first(generated.Validate(data, wire.AllViolations()))
					compared++
					if want != "" {
						invalid++
					}
					if got != want {
						t.Errorf("%s as %s:\ncompiled:  %s\ngenerated: %s", file, typeName, got, want)
					}
				}
			}
			t.Logf("%d verdicts compared, %d of them invalid", compared, invalid)
		})
	}
}

// compileTypes compiles the schema of every type of a protocol. (The types of tags have none.)
func compileTypes(t *testing.T, name string, types map[string]wire.Type) map[string]*validator.Validator {
	t.Helper()
	p, err := gen.ReadProtocol(schemas.FS, name)
	if err != nil {
		t.Fatal(err)
	}
	set := document.NewSet()
	for _, d := range p.Documents {
		data, err := fs.ReadFile(schemas.FS, path.Join(name, d.File))
		if err != nil {
			t.Fatal(err)
		}
		f, err := document.Parse(d.File, data)
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	graph, err := schema.Build(set)
	if err != nil {
		t.Fatal(err)
	}
	compiled := map[string]*validator.Validator{}
	for _, one := range types {
		n, err := graph.At(one.Document + "#" + one.Pointer)
		if err != nil {
			t.Fatal(err)
		}
		if compiled[one.Name], err = validator.Compile(n); err != nil {
			t.Fatal(err)
		}
	}
	return compiled
}

// messages gives the example messages of a protocol, and of each some that are cut off or have a member changed.
func messages(t *testing.T, protocol string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := fs.WalkDir(fixtures.FS, protocol, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".json" {
			return err
		}
		data, err := fs.ReadFile(fixtures.FS, file)
		out[file] = data
		out[file+", cut off"] = data[:len(data)/2]
		for i, change := range [][2]string{{`"id"`, `"ID"`}, {`":"`, `":"-`}, {`true`, `null`}, {`":{`, `":{"":[],`}, {`1`, `"1"`}} {
			out[fmt.Sprint(file, ", change ", i)] = []byte(strings.Replace(string(data), change[0], change[1], 3))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

func first(err error) string {
	var broken *wire.Error
	if errors.As(err, &broken) {
		v := broken.Violations[0]
		// The schema pointer is left out: of equal schemas generated code has one, whichever place it is used at.
		return fmt.Sprintf("%s at %q: %s", v.Keyword, v.Instance, v.Want)
	}
	return ""
}

package gen_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/fixtures"
	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/protocol"
	"github.com/hallmark-kit/hallmark/gen/sample"
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
			nodes := schemasOf(t, name)
			fixed := messages(t, name)
			compared, invalid := 0, 0
			for typeName, n := range nodes {
				compiled, err := validator.Compile(n)
				if err != nil {
					t.Fatal(err)
				}
				for _, from := range []map[string][]byte{fixed, samples(n)} {
					for origin, data := range from {
						got, want := first(compiled.Validate(data, wire.AllViolations())), first(types[typeName].Validate(data, wire.AllViolations()))
						if compared++; want != "" {
							invalid++
						}
						if got != want {
							t.Errorf("%s as %s:\ncompiled:  %s\ngenerated: %s\n%.300s", origin, typeName, got, want, data)
						}
					}
				}
			}
			t.Logf("%d verdicts compared, %d of them invalid", compared, invalid)
		})
	}
}

// samples makes messages of a schema: valid ones, some of the near misses, and changed bytes.
func samples(n *schema.Node) map[string][]byte {
	out := map[string][]byte{}
	random := rand.New(rand.NewPCG(1, 2))
	sampler := sample.New(n)
	for i := range 4 {
		if data, ok := sampler.Valid(random); ok {
			out[fmt.Sprint("valid ", i)] = data
			for k := range 4 {
				out[fmt.Sprint("valid ", i, " changed ", k)] = sample.Mutate(random, data)
			}
		}
	}
	i := 0
	for miss := range sampler.NearMisses() {
		out[fmt.Sprint("miss ", i)] = miss.JSON
		if i++; i == 60 {
			break
		}
	}
	return out
}

// schemasOf gives the schema of every type of a protocol, as the generator sees it. (The type of a union's tag has none.)
func schemasOf(t *testing.T, name string) map[string]*schema.Node {
	t.Helper()
	set, cfg, err := gen.Read(schemas.FS, name)
	if err != nil {
		t.Fatal(err)
	}
	_, shapes, err := gen.Shapes(set, cfg)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*schema.Node{}
	for _, one := range shapes.Types {
		if one.Tag == "" {
			out[one.Name] = one.Node
		}
	}
	return out
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
		return told(&broken.Violations[0])
	}
	return ""
}

// told is what a violation and its causes say. The schema pointer is left out: of equal schemas generated code has one,
// whichever place it is used at.
func told(v *wire.Violation) string {
	text := fmt.Sprintf("%s at %q: %s", v.Keyword, v.Instance, v.Want)
	for i := range v.Causes {
		text += " (" + told(&v.Causes[i]) + ")"
	}
	return text
}

package differential

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/hallmark-kit/hallmark/fixtures"
	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/internal/differential/oracle"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/schemas"
)

// generated is one generated package.
type generated struct {
	name   string // also of the folder of its documents
	types  map[string]wire.Type
	recode map[string]recoder
}

// recoder decodes a message and encodes it again. The first error is that of
// decoding; the second tells that what was decoded does not hold together.
type recoder func(json []byte) (out []byte, refused, broken error)

type appender interface{ AppendJSON(b []byte) []byte }

// recode makes the recoder of a type.
func recode[T any](decode func([]byte, ...wire.Option) (T, error)) recoder {
	return func(data []byte) (out []byte, refused, broken error) {
		v, err := decode(data)
		if err != nil {
			return nil, err, nil
		}
		if out, err = encode(&v); err != nil {
			return nil, nil, err
		}
		again, err := decode(out)
		if err != nil {
			return out, nil, fmt.Errorf("what was written is refused: %w", err)
		}
		twice, err := encode(&again)
		switch {
		case err != nil:
			return out, nil, err
		case !bytes.Equal(out, twice):
			return out, nil, fmt.Errorf("written twice it differs: %s", twice)
		}
		if c, ok := any(&v).(interface{ Validate() error }); ok {
			if err := c.Validate(); err != nil {
				return out, nil, fmt.Errorf("Validate refuses what was decoded: %w", err)
			}
		}
		return out, nil, viaStandard(&v, data, out)
	}
}

func encode[T any](v *T) ([]byte, error) {
	if a, ok := any(v).(appender); ok {
		return a.AppendJSON(nil), nil
	}
	if a, ok := any(*v).(appender); ok {
		return a.AppendJSON(nil), nil
	}
	return json.Marshal(v) // scalars and enums
}

// viaStandard reads and writes a message through encoding/json.
func viaStandard[T any](v *T, data, want []byte) error {
	if _, ok := any(v).(json.Unmarshaler); !ok {
		return nil
	}
	var w T
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("encoding/json cannot read it: %w", err)
	}
	got, err := encode(&w)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("through encoding/json it becomes %s", got)
	}
	return nil
}

// subject is one type of a generated package beside the schema it comes from.
type subject struct {
	protocol string
	name     string
	validate func([]byte, ...wire.Option) error
	recode   recoder
	node     *schema.Node
	oracle   judges
	formats  judges // with formats asserted
}

// judges are the schemas that must all hold.
type judges []*oracle.Schema

func (j judges) ValidateValue(v any) error {
	for _, s := range j {
		if err := s.ValidateValue(v); err != nil {
			return err
		}
	}
	return nil
}

func (j judges) Validate(json []byte) error {
	v, err := oracle.Decode(json)
	if err != nil {
		return err
	}
	return j.ValidateValue(v)
}

func (j judges) Valid(json []byte) bool { return j.Validate(json) == nil }

func (s *subject) String() string { return s.protocol + "." + s.name }

// subjects gives the types of a package in order of name. Compiling all of them
// for the oracle takes a while, so it is done once.
var subjects = sync.OnceValues(func() (map[string][]*subject, error) {
	all := map[string][]*subject{}
	for _, p := range packages {
		files, graph, err := documents(p.name)
		if err != nil {
			return nil, err
		}
		plain, err := oracle.New(files)
		if err != nil {
			return nil, err
		}
		asserted, err := oracle.New(files, oracle.AssertFormats())
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(p.types)) {
			t := p.types[name]
			s := &subject{protocol: p.name, name: name, validate: t.Validate, recode: p.recode[name]}
			if s.node, err = graph.At(t.Document + "#" + t.Pointer); err != nil {
				return nil, err
			}
			// A variant of a union that has rules beside its branches is held by both. All
			// branches but its own fail, as their tags are different.
			pointers := []string{t.Pointer}
			if t.Branch != "" {
				pointers = append(pointers, t.Branch)
			}
			for _, pointer := range pointers {
				one, err := plain.Schema(t.Document, pointer)
				if err != nil {
					return nil, err
				}
				two, err := asserted.Schema(t.Document, pointer)
				if err != nil {
					return nil, err
				}
				s.oracle, s.formats = append(s.oracle, one), append(s.formats, two)
			}
			all[p.name] = append(all[p.name], s)
		}
	}
	return all, nil
})

func subjectsOf(t testing.TB, protocol string) []*subject {
	t.Helper()
	all, err := subjects()
	if err != nil {
		t.Fatal(err)
	}
	return all[protocol]
}

// documents reads the documents of a protocol.
func documents(protocol string) ([]*document.File, *schema.Graph, error) {
	p, err := gen.ReadProtocol(schemas.FS, protocol)
	if err != nil {
		return nil, nil, err
	}
	set := document.NewSet()
	for _, d := range p.Documents {
		data, err := schemas.FS.ReadFile(path.Join(protocol, d.File))
		if err != nil {
			return nil, nil, err
		}
		f, err := document.Parse(d.File, data)
		if err != nil {
			return nil, nil, err
		}
		if err := set.Add(f); err != nil {
			return nil, nil, err
		}
	}
	graph, err := schema.Build(set)
	if err != nil {
		return nil, nil, err
	}
	return set.Files(), graph, nil
}

// messages reads the single messages among the fixtures of a protocol.
func messages(t testing.TB, protocol string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := fs.WalkDir(fixtures.FS, path.Join(protocol, "messages"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		found[name], err = fixtures.FS.ReadFile(name)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return found
}

package schemas_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmark-kit/hallmark/schemas"
)

// published lists what the protocols publish. A new version of a document is a new entry, never an edit.
var published = map[string]string{
	"agenticdriver/openapi.json":    "ae9910a42ecc2fd53f0e3d41a1e7058c6f47a9ff2a114bec1e659765ceab0bea",
	"comitiva/RunnerRequest.json":   "089d819dce801493f047eb33b4a56c8eb44aeb5508d1010139e855ecc1b399f3",
	"nylorun/harness-api.v5.json":   "0a3033616bf25c5cb91aa5ec64c901cd81cd8416e9ee6980ed1b1e1609d887f9",
	"tutti/side.updated.event.json": "f59de284deac58715b413bbadc9264834b977e12ca21d27ad64b27595baaa389",
}

func TestPublishedDocumentsAreByteForByte(t *testing.T) {
	for name, want := range published {
		data, err := schemas.FS.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s: sha256 is %s, published is %s", name, got, want)
		}
	}
}

// protocol is the part of protocol.yaml that these tests look at.
type protocol struct {
	Protocol  string
	Package   string
	Documents []struct{ File, Origin string }
	Messages  []struct{ Document string }
	Results   map[string]string
	Names     map[string]string
}

func read(t *testing.T, name string) protocol {
	t.Helper()
	data, err := schemas.FS.ReadFile(path.Join(name, "protocol.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var p protocol
	if err := yaml.Unmarshal(data, &p); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

func TestEveryProtocolNamesItsDocuments(t *testing.T) {
	for _, name := range schemas.Protocols() {
		p := read(t, name)
		if p.Protocol != name || p.Package == "" {
			t.Errorf("%s: protocol %q, package %q", name, p.Protocol, p.Package)
		}
		var files []string
		for _, d := range p.Documents {
			files = append(files, d.File)
			_, isPublished := published[path.Join(name, d.File)]
			if want := map[bool]string{true: "published", false: "companion"}[isPublished]; d.Origin != want {
				t.Errorf("%s: %s has origin %q, want %q", name, d.File, d.Origin, want)
			}
		}
		for _, m := range p.Messages {
			if !slices.Contains(files, m.Document) {
				t.Errorf("%s: a message names %q, which is none of the documents %q", name, m.Document, files)
			}
		}
		found, err := fs.Glob(schemas.FS, name+"/*.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if !slices.Contains(files, path.Base(f)) {
				t.Errorf("%s lies in the folder but protocol.yaml does not name it", f)
			}
		}
	}
}

func TestEveryFolderIsAProtocolOrOurs(t *testing.T) {
	entries, err := fs.ReadDir(schemas.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != schemas.Hallmark && !slices.Contains(schemas.Protocols(), e.Name()) {
			t.Errorf("folder %s is not listed by Protocols", e.Name())
		}
	}
}

func TestPointersOfProtocolFilesResolve(t *testing.T) {
	for _, name := range schemas.Protocols() {
		p := read(t, name)
		pointers := make(map[string]string)
		for pointer, goName := range p.Names {
			pointers[pointer] = goName
		}
		for request, pointer := range p.Results {
			pointers[pointer] = "the result of " + request
		}
		for pointer, what := range pointers {
			file, inside, ok := strings.Cut(pointer, "#")
			if !ok {
				t.Errorf("%s: %q (%s) has no #", name, pointer, what)
				continue
			}
			data, err := schemas.FS.ReadFile(path.Join(name, file))
			if err != nil {
				t.Errorf("%s: %q (%s): %v", name, pointer, what, err)
				continue
			}
			var root any
			if err := json.Unmarshal(data, &root); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if err := resolve(root, inside); err != nil {
				t.Errorf("%s: %q (%s): %v", name, pointer, what, err)
			}
		}
	}
}

func resolve(at any, pointer string) error {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := at.(type) {
		case map[string]any:
			next, ok := v[token]
			if !ok {
				return fmt.Errorf("no member %q", token)
			}
			at = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return fmt.Errorf("no item %q", token)
			}
			at = v[i]
		default:
			return fmt.Errorf("nothing inside a scalar: %q", token)
		}
	}
	return nil
}

// The bindings share one Go type between both directions only while both documents write the same shape.
func TestCompanionWritesSharedShapesAsPublished(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	for _, file := range []string{"RunnerRequest.json", "RunnerEvent.json"} {
		data, err := schemas.FS.ReadFile("comitiva/" + file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource("file:///"+file, doc); err != nil {
			t.Fatal(err)
		}
	}
	compile := func(at string) *jsonschema.Schema {
		s, err := compiler.Compile("file:///" + at)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	message := "RunnerRequest.json#/oneOf/6/properties/messages/items/properties"
	pairs := []struct{ published, companion string }{
		{message + "/content/items", "RunnerEvent.json#/$defs/Block"},
		{message + "/error/anyOf/0", "RunnerEvent.json#/$defs/AppError"},
	}
	for _, pair := range pairs {
		if got, want := outline(compile(pair.companion)), outline(compile(pair.published)); got != want {
			t.Errorf("%s differs from %s:\n got %s\nwant %s", pair.companion, pair.published, got, want)
		}
	}
}

// outline writes what a schema of the keywords used here says, without annotations and with references followed.
func outline(s *jsonschema.Schema) string {
	for s.Ref != nil {
		s = s.Ref
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{types:%v", s.Types)
	if s.Const != nil {
		fmt.Fprintf(&b, " const:%v", *s.Const)
	}
	if s.Enum != nil {
		fmt.Fprintf(&b, " enum:%v", s.Enum.Values)
	}
	if s.Minimum != nil {
		fmt.Fprintf(&b, " min:%v", s.Minimum)
	}
	for _, one := range s.OneOf {
		b.WriteString(" | " + outline(one))
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, " %s:%s", name, outline(s.Properties[name]))
	}
	if s.Items2020 != nil {
		b.WriteString(" items:" + outline(s.Items2020))
	}
	required := slices.Clone(s.Required)
	slices.Sort(required)
	fmt.Fprintf(&b, " required:%v}", required)
	return b.String()
}

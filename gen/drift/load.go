package drift

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Input is one version of a document.
type Input struct {
	Name   string          // for messages, and what relative references start from
	Data   []byte          //
	Loader document.Loader // for what it refers to; may be nil
}

// side is one version, read.
type side struct {
	file  *document.File
	set   *document.Set // the file and what it refers to
	graph *schema.Graph // nil: the document holds no schema
	at    map[string]*schema.Node
	label string // "old" or "new"

	compileOnce sync.Once
	compiler    *jsonschema.Compiler
	url         string
	compileErr  error
	compiled    map[*schema.Node]*jsonschema.Schema
}

// read parses a version and resolves its schemas. Errors are *document.Error.
// checked tells which schemas need not be held against the metaschema; see
// [schema.BuildVersion].
func read(in Input, label string, checked func(*schema.Node) bool) (*side, error) {
	f, err := document.Parse(in.Name, in.Data)
	if err != nil {
		return nil, err
	}
	if f.Form == document.FormUnknown {
		return nil, f.Errorf(f.Root, "", "a JSON Schema, an OpenAPI description or an event definition was expected, not %s", f.Root.Kind)
	}
	s := &side{file: f, label: label, at: map[string]*schema.Node{}, compiled: map[*schema.Node]*jsonschema.Schema{}}
	set := document.NewSet(f)
	set.Loader = in.Loader
	s.set = set
	g, err := schema.BuildVersion(set, checked)
	if err != nil {
		if f.Form == document.OpenAPI && !isDocumentError(err) {
			return s, nil // an API without any schema
		}
		return nil, err
	}
	s.graph = g
	for _, n := range g.Nodes() {
		if n.File == f {
			s.at[n.Pointer] = n
		}
	}
	return s, checkPatterns(g)
}

// checkPatterns refuses schemas with a pattern that is no regular expression: what
// they accept is anybody's guess.
func checkPatterns(g *schema.Graph) error {
	known := map[string]bool{}
	check := func(n *schema.Node, at *document.Value, pointer, pattern string) error {
		if known[pattern] {
			return nil
		}
		known[pattern] = true
		if _, err := wire.ParsePattern(pattern); err != nil {
			return n.File.Errorf(at, n.Pointer+pointer, "%v", err)
		}
		return nil
	}
	for _, n := range g.Nodes() {
		if n.Pattern != nil {
			if err := check(n, n.Value.Get("pattern"), "/pattern", *n.Pattern); err != nil {
				return err
			}
		}
		for _, p := range n.PatternProperties {
			if err := check(n, p.Node.Value, document.Pointer("patternProperties", p.Pattern), p.Pattern); err != nil {
				return err
			}
		}
	}
	return nil
}

// speechless tells whether the document is a JSON Schema by its form only: an
// object none of whose members is a keyword.
func (s *side) speechless() bool {
	n := s.at[""]
	return s.file.Form == document.JSONSchema && n != nil && n.Value != nil && len(n.Value.Members) > 0 && !n.HasKeyword()
}

func isDocumentError(err error) bool {
	_, ok := err.(*document.Error)
	return ok
}

// node gives the schema at a place of the main file, as it is where checking
// begins there.
func (s *side) node(pointer string) (*schema.Node, error) {
	n := s.at[pointer]
	if n != nil && n.DynamicRef == nil {
		return n, nil
	}
	if s.graph == nil {
		return nil, fmt.Errorf("%s has no schema at %s", s.file.Name, pointer)
	}
	return s.graph.At(s.file.Name + "#" + pointer)
}

// nodeAt is node for any file of the version.
func (s *side) nodeAt(at document.Place) (*schema.Node, error) {
	if at.File() == s.file {
		return s.node(at.Pointer)
	}
	return s.graph.At(at.Location())
}

// placeOf describes where something is.
func (s *side) placeOf(at document.Place) *Place { return s.place(at.File(), at.Pointer) }

// place describes a place of a file, though nothing may be there.
func (s *side) place(f *document.File, pointer string) *Place {
	v := f.Root.Lookup(pointer)
	for up := pointer; v == nil && up != ""; {
		up = up[:strings.LastIndexByte(up, '/')]
		v = f.Root.Lookup(up)
	}
	at := &Place{File: f.Name, Pointer: pointer, part: s.part(f)}
	if v != nil {
		at.Line, at.Column = v.Position()
		at.Text = shortened(v.Raw())
	}
	return at
}

// spot is the pointer of a schema, led by the file where that is another one of a
// description: of files that hold one schema each, many have the same pointers.
func (s *side) spot(n *schema.Node) string {
	if part := s.part(n.File); part != "" {
		return part + spotMark + n.Pointer
	}
	return n.Pointer
}

// spotMark stands between file and pointer; neither has it.
const spotMark = "\x00"

// part names a file of an OpenAPI description as the description itself would: the versions may lie in two folders.
func (s *side) part(f *document.File) string {
	if f == nil || f == s.file || s.file.Form != document.OpenAPI {
		return ""
	}
	name, err := filepath.Rel(path.Dir(s.file.Name), f.Name)
	if err != nil {
		return f.Name
	}
	return filepath.ToSlash(name)
}

// shortened writes JSON on one line, cut where it gets long.
func shortened(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	const most = 160
	text := b.String()
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// document describes the version.
func (s *side) document() Document {
	return Document{File: s.file.Name, SHA256: s.file.SHA256, Kind: s.file.Form.String(), Version: s.version()}
}

// version is what the document calls its version.
func (s *side) version() string {
	switch s.file.Form {
	case document.EventDefinition:
		return fmt.Sprint(s.file.Event.Version)
	case document.OpenAPI:
		return s.file.Root.Get("info").StringMember("version")
	}
	if v := s.file.Root.Get("version"); v != nil && (v.Kind == document.String || v.Kind == document.Number) {
		return v.Text
	}
	return ""
}

var errTooCostly = errors.New("unions inside unions make it check one message millions of times over")

// compile gives the schema of a node as the independent validator reads it from
// the document itself, as far as a message reaches. The map is nil, or leads from
// what the validator calls a place to where it is.
func (s *side) compile(n *schema.Node, message *document.Value, formats bool) (*jsonschema.Schema, map[string]string, error) {
	costly := checks(n, message, false, map[reached]int64{}) > maxChecks/30
	if costly && checks(n, message, true, map[reached]int64{}) >= maxChecks {
		return nil, nil, errTooCostly
	}
	if have := s.compiled[n]; have != nil && !costly {
		return have, nil, nil
	}
	if n.Value == nil && n.Always != nil || s.file.Form == document.OpenAPI || costly {
		// A description is no schema to the validator, which would copy the whole of it
		// for every reference; and schemas of OpenAPI 3.0 are another dialect. It gets
		// the schemas that the message needs, keyword by keyword as written.
		c := newCompiler(formats)
		doc, places := export(n, message, s.spot)
		if err := c.AddResource("file:///message.json", doc); err != nil {
			return nil, nil, err
		}
		compiled, err := c.Compile("file:///message.json")
		return compiled, places, err
	}
	s.compileOnce.Do(func() {
		s.compiler = newCompiler(formats)
		for _, f := range s.graph.Files() {
			url := f.Name
			if !strings.Contains(url, "://") {
				url = "file:///" + strings.TrimLeft(document.CleanURI(url), "./")
			}
			doc := f.Root.Any()
			if m, ok := doc.(map[string]any); ok && f.Form != document.JSONSchema {
				delete(m, "$schema")
			}
			if f == s.file {
				s.url = url
				if id := f.Root.StringMember("$id"); f.Form == document.JSONSchema && strings.Contains(id, ":") {
					s.url = strings.TrimSuffix(id, "#")
				}
			}
			if f.Form == document.JSONSchema && f == s.file {
				url = s.url
			}
			if err := s.compiler.AddResource(url, doc); err != nil && s.compileErr == nil && f == s.file {
				s.compileErr = err
			}
		}
	})
	if s.compileErr != nil {
		return nil, nil, s.compileErr
	}
	compiled, err := s.compiler.Compile(s.url + "#" + fragment.Replace(n.Pointer))
	if err != nil {
		return nil, nil, err
	}
	s.compiled[n] = compiled
	return compiled, nil, nil
}

// fragment writes a JSON Pointer as the fragment of a URL.
var fragment = strings.NewReplacer("%", "%25", " ", "%20", "\"", "%22", "^", "%5E", "{", "%7B", "}", "%7D", "#", "%23", "\\", "%5C", "|", "%7C", "`", "%60", "<", "%3C", ">", "%3E")

func newCompiler(formats bool) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		p, err := wire.ParsePattern(pattern)
		return ecmaPattern{p}, err
	})
	if formats {
		c.AssertFormat()
	}
	return c
}

// ecmaPattern lets the validator read patterns as ECMA-262 means them; its own
// engine knows another language.
type ecmaPattern struct{ *wire.Pattern }

func (p ecmaPattern) MatchString(s string) bool { return p.Match([]byte(s)) }

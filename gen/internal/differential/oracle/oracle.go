package oracle

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// base is where the documents of a set lie for the library, which wants URLs.
const base = "file:///documents/"

// Oracle compiles schemas out of a set of documents.
type Oracle struct {
	compiler *jsonschema.Compiler
	urls     map[string]string // by name of the document
}

// Option changes how schemas are compiled.
type Option func(*jsonschema.Compiler)

// AssertFormats makes format a rule.
func AssertFormats() Option { return (*jsonschema.Compiler).AssertFormat }

// Remotes gives what a set does not hold.
func Remotes(load document.Loader) Option {
	return func(c *jsonschema.Compiler) { c.UseLoader(remotes(load)) }
}

type remotes document.Loader

// Load implements jsonschema.URLLoader.
func (r remotes) Load(url string) (any, error) {
	text, err := r(url)
	if err != nil {
		return nil, err
	}
	return Decode(text)
}

// New makes an oracle for documents that refer to each other by name.
func New(files []*document.File, options ...Option) (*Oracle, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseRegexpEngine(engine)
	c.RegisterFormat(uriFormat())
	beside := siblings{}
	c.UseLoader(beside)
	for _, o := range options {
		o(c)
	}
	urls := map[string]string{}
	for _, f := range files {
		// A document that says what it is called is what others refer to by that.
		urls[f.Name] = url(f.Name)
		if id := f.Root.StringMember("$id"); strings.Contains(id, "://") {
			urls[f.Name] = id
		}
		doc := content(f)
		beside[path.Base(f.Name)] = doc
		if err := c.AddResource(urls[f.Name], doc); err != nil {
			return nil, err
		}
	}
	return &Oracle{c, urls}, nil
}

// content is a document as the library takes it.
func content(f *document.File) any {
	doc := f.Root.Any()
	if m, ok := doc.(map[string]any); ok && f.Form != document.JSONSchema {
		// What an event definition names there is a metaschema for event
		// definitions, not for the schema inside.
		delete(m, "$schema")
	}
	return doc
}

// siblings finds a document that is referred to relative to an absolute $id, but
// lies beside the file.
type siblings map[string]any

// Load implements jsonschema.URLLoader.
func (s siblings) Load(url string) (any, error) {
	if doc, ok := s[path.Base(url)]; ok {
		return doc, nil
	}
	return nil, fmt.Errorf("%s: %w", url, fs.ErrNotExist)
}

func url(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	return base + name
}

// Schema compiles the schema at a JSON Pointer of a document.
func (o *Oracle) Schema(document, pointer string) (*Schema, error) {
	location := o.urls[document] + "#" + fragment.Replace(pointer)
	s, err := o.compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("%s#%s: %w", document, pointer, err)
	}
	return &Schema{s}, nil
}

// fragment writes a JSON Pointer as the fragment of a URL.
var fragment = strings.NewReplacer("%", "%25", " ", "%20", "\"", "%22", "^", "%5E", "{", "%7B", "}", "%7D", "#", "%23", "\\", "%5C", "|", "%7C", "`", "%60", "<", "%3C", ">", "%3E")

// Schema is one compiled schema.
type Schema struct{ compiled *jsonschema.Schema }

// Validate judges one instance: an error when it is not JSON as encoding/json
// reads it, or not valid. Numbers are exact. What encoding/json forgives
// (repeated names, of which the last counts, and text that is no Unicode) is
// forgiven here too.
func (s *Schema) Validate(json []byte) error {
	v, err := Decode(json)
	if err != nil {
		return err
	}
	return s.ValidateValue(v)
}

// ValidateValue judges an instance that Decode has read.
func (s *Schema) ValidateValue(v any) error { return s.compiled.Validate(v) }

// Decode reads an instance as Validate does, for judging it by several schemas.
func Decode(json []byte) (any, error) { return jsonschema.UnmarshalJSON(bytes.NewReader(json)) }

// Valid tells whether Validate finds nothing.
func (s *Schema) Valid(json []byte) bool { return s.Validate(json) == nil }

// slow matches numbers whose exponents the library writes out.
var slow = regexp.MustCompile(`[eE][+-]?0*[0-9]{5}`)

// Slow tells whether an instance may hold a number that costs the library too
// much time: it computes with fractions, and a large exponent is a long one.
func Slow(json []byte) bool { return slow.Match(json) }

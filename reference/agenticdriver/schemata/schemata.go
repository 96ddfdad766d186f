// Package schemata compiles the JSON Schemas that callers bring along: of tool
// arguments, tool outputs and structured output.
package schemata

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Schema checks values.
type Schema struct{ compiled *jsonschema.Schema }

const (
	dialect2020 = "https://json-schema.org/draft/2020-12/schema"
	location    = "https://caller.invalid/schema" // relative references lead elsewhere from there
)

// Compile reads a schema: of draft 2020-12 when $schema says so, else of
// draft-07. It reaches nothing outside the schema itself, allows no
// asynchronous keywords and asserts no formats. Patterns follow ECMA-262 and
// run in linear time.
func Compile(text []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, errors.New("want an object")
	}
	if usesAsync(doc) {
		return nil, errors.New("$async is not supported")
	}
	if extreme(doc) {
		return nil, errExtreme
	}
	if deep(doc, maxDepth) {
		return nil, errDeep
	}
	if objects(doc) > maxObjects {
		return nil, errLarge
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	if dialect, given := root["$schema"]; given {
		name, _ := dialect.(string)
		switch strings.TrimSuffix(name, "#") {
		case dialect2020:
			c.DefaultDraft(jsonschema.Draft2020)
		case "http://json-schema.org/draft-07/schema":
		default:
			return nil, errors.New("want the dialect of draft-07 or 2020-12")
		}
	}
	c.UseLoader(nothing{})
	c.UseRegexpEngine(compilePattern)
	for _, name := range formats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	if err := c.AddResource(location, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(location)
	if err != nil {
		return nil, err
	}
	return &Schema{s}, nil
}

// formats are those that the library would assert in draft-07.
var formats = []string{"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname", "email",
	"date", "time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "semver", "idn-hostname", "idn-email"}

// Valid tells whether a JSON text is valid by the schema; nil accepts all JSON.
// Numbers with exponents beyond maxExponent are valid by no schema.
func (s *Schema) Valid(text []byte) bool {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return false
	}
	return s == nil || !extreme(v) && s.compiled.Validate(v) == nil
}

// maxExponent bounds the exponents of numbers, far beyond those of a double. The
// library writes numbers out in full: a few bytes would become megabytes.
const maxExponent = 1000

var errExtreme = fmt.Errorf("a number has an exponent beyond %d", maxExponent)

// maxDepth bounds how deep a schema nests: the library takes more than quadratic
// time for it.
const maxDepth = 128

var errDeep = fmt.Errorf("it nests deeper than %d levels", maxDepth)

// deep tells whether a value nests deeper than the levels that are left.
func deep(v any, left int) bool {
	further := func(e any) bool { return deep(e, left-1) }
	switch v := v.(type) {
	case map[string]any:
		return left == 0 || slices.ContainsFunc(slices.Collect(maps.Values(v)), further)
	case []any:
		return left == 0 || slices.ContainsFunc(v, further)
	}
	return false
}

// maxObjects bounds how many schemas there may be in one: for each the library
// looks through all it has seen.
const maxObjects = 5000

var errLarge = fmt.Errorf("it holds more than %d schemas", maxObjects)

// objects counts what may be a schema.
func objects(v any) (n int) {
	switch v := v.(type) {
	case bool:
		n = 1
	case map[string]any:
		n = 1
		for _, e := range v {
			n += objects(e)
		}
	case []any:
		for _, e := range v {
			n += objects(e)
		}
	}
	return n
}

// extreme tells whether there is a number with an exponent beyond the bound.
func extreme(v any) bool {
	switch v := v.(type) {
	case json.Number:
		i := strings.IndexAny(string(v), "eE")
		if i < 0 {
			return false
		}
		n, err := strconv.Atoi(string(v[i+1:]))
		return err != nil || n > maxExponent || n < -maxExponent
	case map[string]any:
		for _, e := range v {
			if extreme(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, extreme)
	}
	return false
}

// nothing is a loader that refuses: schemas may not refer to other documents.
type nothing struct{}

func (nothing) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

// pattern is a pattern of gen/wire as the library wants it.
type pattern struct {
	*wire.Pattern
	text string
}

func (p pattern) MatchString(s string) bool { return p.Match([]byte(s)) }
func (p pattern) String() string            { return p.text }

func compilePattern(text string) (jsonschema.Regexp, error) {
	p, err := wire.ParsePattern(text)
	if err != nil {
		return nil, err
	}
	return pattern{p, text}, nil
}

// usesAsync finds the keyword $async, wherever it stands: a property of that
// name is refused along with it.
func usesAsync(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if name == "$async" || usesAsync(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, usesAsync)
	}
	return false
}

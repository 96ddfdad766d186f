package schema

import (
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

const (
	draft2020     = "https://json-schema.org/draft/2020-12/schema"
	vocabulary    = "https://json-schema.org/draft/2020-12/vocab/"
	openAPI31Base = "https://spec.openapis.org/oas/3.1/dialect/base"
)

// dialect says which keywords mean something in a resource.
type dialect struct {
	uri          string
	vocabularies map[string]bool // by last segment of the vocabulary's URI
	assertFormat bool
}

// keywordVocabulary gives the vocabulary each keyword of 2020-12 belongs to. The
// keywords of older drafts that the metaschema itself still describes count as
// applicators.
var keywordVocabulary = map[string]string{}

func init() {
	for v, keywords := range map[string]string{
		"core":              "$schema $id $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs definitions",
		"applicator":        "allOf anyOf oneOf not if then else dependentSchemas dependencies properties patternProperties additionalProperties propertyNames prefixItems items contains",
		"unevaluated":       "unevaluatedItems unevaluatedProperties",
		"validation":        "type const enum required dependentRequired minProperties maxProperties minItems maxItems minLength maxLength minContains maxContains uniqueItems pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
		"meta-data":         "title description default examples deprecated readOnly writeOnly",
		"format-annotation": "format",
		"content":           "contentEncoding contentMediaType contentSchema",
	} {
		for k := range strings.FieldsSeq(keywords) {
			keywordVocabulary[k] = v
		}
	}
}

func (d *dialect) has(keyword string) bool {
	v, known := keywordVocabulary[keyword]
	return known && (d.vocabularies == nil || d.vocabularies[v] || v == "core")
}

// dialectOf gives the dialect a schema declares with $schema, else the one it
// inherits, else 2020-12.
func (b *builder) dialectOf(v *document.Value, f *document.File, pointer string, inherited *dialect) *dialect {
	s := v.Get("$schema")
	if s == nil {
		if inherited == nil {
			inherited = b.dialect(draft2020, nil)
		}
		return inherited
	}
	if s.Kind != document.String {
		panic(f.Errorf(s, pointer+"/$schema", "$schema must be the URI of a metaschema, not %s", article(s)))
	}
	return b.dialect(s.Text, func(reason string, args ...any) *document.Error {
		return f.Errorf(s, pointer+"/$schema", reason, args...)
	})
}

func (b *builder) dialect(uri string, fail func(string, ...any) *document.Error) *dialect {
	uri = strings.TrimSuffix(uri, "#")
	if d := b.dialects[uri]; d != nil {
		return d
	}
	d := &dialect{uri: uri}
	if uri != draft2020 && uri != openAPI31Base {
		f, err := b.open(uri)
		if err != nil {
			panic(fail("the dialect %s is not known and its metaschema cannot be had (%v); use %s", uri, err, draft2020))
		}
		used := f.Root.Get("$vocabulary")
		if used == nil || used.Kind != document.Object {
			panic(fail("the metaschema %s has no $vocabulary, so it is no dialect of 2020-12; use %s", uri, draft2020))
		}
		d.vocabularies = map[string]bool{}
		for _, m := range used.Members {
			name, ours := strings.CutPrefix(m.Name, vocabulary)
			required := m.Value.Kind == document.Bool && m.Value.Bool
			switch {
			case ours && name == "format-assertion":
				d.vocabularies["format-annotation"], d.assertFormat = true, true
			case ours:
				d.vocabularies[name] = true
			case required:
				panic(fail("the metaschema %s requires the vocabulary %s, which is not known here", uri, m.Name))
			}
		}
	}
	b.dialects[uri] = d
	return d
}

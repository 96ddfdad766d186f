package schema

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// The dialects of OpenAPI that schemas are in unless they say otherwise (3.1: 4.8.24.5; 3.2.0: Schema Object).
const (
	openAPI31Base    = "https://spec.openapis.org/oas/3.1/dialect/base"
	openAPI32Dialect = "https://spec.openapis.org/oas/3.2/dialect/2025-09-17"
)

// openAPIDialects are the dialects of OpenAPI. They are 2020-12 with the vocabularies below besides.
var openAPIDialects = []string{openAPI31Base, "https://spec.openapis.org/oas/3.1/dialect/2024-11-10", openAPI32Dialect}

// openAPIVocabularies are those of the keywords discriminator, xml, externalDocs and example, which assert nothing.
var openAPIVocabularies = []string{"https://spec.openapis.org/oas/3.1/vocab/base", "https://spec.openapis.org/oas/3.2/vocab/base"}

// dialect says which keywords mean something in a resource, and what.
type dialect struct {
	*draft
	uri          string
	custom       bool            // described by a metaschema of somebody's own
	vocabularies map[string]bool // by last segment of the vocabulary's URI; nil = all of the draft
	assertFormat bool
}

func (d *dialect) has(keyword string) bool {
	v, known := d.keywords[keyword]
	return known && (d.vocabularies == nil || d.vocabularies[v] || v == "core")
}

// HasKeyword tells whether a member of the schema is a keyword of its dialect.
func (n *Node) HasKeyword() bool {
	return n.Value != nil && slices.ContainsFunc(n.Value.Members, func(m document.Member) bool { return n.Resource.dialect.has(m.Name) })
}

// dialectOf gives the dialect a schema declares with $schema, else the one it
// inherits, else 2020-12.
func (b *builder) dialectOf(v *document.Value, f *document.File, pointer string, inherited *dialect) *dialect {
	s := v.Get("$schema")
	if s == nil {
		if inherited == nil {
			inherited = b.dialect(draft2020.uri, nil)
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

// dialect gives the dialect of a metaschema: one of the drafts, or what a metaschema that can be had says of itself.
func (b *builder) dialect(uri string, fail func(string, ...any) *document.Error) *dialect {
	uri = strings.TrimSuffix(uri, "#")
	if d := b.dialects[uri]; d != nil {
		if d.draft == nil {
			panic(fail("the metaschema %s is described by itself, so nothing says which draft it is of; use %s", uri, draft2020.uri))
		}
		return d
	}
	d := &dialect{uri: uri, draft: draftOf(uri)}
	b.dialects[uri] = d
	switch {
	case slices.Contains(openAPIDialects, uri):
		d.draft = draft2020
	case d.draft == nil:
		b.custom(d, fail)
	}
	return d
}

// custom reads the metaschema of a dialect: its draft is the one it is written in itself, its vocabularies are those
// it lists, or all of the draft where it lists none.
func (b *builder) custom(d *dialect, fail func(string, ...any) *document.Error) {
	known := []string{}
	for _, one := range drafts {
		known = append(known, one.uri)
	}
	f, err := b.open(d.uri)
	if err != nil {
		panic(fail("the dialect %s is not known and its metaschema cannot be had (%v); known are %s", d.uri, err, strings.Join(known, ", ")))
	}
	if f.Root.StringMember("$schema") == "" {
		panic(fail("the metaschema %s has no $schema, so nothing says which draft it is of; known are %s", d.uri, strings.Join(known, ", ")))
	}
	base := b.dialectOf(f.Root, f, "", nil)
	d.draft, d.custom = base.draft, true
	used := f.Root.Get("$vocabulary")
	if used == nil || used.Kind != document.Object || base.draft.vocabularies == "" {
		d.vocabularies, d.assertFormat = base.vocabularies, base.assertFormat
		return
	}
	d.vocabularies = map[string]bool{}
	for _, m := range used.Members {
		name, ours := strings.CutPrefix(m.Name, base.draft.vocabularies)
		required := m.Value.Kind == document.Bool && m.Value.Bool
		switch {
		case ours && name == "format-assertion":
			d.vocabularies["format-annotation"], d.assertFormat = true, true
		case ours && name == "format":
			d.vocabularies[name], d.assertFormat = true, required // 2019-09 validation 7.2
		case ours:
			d.vocabularies[name] = true
		case required && !slices.Contains(openAPIVocabularies, m.Name):
			panic(fail("the metaschema %s requires the vocabulary %s, which is not known here", d.uri, m.Name))
		}
	}
}

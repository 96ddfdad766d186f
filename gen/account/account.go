package account

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// Mode is how an occurrence of a keyword is enforced.
type Mode int

// The modes. Where a schema is used in several ways, the later of the first three counts.
const (
	Unused       Mode = iota // nothing of the package uses the schema
	OnePass                  // decided in the pass that reads the value
	CheckedFirst             // the whole value is checked first, and read into its type after
	Raw                      // the value stays raw JSON, checked in full
	Resolved                 // references, names and definitions: resolved when the code is generated
	Idle                     // holds for every value as it is written
	Annotation               // by the standard it asserts nothing

	modes = iota
)

// String names the mode in the head of a column.
func (m Mode) String() string {
	return [...]string{"unused", "one pass", "checked first", "raw JSON", "resolved", "always holds", "annotation"}[m]
}

// Document is the account of one document.
type Document struct {
	File     *document.File
	Form     document.Form
	Schemas  int       // schemas it holds
	Keywords []Keyword // by name
	Unknown  []Place   // keywords of no vocabulary, in the order of the document
}

// Keyword is the account of one keyword in one document.
type Keyword struct {
	Name  string
	Count [modes]int // by mode
}

// Total is how often the keyword occurs.
func (k *Keyword) Total() (total int) {
	for _, n := range k.Count {
		total += n
	}
	return total
}

// Place is one occurrence of a keyword.
type Place struct {
	Keyword, Pointer string
	Line, Column     int
}

// Of accounts for every keyword of every document of a package.
func Of(g *schema.Graph, p *shape.Package) []*Document {
	uses := usesOf(g, p)
	byFile := map[*document.File]*Document{}
	counts := map[*document.File]map[string]*Keyword{}
	var out []*Document
	for _, f := range g.Files() {
		d := &Document{File: f, Form: g.Form(f)}
		byFile[f], counts[f] = d, map[string]*Keyword{}
		out = append(out, d)
	}
	for _, n := range g.Nodes() {
		d := byFile[n.File]
		d.Schemas++
		if n.Value.Kind != document.Object {
			continue
		}
		for _, m := range n.Value.Members {
			k := counts[n.File][m.Name]
			if k == nil {
				k = &Keyword{Name: m.Name}
				counts[n.File][m.Name] = k
			}
			k.Count[modeOf(n, m.Name, uses.mode(n))]++
		}
		for _, u := range n.Unknown {
			line, column := u.Value.Position()
			d.Unknown = append(d.Unknown, Place{Keyword: u.Keyword, Pointer: u.Pointer, Line: line, Column: column})
		}
	}
	for f, d := range byFile {
		for _, k := range counts[f] {
			d.Keywords = append(d.Keywords, *k)
		}
		slices.SortFunc(d.Keywords, func(a, b Keyword) int { return strings.Compare(a.Name, b.Name) })
	}
	return slices.DeleteFunc(out, func(d *Document) bool { return d.Schemas == 0 })
}

var (
	resolved = []string{"$schema", "$id", "$vocabulary", "$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$defs", "definitions",
		"id", "$recursiveRef", "$recursiveAnchor"} // of older drafts
	annotations = []string{"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
		"contentEncoding", "contentMediaType", "contentSchema"}
)

// modeOf is the mode of one keyword of n, whose own rules are enforced as use says.
func modeOf(n *schema.Node, keyword string, use Mode) Mode {
	switch {
	case slices.ContainsFunc(n.Unknown, func(u schema.Unknown) bool { return u.Keyword == keyword }),
		slices.Contains(annotations, keyword), keyword == "format" && !n.AssertFormat:
		return Annotation
	case slices.Contains(resolved, keyword):
		return Resolved
	case !asserts(n, keyword):
		return Idle
	}
	return use
}

// asserts reports whether a keyword of n can refuse a value, or has a say in what others refuse.
func asserts(n *schema.Node, keyword string) bool {
	switch keyword {
	case "then":
		return n.Then != nil
	case "else":
		return n.Else != nil
	case "minContains", "maxContains":
		return n.Contains != nil
	}
	rules := shape.Rules(n)
	// The schema package reads keywords of older drafts as those that replaced them.
	switch keyword {
	case "dependencies":
		return shape.Any(rules, "dependentRequired", "dependentSchemas")
	case "items":
		return shape.Any(rules, "items") || n.Value.Get("items").Kind == document.Array && shape.Any(rules, "prefixItems")
	case "additionalItems":
		return shape.Any(rules, "prefixItems") && shape.Any(rules, "items")
	case "minimum":
		return shape.Any(rules, "minimum", "exclusiveMinimum")
	case "maximum":
		return shape.Any(rules, "maximum", "exclusiveMaximum")
	}
	return slices.Contains(rules, keyword)
}

package golang

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// docFile is the package documentation: what the documents are, exactly which bytes, and how to use the package.
func (e *emitter) docFile() *jen.File {
	f := e.file()
	var b strings.Builder
	title := e.pkg.Title
	if title == "" {
		title = e.pkg.Name
	}
	fmt.Fprintf(&b, "Package %s holds the messages of the %s: types, decoders, validators and encoders.\n\n", e.pkg.Name, title)
	b.WriteString("Decode functions read and validate in one pass; Validate functions read without building anything. Both accept\n" +
		"exactly what the documents below accept as JSON Schema 2020-12, and refuse text that is not strict JSON. A union is\n" +
		"a sealed interface with one struct a variant; constant members are methods, not fields, so that a variant cannot\n" +
		"carry a wrong tag. Members that an open object does not name are kept in Extra and written back in order.\n\n")
	b.WriteString("Generated from:\n\n")
	for _, d := range e.pkg.Documents {
		name := e.fileName(d)
		fmt.Fprintf(&b, "  - %s", name)
		if d.Root != nil {
			for _, member := range []string{"title", "$id"} {
				if text := d.Root.StringMember(member); text != "" {
					fmt.Fprintf(&b, ", %s", text)
				}
			}
		}
		fmt.Fprintf(&b, ",\n    sha256 %s\n", d.SHA256)
	}
	b.WriteString(e.protocolDoc())
	// Line by line: what a document says could end a comment of the other kind.
	lines := strings.Split(strings.TrimRight(printable(b.String()), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight("// "+l, " ")
	}
	f.PackageComment(strings.Join(lines, "\n"))
	return f
}

// describe writes the doc comment of a type.
func (e *emitter) describe(t *shape.Type) string {
	var b strings.Builder
	n := t.Node
	switch {
	case t.Tag != "":
		fmt.Fprintf(&b, "%s is the member %q of a union: which variant it is.", t.Name, t.Tag)
	case n.Description != "":
		b.WriteString(sentence(t.Name, n.Description))
	default:
		b.WriteString(t.Name + " is " + defaultDescription(t) + ".")
	}
	if t.Kind == shape.List || t.Kind == shape.Map || t.Kind == shape.Scalar || t.Kind == shape.Raw {
		if c := constraints(n); c != "" {
			b.WriteString("\n\n" + upperFirst(c) + ".")
		}
	}
	if n.Deprecated {
		b.WriteString("\n\nDeprecated: the document marks it so.")
	}
	b.WriteString("\n\nSource: " + e.sources(t) + ".")
	return b.String()
}

func defaultDescription(t *shape.Type) string {
	switch t.Kind {
	case shape.Union:
		return "exactly one of its variants" + toldApart(t)
	case shape.Enum:
		if t.Numbers {
			return "an integer out of a closed list"
		}
		return "a string out of a closed list"
	case shape.Struct:
		if len(t.Unions) > 0 {
			u := t.Unions[0]
			for _, tag := range slices.Concat(u.Tags, u.Mixed) {
				for _, c := range t.Consts {
					if c.JSON == tag.JSON {
						return fmt.Sprintf("the %s whose %q is %s", u.Name, c.JSON, c.Value.Raw())
					}
				}
			}
			return "a variant of " + u.Name
		}
		return "an object"
	case shape.List:
		return "a list"
	case shape.Map:
		return "an object whose members all have one type"
	case shape.Raw:
		return "JSON kept as it came"
	}
	return "a value"
}

func toldApart(t *shape.Type) string {
	var tags []string
	for _, tag := range slices.Concat(t.Tags, t.Mixed) {
		tags = append(tags, strconv.Quote(tag.JSON))
	}
	if len(tags) == 0 {
		return ""
	}
	return ", told apart by " + strings.Join(tags, " and ")
}

// sources lists where the schema stands; of many equal places the first and how many more.
func (e *emitter) sources(t *shape.Type) string {
	var places []string
	for _, use := range t.Uses {
		file, pointer, _ := strings.Cut(use, "#")
		places = append(places, e.fileNames[file]+"#"+pointer)
	}
	sort.Strings(places)
	if len(places) == 1 {
		return places[0]
	}
	if len(places) == 2 {
		return places[0] + " and " + places[1]
	}
	return fmt.Sprintf("%s and %d equal places", places[0], len(places)-1)
}

// sentence makes a description start with the name it documents, as Go's doc comments do.
func sentence(name, description string) string {
	description = strings.TrimSpace(description)
	if strings.HasPrefix(description, name+" ") {
		return description
	}
	return name + ": " + lowerFirst(description)
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && !(s[1] >= 'A' && s[1] <= 'Z') {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// fieldDoc is what stands above a field: what the document says, what it demands, what an absent member means.
func fieldDoc(f *shape.Field) string {
	var parts []string
	description := f.Node.Description
	if description == "" {
		description = f.Node.Target().Description
		if f.Use.Kind == shape.UseNamed {
			description = "" // the type says it
		}
	}
	if description != "" {
		parts = append(parts, strings.TrimRight(strings.TrimSpace(description), "."))
	}
	if c := constraints(f.Node.Target()); c != "" {
		parts = append(parts, upperFirst(c))
	}
	if d := f.Node.Default; d != nil {
		parts = append(parts, "Default when absent: "+shorten(string(d.Raw())))
	}
	if f.Node.Deprecated {
		parts = append(parts, "Deprecated by the document")
	}
	if f.Node.ReadOnly {
		parts = append(parts, "Read-only")
	}
	if f.Node.WriteOnly {
		parts = append(parts, "Write-only")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ". ") + "."
}

func shorten(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// constraints says in words what a scalar, list or map has to hold to.
func constraints(n *schema.Node) string {
	var parts []string
	parts = append(parts, span("code point", n.MinLength, n.MaxLength)...)
	if n.Pattern != nil && len(*n.Pattern) <= 60 {
		parts = append(parts, "matching "+*n.Pattern)
	} else if n.Pattern != nil {
		parts = append(parts, "matching a pattern of the document")
	}
	if n.Format != "" {
		parts = append(parts, "format "+n.Format)
	}
	bound := func(word string, v *document.Value) {
		if v != nil {
			parts = append(parts, word+" "+v.Text)
		}
	}
	bound("at least", n.Minimum)
	bound("more than", n.ExclusiveMinimum)
	bound("at most", n.Maximum)
	bound("less than", n.ExclusiveMaximum)
	bound("a multiple of", n.MultipleOf)
	parts = append(parts, span("element", n.MinItems, n.MaxItems)...)
	parts = append(parts, span("member", n.MinProperties, n.MaxProperties)...)
	if n.UniqueItems {
		parts = append(parts, "elements differ")
	}
	if n.Items != nil && n.Types.Has(schema.TypeArray) {
		if item := n.Items.Target(); item.Types&(schema.TypeObject|schema.TypeArray) == 0 && item.Types != 0 {
			if each := constraints(item); each != "" {
				parts = append(parts, "each "+each)
			}
		}
	}
	return strings.Join(parts, ", ")
}

func span(unit string, lo, hi *int64) []string {
	count := func(n int64) string {
		if n == 1 {
			return "1 " + unit
		}
		return fmt.Sprintf("%d %ss", n, unit)
	}
	switch {
	case lo != nil && *lo > 0 && hi != nil && *lo == *hi:
		return []string{"exactly " + count(*lo)}
	case lo != nil && *lo > 0 && hi != nil:
		return []string{fmt.Sprintf("%d to %s", *lo, count(*hi))}
	case lo != nil && *lo > 0:
		return []string{"at least " + count(*lo)}
	case hi != nil:
		return []string{"at most " + count(*hi)}
	}
	return nil
}

// comment writes a doc comment, wrapped for reading.
func comment(text string) jen.Code {
	var lines []string
	for _, paragraph := range strings.Split(printable(text), "\n") {
		lines = append(lines, wrap(paragraph, 110)...)
	}
	for i, l := range lines {
		lines[i] = strings.TrimRight("// "+l, " ")
	}
	return jen.Comment(strings.Join(lines, "\n"))
}

// printable leaves out what may not stand in Go source, not even in a comment.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\ufeff' {
			return -1
		}
		return r
	}, s)
}

func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

package openapi

import (
	"slices"
	"strings"

	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// stylesOf lists how parameters of a place may be written, the default first, by a layout; known is false for a place
// that it does not have. A querystring has no style (OpenAPI 3.2.0, Parameter Object).
func stylesOf(l reference.Layout, in string) (list []string, known bool) {
	if l.Has(document.OpenAPI32) {
		switch in {
		case "querystring":
			return nil, true
		case "cookie":
			return []string{"form", "cookie"}, true
		}
	}
	list, known = styles[in]
	return list, known
}

// styles is what all editions have.
var styles = map[string][]string{
	"path":   {"simple", "label", "matrix"},
	"query":  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"},
	"cookie": {"form"},
}

// ignored are the headers that the specification wants described elsewhere: a parameter of the name means nothing.
var ignored = []string{"accept", "content-type", "authorization"}

// placed is a parameter and where a list has it, or refers to it.
type placed struct {
	Parameter
	at document.Place
}

func (p placed) sameAs(q placed) bool { return p.Name == q.Name && p.In == q.In }

// parameters reads a list of parameters of an operation or of a whole path.
func (r *reader) parameters(models []*v3.Parameter, list document.Place, o Operation) ([]placed, error) {
	if list.Value == nil {
		return nil, nil
	}
	var out []placed
	for i, model := range models {
		at, err := r.follow(list.Item(i), reference.Parameter)
		if err != nil {
			return nil, err
		}
		p := placed{at: list.Item(i)}
		p.Parameter = Parameter{Name: model.Name, In: model.In, Description: model.Description, Deprecated: model.Deprecated, Pointer: at.Pointer,
			Required: model.Required != nil && *model.Required}
		if p.In == "header" && slices.Contains(ignored, strings.ToLower(p.Name)) {
			continue
		}
		layout := r.layout.In(at.File())
		allowed, known := stylesOf(layout, p.In)
		switch {
		case !known && layout.Has(document.OpenAPI32):
			return nil, at.Member("in").Errorf("in must be path, query, querystring, header or cookie")
		case !known:
			return nil, at.Member("in").Errorf("in must be path, query, header or cookie")
		case p.In == "path" && o.Kind == Path && !strings.Contains(o.Path, "{"+p.Name+"}"):
			return nil, at.Member("name").Errorf("the path %s has no {%s}", o.Path, p.Name)
		case slices.ContainsFunc(out, p.sameAs):
			return nil, list.Item(i).Errorf("there is another %s parameter %q in this list", p.In, p.Name)
		}
		if p.In == "querystring" {
			if err := queryText(at); err != nil {
				return nil, err
			}
		} else if p.Style = model.Style; p.Style == "" {
			p.Style = allowed[0]
		}
		if p.Style != "" && !slices.Contains(allowed, p.Style) {
			return nil, at.Member("style").Errorf("style of a %s parameter must be %s", p.In, strings.Join(allowed, ", "))
		}
		p.Explode = p.Style == "form" || p.Style == "cookie"
		if model.Explode != nil {
			p.Explode = *model.Explode
		}
		if p.Schema, p.MediaType, err = r.value(at, "parameter"); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// queryText refuses a querystring that is anything but a text of a media type (OpenAPI 3.2.0, Parameter Object).
func queryText(at document.Place) error {
	for _, name := range []string{"schema", "style", "explode"} {
		if member := at.Member(name); member.Value != nil {
			return member.Errorf("a querystring parameter has no %s; content says how it is written", name)
		}
	}
	if at.Value.Get("content") == nil {
		return at.Errorf("a querystring parameter needs the member %q", "content")
	}
	return nil
}

// wholeQuery refuses a second parameter for the query of an operation whose query string is a parameter as a whole
// (OpenAPI 3.2.0, Parameter Object, in).
func wholeQuery(list []placed) error {
	whole := slices.IndexFunc(list, func(p placed) bool { return p.In == "querystring" })
	if whole < 0 {
		return nil
	}
	for i, p := range list {
		if i != whole && (p.In == "query" || p.In == "querystring") {
			return p.at.Errorf("the querystring parameter %q is the whole query string, so there can be no %s parameter %q", list[whole].Name, p.In, p.Name)
		}
	}
	return nil
}

// value finds the schema of a parameter or header: its own, or that of the one media type of its text.
func (r *reader) value(at document.Place, what string) (schema, mediaType string, err error) {
	own, content := at.Member("schema"), at.Member("content")
	switch {
	case own.Value != nil && content.Value != nil:
		return "", "", content.Errorf("a %s has schema or content, not both", what)
	case own.Value != nil:
		return own.Location(), "", nil
	case content.Value == nil:
		return "", "", at.Errorf("a %s needs a schema (or content)", what)
	case len(content.Value.Members) != 1:
		return "", "", content.Errorf("content of a %s must have exactly one media type", what)
	}
	kind := content.Value.Members[0].Name
	media, err := r.mediaType(content.Member(kind))
	return schemaOf(media, "schema"), kind, err
}

// schemaOf gives the location of the schema that a member holds, "" where there is none.
func schemaOf(at document.Place, member string) string {
	if own := at.Member(member); own.Value != nil {
		return own.Location()
	}
	return ""
}

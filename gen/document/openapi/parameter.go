package openapi

import (
	"slices"
	"strings"

	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// styles lists how parameters of each place may be written, the default first.
var styles = map[string][]string{
	"path":   {"simple", "label", "matrix"},
	"query":  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"},
	"cookie": {"form"},
}

// ignored are the headers that the specification wants described elsewhere: a parameter of the name means nothing.
var ignored = []string{"accept", "content-type", "authorization"}

func (p Parameter) sameAs(q Parameter) bool { return p.Name == q.Name && p.In == q.In }

// parameters reads a list of parameters of an operation or of a whole path.
func (r *reader) parameters(models []*v3.Parameter, list document.Place, o Operation) ([]Parameter, error) {
	if list.Value == nil {
		return nil, nil
	}
	var out []Parameter
	for i, model := range models {
		at, err := r.follow(list.Item(i), reference.Parameter)
		if err != nil {
			return nil, err
		}
		p := Parameter{Name: model.Name, In: model.In, Description: model.Description, Deprecated: model.Deprecated, Pointer: at.Pointer,
			Required: model.Required != nil && *model.Required}
		if p.In == "header" && slices.Contains(ignored, strings.ToLower(p.Name)) {
			continue
		}
		allowed, known := styles[p.In]
		switch {
		case !known:
			return nil, at.Member("in").Errorf("in must be path, query, header or cookie")
		case p.In == "path" && o.Kind == Path && !strings.Contains(o.Path, "{"+p.Name+"}"):
			return nil, at.Member("name").Errorf("the path %s has no {%s}", o.Path, p.Name)
		case slices.ContainsFunc(out, p.sameAs):
			return nil, list.Item(i).Errorf("there is another %s parameter %q in this list", p.In, p.Name)
		}
		if p.Style = model.Style; p.Style == "" {
			p.Style = allowed[0]
		}
		if !slices.Contains(allowed, p.Style) {
			return nil, at.Member("style").Errorf("style of a %s parameter must be %s", p.In, strings.Join(allowed, ", "))
		}
		p.Explode = p.Style == "form"
		if model.Explode != nil {
			p.Explode = *model.Explode
		}
		if p.Schema, p.MediaType, err = value(at, "parameter"); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// value finds the schema of a parameter or header: its own, or that of the one media type of its text.
func value(at document.Place, what string) (schema, mediaType string, err error) {
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
	return schemaOf(content.Member(kind), "schema"), kind, nil
}

// schemaOf gives the location of the schema that a member holds, "" where there is none.
func schemaOf(at document.Place, member string) string {
	if own := at.Member(member); own.Value != nil {
		return own.Location()
	}
	return ""
}

package openapi

import (
	"slices"
	"strconv"
	"strings"

	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"github.com/hallmark-kit/hallmark/gen/document"
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
func (r *reader) parameters(models []*v3.Parameter, list *document.Value, pointer string, o Operation) ([]Parameter, error) {
	if list == nil {
		return nil, nil
	}
	var out []Parameter
	for i, model := range models {
		v, at, err := r.follow(pointer + "/" + strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		p := Parameter{Name: model.Name, In: model.In, Description: model.Description, Deprecated: model.Deprecated, Pointer: at,
			Required: model.Required != nil && *model.Required}
		if p.In == "header" && slices.Contains(ignored, strings.ToLower(p.Name)) {
			continue
		}
		allowed, known := styles[p.In]
		switch {
		case !known:
			return nil, r.file.Errorf(v.Get("in"), at+"/in", "in must be path, query, header or cookie")
		case p.In == "path" && o.Kind == Path && !strings.Contains(o.Path, "{"+p.Name+"}"):
			return nil, r.file.Errorf(v.Get("name"), at+"/name", "the path %s has no {%s}", o.Path, p.Name)
		case slices.ContainsFunc(out, p.sameAs):
			return nil, r.file.Errorf(list.Items[i], pointer+"/"+strconv.Itoa(i), "there is another %s parameter %q in this list", p.In, p.Name)
		}
		if p.Style = model.Style; p.Style == "" {
			p.Style = allowed[0]
		}
		if !slices.Contains(allowed, p.Style) {
			return nil, r.file.Errorf(v.Get("style"), at+"/style", "style of a %s parameter must be %s", p.In, strings.Join(allowed, ", "))
		}
		p.Explode = p.Style == "form"
		if model.Explode != nil {
			p.Explode = *model.Explode
		}
		if p.Schema, p.MediaType, err = r.value(v, at, "parameter"); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// value finds the schema of a parameter or header: its own, or that of the one media type of its text.
func (r *reader) value(v *document.Value, pointer, what string) (schema, mediaType string, err error) {
	content := v.Get("content")
	switch {
	case v.Get("schema") != nil && content != nil:
		return "", "", r.file.Errorf(content, pointer+"/content", "a %s has schema or content, not both", what)
	case v.Get("schema") != nil:
		return r.file.Name + "#" + pointer + "/schema", "", nil
	case content == nil:
		return "", "", r.file.Errorf(v, pointer, "a %s needs a schema (or content)", what)
	case len(content.Members) != 1:
		return "", "", r.file.Errorf(content, pointer+"/content", "content of a %s must have exactly one media type", what)
	}
	m := content.Members[0]
	if m.Value.Get("schema") != nil {
		schema = r.file.Name + "#" + pointer + document.Pointer("content", m.Name, "schema")
	}
	return schema, m.Name, nil
}

package openapi

import (
	"slices"
	"strconv"
	"strings"

	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/orderedmap"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// Read reads the description that a file of a set holds. What references lead to may lie in other files, which the set
// loads. Errors are *document.Error.
func Read(set *document.Set, f *document.File) (*Description, error) {
	if f.Form != document.OpenAPI {
		return nil, f.Errorf(f.Root, "", "an OpenAPI description was expected, not a %s", f.Form)
	}
	c := &checker{file: f, set: set, checked: map[asKind]bool{}}
	if err := c.object(f.Top(), reference.Description); err != nil {
		return nil, err
	}
	if err := c.acyclic(); err != nil {
		return nil, err
	}
	model, err := c.model()
	if err != nil {
		return nil, err
	}
	r := &reader{checker: c, d: &Description{File: f}, ids: map[string]string{}}
	if err := r.description(model); err != nil {
		return nil, err
	}
	return r.d, nil
}

// reader turns libopenapi's model into a Description. The pointers run along: the model does not have them.
type reader struct {
	*checker
	d   *Description
	ids map[string]string // operationId -> location of its operation
}

// follow gives the object of a kind at a place, through references.
func (r *reader) follow(at document.Place, kind reference.Kind) (document.Place, error) {
	return reference.Follow(r.set, at, kind)
}

func (r *reader) description(m *v3.Document) error {
	top := r.file.Top()
	if m.Info != nil {
		r.d.Title, r.d.Version = m.Info.Title, m.Info.Version
	}
	r.d.Servers = servers(m.Servers)
	if err := r.schemes(m); err != nil {
		return err
	}
	if m.Paths != nil {
		for path, item := range all(m.Paths.PathItems) {
			if err := r.pathItem(item, top.Member("paths").Member(path), Operation{Kind: Path, Path: path}); err != nil {
				return err
			}
		}
	}
	for name, item := range all(m.Webhooks) {
		if err := r.pathItem(item, top.Member("webhooks").Member(name), Operation{Kind: Webhook, Path: name}); err != nil {
			return err
		}
	}
	return nil
}

// all ranges over an ordered map that may be missing.
func all[V any](m *orderedmap.Map[string, V]) func(func(string, V) bool) {
	if m == nil {
		return func(func(string, V) bool) {}
	}
	return m.FromOldest()
}

func servers(list []*v3.Server) []Server {
	var out []Server
	for _, s := range list {
		out = append(out, Server{URL: s.URL, Description: s.Description})
	}
	return out
}

func (r *reader) schemes(m *v3.Document) error {
	if m.Components == nil {
		return nil
	}
	for name, s := range all(m.Components.SecuritySchemes) {
		at, err := r.follow(r.file.Top().Member("components").Member("securitySchemes").Member(name), reference.Scheme)
		if err != nil {
			return err
		}
		switch {
		case !slices.Contains([]string{"http", "apiKey", "oauth2", "openIdConnect", "mutualTLS"}, s.Type):
			return at.Member("type").Errorf("type of a security scheme must be http, apiKey, oauth2, openIdConnect or mutualTLS")
		case s.Type == "http" && s.Scheme == "":
			return at.Errorf("a security scheme of type http needs the member %q", "scheme")
		case s.Type == "apiKey" && (s.Name == "" || !slices.Contains([]string{"query", "header", "cookie"}, s.In)):
			return at.Errorf("a security scheme of type apiKey needs the members %q and %q (query, header or cookie)", "name", "in")
		}
		r.d.Schemes = append(r.d.Schemes, Scheme{Name: name, Type: s.Type, Description: s.Description, In: s.In, Parameter: s.Name,
			Scheme: s.Scheme, Format: s.BearerFormat, URL: s.OpenIdConnectUrl, Pointer: at.Pointer})
	}
	return nil
}

// pathItem reads the operations of one path, webhook or callback; as says what they have in common.
func (r *reader) pathItem(item *v3.PathItem, at document.Place, as Operation) error {
	at, err := r.follow(at, reference.PathItem)
	if err != nil {
		return err
	}
	shared, err := r.parameters(item.Parameters, at.Member("parameters"), as)
	if err != nil {
		return err
	}
	for method, model := range all(item.GetOperations()) {
		o := as
		place := at.Member(method)
		o.Method, o.File, o.Pointer = strings.ToUpper(method), at.File(), place.Pointer
		o.Summary, o.Description = first(model.Summary, item.Summary), first(model.Description, item.Description)
		if len(model.Servers) == 0 {
			o.Servers = servers(item.Servers)
		}
		if err := r.operation(&o, model, place, shared); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) operation(o *Operation, model *v3.Operation, at document.Place, shared []Parameter) error {
	o.ID, o.Tags = model.OperationId, model.Tags
	o.Deprecated = model.Deprecated != nil && *model.Deprecated
	if len(model.Servers) > 0 {
		o.Servers = servers(model.Servers)
	}
	if o.ID != "" {
		if other, used := r.ids[o.ID]; used {
			return at.Member("operationId").Errorf("the operationId %q is used already, at %s", o.ID, r.named(other))
		}
		r.ids[o.ID] = at.Location()
	}
	own, err := r.parameters(model.Parameters, at.Member("parameters"), *o)
	if err != nil {
		return err
	}
	for _, p := range shared {
		if !slices.ContainsFunc(own, p.sameAs) {
			o.Parameters = append(o.Parameters, p)
		}
	}
	o.Parameters = append(o.Parameters, own...)
	if model.RequestBody != nil {
		body, err := r.follow(at.Member("requestBody"), reference.Body)
		if err != nil {
			return err
		}
		o.Body = &Body{Description: model.RequestBody.Description, Pointer: body.Pointer,
			Required: model.RequestBody.Required != nil && *model.RequestBody.Required,
			Content:  media(body)}
	}
	if err := r.responses(o, model, at.Member("responses")); err != nil {
		return err
	}
	if o.Security, err = r.security(at); err != nil {
		return err
	}
	r.d.Operations = append(r.d.Operations, o)
	for name, callback := range all(model.Callbacks) {
		to, err := r.follow(at.Member("callbacks").Member(name), reference.Callback)
		if err != nil {
			return err
		}
		for expression, item := range all(callback.Expression) {
			as := Operation{Kind: Callback, Path: expression, Of: o.Pointer, Name: name}
			if err := r.pathItem(item, to.Member(expression), as); err != nil {
				return err
			}
		}
	}
	return nil
}

// media lists the media types of a body. Descriptions are kept though the specification knows none there.
func media(of document.Place) []Media {
	var out []Media
	for kind, at := range of.Member("content").Members() {
		out = append(out, Media{Type: kind, Description: at.Value.StringMember("description"), Pointer: at.Pointer,
			Schema: schemaOf(at, "schema"), Item: schemaOf(at, "itemSchema")})
	}
	return out
}

func (r *reader) responses(o *Operation, model *v3.Operation, list document.Place) error {
	if model.Responses == nil {
		return nil
	}
	one := func(status string, response *v3.Response) error {
		at, err := r.follow(list.Member(status), reference.Response)
		if err != nil {
			return err
		}
		out := Response{Status: status, Description: response.Description, Pointer: at.Pointer, Content: media(at)}
		for name, h := range all(response.Headers) {
			if strings.EqualFold(name, "content-type") {
				continue // the specification: it is ignored, the media type says it
			}
			place, err := r.follow(at.Member("headers").Member(name), reference.Header)
			if err != nil {
				return err
			}
			header := Header{Name: name, Description: h.Description, Required: h.Required, Deprecated: h.Deprecated, Explode: h.Explode, Pointer: place.Pointer}
			if header.Schema, header.MediaType, err = value(place, "header"); err != nil {
				return err
			}
			out.Headers = append(out.Headers, header)
		}
		o.Responses = append(o.Responses, out)
		return nil
	}
	for status, response := range all(model.Responses.Codes) {
		if !isStatus(status) {
			return list.Member(status).Errorf(
				"the key of an answer must be a status such as 200, a range such as 4XX, or default")
		}
		if err := one(status, response); err != nil {
			return err
		}
	}
	if model.Responses.Default != nil {
		return one("default", model.Responses.Default)
	}
	return nil
}

// isStatus tells 200 and 4XX from everything else.
func isStatus(s string) bool {
	if len(s) != 3 || s[0] < '1' || s[0] > '5' {
		return false
	}
	if s[1:] == "XX" {
		return true
	}
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// security gives the requirements of an operation: its own, or those of the description.
func (r *reader) security(at document.Place) ([]Requirement, error) {
	list := at.Member("security")
	if list.Value == nil {
		list = r.file.Top().Member("security")
	}
	if list.Value == nil {
		return nil, nil
	}
	var out []Requirement
	for i, item := range list.Value.Items {
		var req Requirement
		for _, m := range item.Members {
			if !slices.ContainsFunc(r.d.Schemes, func(s Scheme) bool { return s.Name == m.Name }) {
				return nil, list.Item(i).Member(m.Name).Errorf("components/securitySchemes has no %q", m.Name)
			}
			n := Needed{Scheme: m.Name}
			for _, scope := range m.Value.Items {
				n.Scopes = append(n.Scopes, scope.Text)
			}
			req.Schemes = append(req.Schemes, n)
		}
		out = append(out, req)
	}
	return out, nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

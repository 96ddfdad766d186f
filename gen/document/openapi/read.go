package openapi

import (
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/index"
	"github.com/pb33f/libopenapi/orderedmap"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// Read reads the description that a file holds. Errors are *document.Error.
func Read(f *document.File) (*Description, error) {
	if f.Form != document.OpenAPI {
		return nil, f.Errorf(f.Root, "", "an OpenAPI description was expected, not a %s", f.Form)
	}
	c := &checker{file: f}
	if err := c.object(f.Root, "", "description"); err != nil {
		return nil, err
	}
	if err := c.acyclic(); err != nil {
		return nil, err
	}
	model, err := build(f)
	if err != nil {
		return nil, err
	}
	r := &reader{checker: c, d: &Description{File: f}, ids: map[string]string{}}
	if err := r.description(model); err != nil {
		return nil, err
	}
	return r.d, nil
}

// build makes libopenapi's model. Nothing is fetched: the file stands for itself.
func build(f *document.File) (*v3.Document, error) {
	doc, err := libopenapi.NewDocumentWithConfiguration(f.Data, &datamodel.DocumentConfiguration{
		Logger:                     slog.New(slog.DiscardHandler),
		SkipCircularReferenceCheck: true, // schemas are the business of package schema
		SkipExternalRefResolution:  true,
		SkipJSONConversion:         true,
	})
	if err != nil {
		return nil, modelError(f, err)
	}
	model, err := doc.BuildV3Model()
	if model == nil || err != nil && !onlySchemas(err) {
		return nil, modelError(f, err)
	}
	return &model.Model, nil
}

// onlySchemas tells whether nothing but references among schemas could not be resolved: those are checked, with their
// places, when the schema graph is built.
func onlySchemas(err error) bool {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return false
	}
	for _, e := range all.Unwrap() {
		var indexing *index.IndexingError
		if !errors.As(e, &indexing) {
			return false
		}
	}
	return true // references outside schemas have been followed by the checker
}

func modelError(f *document.File, err error) error {
	if err == nil {
		err = errors.New("it holds no description")
	}
	return &document.Error{File: f.Name, Line: 1, Column: 1, Reason: "the OpenAPI description cannot be read", Err: err}
}

// reader turns libopenapi's model into a Description. The pointers run along: the model does not have them.
type reader struct {
	*checker
	d   *Description
	ids map[string]string // operationId -> pointer of its operation
}

func (r *reader) description(m *v3.Document) error {
	if m.Info != nil {
		r.d.Title, r.d.Version = m.Info.Title, m.Info.Version
	}
	r.d.Servers = servers(m.Servers)
	if err := r.schemes(m); err != nil {
		return err
	}
	if m.Paths != nil {
		for path, item := range all(m.Paths.PathItems) {
			if err := r.pathItem(item, document.Pointer("paths", path), Operation{Kind: Path, Path: path}); err != nil {
				return err
			}
		}
	}
	for name, item := range all(m.Webhooks) {
		if err := r.pathItem(item, document.Pointer("webhooks", name), Operation{Kind: Webhook, Path: name}); err != nil {
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
		v, pointer, err := r.follow(document.Pointer("components", "securitySchemes", name))
		if err != nil {
			return err
		}
		switch {
		case !slices.Contains([]string{"http", "apiKey", "oauth2", "openIdConnect", "mutualTLS"}, s.Type):
			return r.file.Errorf(v.Get("type"), pointer+"/type", "type of a security scheme must be http, apiKey, oauth2, openIdConnect or mutualTLS")
		case s.Type == "http" && s.Scheme == "":
			return r.file.Errorf(v, pointer, "a security scheme of type http needs the member %q", "scheme")
		case s.Type == "apiKey" && (s.Name == "" || !slices.Contains([]string{"query", "header", "cookie"}, s.In)):
			return r.file.Errorf(v, pointer, "a security scheme of type apiKey needs the members %q and %q (query, header or cookie)", "name", "in")
		}
		r.d.Schemes = append(r.d.Schemes, Scheme{Name: name, Type: s.Type, Description: s.Description, In: s.In, Parameter: s.Name,
			Scheme: s.Scheme, Format: s.BearerFormat, URL: s.OpenIdConnectUrl, Pointer: pointer})
	}
	return nil
}

// pathItem reads the operations of one path, webhook or callback; as says what they have in common.
func (r *reader) pathItem(item *v3.PathItem, pointer string, as Operation) error {
	v, pointer, err := r.follow(pointer)
	if err != nil {
		return err
	}
	shared, err := r.parameters(item.Parameters, v.Get("parameters"), pointer+"/parameters", as)
	if err != nil {
		return err
	}
	for method, model := range all(item.GetOperations()) {
		o := as
		o.Method, o.Pointer = strings.ToUpper(method), pointer+"/"+method
		o.Summary, o.Description = first(model.Summary, item.Summary), first(model.Description, item.Description)
		if len(model.Servers) == 0 {
			o.Servers = servers(item.Servers)
		}
		if err := r.operation(&o, model, v.Get(method), shared); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) operation(o *Operation, model *v3.Operation, v *document.Value, shared []Parameter) error {
	o.ID, o.Tags = model.OperationId, model.Tags
	o.Deprecated = model.Deprecated != nil && *model.Deprecated
	if len(model.Servers) > 0 {
		o.Servers = servers(model.Servers)
	}
	if o.ID != "" {
		if other, used := r.ids[o.ID]; used {
			return r.file.Errorf(v.Get("operationId"), o.Pointer+"/operationId", "the operationId %q is used already, at %s", o.ID, other)
		}
		r.ids[o.ID] = o.Pointer
	}
	own, err := r.parameters(model.Parameters, v.Get("parameters"), o.Pointer+"/parameters", *o)
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
		at, pointer, err := r.follow(o.Pointer + "/requestBody")
		if err != nil {
			return err
		}
		o.Body = &Body{Description: model.RequestBody.Description, Pointer: pointer,
			Required: model.RequestBody.Required != nil && *model.RequestBody.Required,
			Content:  media(r.file, model.RequestBody.Content, at, pointer)}
	}
	if err := r.responses(o, model); err != nil {
		return err
	}
	if o.Security, err = r.security(v, o.Pointer); err != nil {
		return err
	}
	r.d.Operations = append(r.d.Operations, o)
	for name, callback := range all(model.Callbacks) {
		_, pointer, err := r.follow(o.Pointer + document.Pointer("callbacks", name))
		if err != nil {
			return err
		}
		for expression, item := range all(callback.Expression) {
			as := Operation{Kind: Callback, Path: expression, Of: o.Pointer, Name: name}
			if err := r.pathItem(item, pointer+"/"+document.EscapeToken(expression), as); err != nil {
				return err
			}
		}
	}
	return nil
}

// media lists the media types of a body. Descriptions are kept though the specification knows none there.
func media(f *document.File, content *orderedmap.Map[string, *v3.MediaType], v *document.Value, pointer string) []Media {
	var out []Media
	for kind := range all(content) {
		at := v.Get("content").Get(kind)
		place := pointer + document.Pointer("content", kind)
		m := Media{Type: kind, Description: at.StringMember("description"), Pointer: place}
		if at.Get("schema") != nil {
			m.Schema = f.Name + "#" + place + "/schema"
		}
		if at.Get("itemSchema") != nil {
			m.Item = f.Name + "#" + place + "/itemSchema"
		}
		out = append(out, m)
	}
	return out
}

func (r *reader) responses(o *Operation, model *v3.Operation) error {
	if model.Responses == nil {
		return nil
	}
	one := func(status string, response *v3.Response) error {
		v, pointer, err := r.follow(o.Pointer + document.Pointer("responses", status))
		if err != nil {
			return err
		}
		out := Response{Status: status, Description: response.Description, Pointer: pointer, Content: media(r.file, response.Content, v, pointer)}
		for name, h := range all(response.Headers) {
			if strings.EqualFold(name, "content-type") {
				continue // the specification: it is ignored, the media type says it
			}
			at, place, err := r.follow(pointer + document.Pointer("headers", name))
			if err != nil {
				return err
			}
			header := Header{Name: name, Description: h.Description, Required: h.Required, Deprecated: h.Deprecated, Explode: h.Explode, Pointer: place}
			if header.Schema, header.MediaType, err = r.value(at, place, "header"); err != nil {
				return err
			}
			out.Headers = append(out.Headers, header)
		}
		o.Responses = append(o.Responses, out)
		return nil
	}
	for status, response := range all(model.Responses.Codes) {
		if !isStatus(status) {
			return r.file.Errorf(r.file.Root.Lookup(o.Pointer+"/responses").Get(status), o.Pointer+document.Pointer("responses", status),
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
func (r *reader) security(v *document.Value, pointer string) ([]Requirement, error) {
	list, at := v.Get("security"), pointer+"/security"
	if list == nil {
		list, at = r.file.Root.Get("security"), "/security"
	}
	if list == nil {
		return nil, nil
	}
	var out []Requirement
	for i, item := range list.Items {
		var req Requirement
		for _, m := range item.Members {
			place := at + "/" + strconv.Itoa(i) + "/" + document.EscapeToken(m.Name)
			if !slices.ContainsFunc(r.d.Schemes, func(s Scheme) bool { return s.Name == m.Name }) {
				return nil, r.file.Errorf(m.Value, place, "components/securitySchemes has no %q", m.Name)
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

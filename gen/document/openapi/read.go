package openapi

import (
	"path"
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
	c := &checker{file: f, set: set, layout: reference.LayoutOf(f), checked: map[asKind]bool{}}
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
	r := &reader{checker: c, d: &Description{File: f}, ids: map[string]string{}, elsewhere: map[string]string{}}
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

	elsewhere map[string]string // location of a security scheme that is no component -> its name
}

// follow gives the object of a kind at a place, through references.
func (r *reader) follow(at document.Place, kind reference.Kind) (document.Place, error) {
	return r.layout.Follow(r.set, at, kind)
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
		out = append(out, Server{Name: s.Name, URL: s.URL, Description: s.Description})
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
		if err := r.scheme(name, s.Description, at); err != nil {
			return err
		}
	}
	return nil
}

// scheme reads a security scheme.
func (r *reader) scheme(name, description string, at document.Place) error {
	text := at.Value.StringMember
	s := Scheme{Name: name, Type: text("type"), Description: description, In: text("in"), Parameter: text("name"),
		Scheme: text("scheme"), Format: text("bearerFormat"), URL: text("openIdConnectUrl"), Pointer: at.Pointer}
	if r.layout.In(at.File()).Has(document.OpenAPI32) {
		deprecated := at.Value.Get("deprecated")
		s.Deprecated = deprecated != nil && deprecated.Bool
		if s.Type == "oauth2" {
			s.URL = text("oauth2MetadataUrl")
		}
	}
	switch {
	case !slices.Contains([]string{"http", "apiKey", "oauth2", "openIdConnect", "mutualTLS"}, s.Type):
		return at.Member("type").Errorf("type of a security scheme must be http, apiKey, oauth2, openIdConnect or mutualTLS")
	case s.Type == "http" && s.Scheme == "":
		return at.Errorf("a security scheme of type http needs the member %q", "scheme")
	case s.Type == "apiKey" && (s.Parameter == "" || !slices.Contains([]string{"query", "header", "cookie"}, s.In)):
		return at.Errorf("a security scheme of type apiKey needs the members %q and %q (query, header or cookie)", "name", "in")
	}
	r.d.Schemes = append(r.d.Schemes, s)
	return nil
}

// needed gives the name of the scheme that a member of a security requirement means. One that stands elsewhere than in
// the components of the description is read now, under the last part of its pointer or, where that is taken, as the
// requirement calls it, or else by its location.
func (r *reader) needed(member document.Place, key string) (string, error) {
	at, name, err := r.layout.SchemeOf(r.set, r.file, member, key)
	if err != nil || name != "" {
		return name, err
	}
	if err := r.object(at, reference.Scheme); err != nil {
		return "", err
	}
	if at, err = r.follow(at, reference.Scheme); err != nil {
		return "", err
	}
	location := at.Location()
	if name, known := r.elsewhere[location]; known {
		return name, nil
	}
	for _, name = range []string{lastOf(at), key, location} {
		if !slices.ContainsFunc(r.d.Schemes, func(s Scheme) bool { return s.Name == name }) {
			break
		}
	}
	r.elsewhere[location] = name
	return name, r.scheme(name, at.Value.StringMember("description"), at)
}

// lastOf gives the last part of a place's pointer; of a whole file its name without ending.
func lastOf(at document.Place) string {
	tokens, err := document.SplitPointer(at.Pointer)
	if err == nil && len(tokens) > 0 {
		return tokens[len(tokens)-1]
	}
	name, _, _ := strings.Cut(path.Base(document.CleanURI(at.File().Name)), ".")
	return name
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
	operations, err := r.layout.Operations(at)
	if err != nil {
		return err
	}
	for _, one := range operations {
		o, model, place := as, modelOf(item, one.Method), one.At
		o.Method, o.File, o.Pointer = one.Method, at.File(), place.Pointer
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

// modelOf gives the model of an operation.
func modelOf(item *v3.PathItem, method string) *v3.Operation {
	switch method {
	case "GET":
		return item.Get
	case "PUT":
		return item.Put
	case "POST":
		return item.Post
	case "DELETE":
		return item.Delete
	case "OPTIONS":
		return item.Options
	case "HEAD":
		return item.Head
	case "PATCH":
		return item.Patch
	case "TRACE":
		return item.Trace
	case "QUERY":
		return item.Query
	}
	return item.AdditionalOperations.GetOrZero(method)
}

func (r *reader) operation(o *Operation, model *v3.Operation, at document.Place, shared []placed) error {
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
	var parameters []placed
	for _, p := range shared {
		if !slices.ContainsFunc(own, p.sameAs) {
			parameters = append(parameters, p)
		}
	}
	parameters = append(parameters, own...)
	if err := wholeQuery(parameters); err != nil {
		return err
	}
	for _, p := range parameters {
		o.Parameters = append(o.Parameters, p.Parameter)
	}
	if model.RequestBody != nil {
		body, err := r.follow(at.Member("requestBody"), reference.Body)
		if err != nil {
			return err
		}
		o.Body = &Body{Description: model.RequestBody.Description, Pointer: body.Pointer,
			Required: model.RequestBody.Required != nil && *model.RequestBody.Required,
		}
		if o.Body.Content, err = r.media(body); err != nil {
			return err
		}
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

// media lists the media types of a body. Descriptions are kept though before 3.2 the specification knows none there.
func (r *reader) media(of document.Place) ([]Media, error) {
	var out []Media
	for kind, entry := range of.Member("content").Members() {
		at, err := r.mediaType(entry)
		if err != nil {
			return nil, err
		}
		description := first(entry.Value.StringMember("description"), at.Value.StringMember("description"))
		out = append(out, Media{Type: kind, Description: description, Pointer: at.Pointer,
			Schema: schemaOf(at, "schema"), Item: schemaOf(at, "itemSchema")})
	}
	return out, nil
}

// mediaType gives the media type at a place, as of 3.2 through references.
func (r *reader) mediaType(at document.Place) (document.Place, error) {
	if !r.layout.In(at.File()).MayRefer(reference.Media) {
		return at, nil
	}
	return r.follow(at, reference.Media)
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
		out := Response{Status: status, Summary: response.Summary, Description: response.Description, Pointer: at.Pointer}
		if out.Content, err = r.media(at); err != nil {
			return err
		}
		for name, h := range all(response.Headers) {
			if strings.EqualFold(name, "content-type") {
				continue // the specification: it is ignored, the media type says it
			}
			place, err := r.follow(at.Member("headers").Member(name), reference.Header)
			if err != nil {
				return err
			}
			header := Header{Name: name, Description: h.Description, Required: h.Required, Deprecated: h.Deprecated, Explode: h.Explode, Pointer: place.Pointer}
			if header.Schema, header.MediaType, err = r.value(place, "header"); err != nil {
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
			name, err := r.needed(list.Item(i).Member(m.Name), m.Name)
			if err != nil {
				return nil, err
			}
			n := Needed{Scheme: name}
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

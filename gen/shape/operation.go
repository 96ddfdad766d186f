package shape

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/openapi"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// OperationConfig is what a configuration adds to an operation of an OpenAPI description.
type OperationConfig struct {
	ID      string            // a name, where the document gives no operationId
	Events  string            // "FILE#/pointer" of what each event of a stream carries
	Answers map[string]string // status -> "FILE#/pointer" of a JSON body that the document leaves out
}

// Operation is an operation of an OpenAPI description with the types of its parts.
type Operation struct {
	*openapi.Operation
	Name       string // Go name
	ID         string
	API        *document.File // the description, which may have the operation in another file
	Parameters []*Parameter
	Body       []*Media
	Responses  []*Response // sorted: exact statuses, ranges, default
}

// Parameter is a parameter or header with its schema.
type Parameter struct {
	openapi.Parameter
	Value        *SchemaUse
	Kinds, Items schema.Types // the kinds of the value, and of the elements where it may be an array
}

// Media is a body in one media type.
type Media struct {
	openapi.Media
	Schema    *SchemaUse // of the body, nil: nothing describes it
	Event     *SchemaUse // of each item of a stream, nil: it is none, or nothing describes them
	Companion bool       // the configuration says what the document leaves out
}

// Response is an answer.
type Response struct {
	openapi.Response
	Headers []*Parameter
	Content []*Media
}

// SchemaUse is a schema where it is used: by its named type, or for itself.
type SchemaUse struct {
	Type *Type // nil: the schema has no named type
	Node *schema.Node
}

// readOperations reads the operations of every OpenAPI description and gives their bodies named types.
func (b *builder) readOperations(cfg Config) error {
	unused := map[string]bool{}
	for key := range cfg.Operations {
		unused[key] = true
	}
	for _, f := range b.graph.Descriptions {
		d, err := openapi.Read(b.graph.Set(), f)
		if err != nil {
			return err
		}
		b.protocol.Descriptions = append(b.protocol.Descriptions, d)
		for _, o := range d.Operations {
			key := o.Method + " " + o.Path
			delete(unused, key)
			op, err := b.operation(f, o, cfg.Operations[key])
			if err != nil {
				return err
			}
			b.protocol.Operations = append(b.protocol.Operations, op)
		}
	}
	if len(unused) > 0 {
		keys := slices.Sorted(maps.Keys(unused))
		return fmt.Errorf("the configuration names the operation %q, which no document has", keys[0])
	}
	sort.SliceStable(b.protocol.Operations, func(i, j int) bool {
		x, y := b.protocol.Operations[i], b.protocol.Operations[j]
		if x.Kind != y.Kind {
			return x.Kind < y.Kind
		}
		return x.Path+" "+x.Method < y.Path+" "+y.Method
	})
	return nil
}

func (b *builder) operation(f *document.File, o *openapi.Operation, cfg OperationConfig) (*Operation, error) {
	op := &Operation{Operation: o, ID: o.ID, API: f}
	at := document.Place{Value: o.File.Root.Lookup(o.Pointer), Pointer: o.Pointer}
	switch {
	case op.ID != "" && cfg.ID != "" && op.ID != cfg.ID:
		return nil, at.Errorf("the document calls this operation %q; the configuration cannot call it %q", op.ID, cfg.ID)
	case op.ID == "" && cfg.ID != "":
		op.ID = cfg.ID
	case op.ID == "":
		op.ID = defaultID(o)
	}
	op.Name = GoName(op.ID)
	for _, p := range o.Parameters {
		parameter, err := b.parameter(p)
		if err != nil {
			return nil, err
		}
		op.Parameters = append(op.Parameters, parameter)
	}
	var err error
	if o.Body != nil {
		if op.Body, err = b.media(o.Body.Content, op.Name+"Request", ""); err != nil {
			return nil, err
		}
	}
	responses := slices.Clone(o.Responses)
	for status := range cfg.Answers {
		if !slices.ContainsFunc(responses, func(r openapi.Response) bool { return r.Status == status }) {
			responses = append(responses, openapi.Response{Status: status})
		}
	}
	sort.Slice(responses, func(i, j int) bool { return statusOrder(responses[i].Status) < statusOrder(responses[j].Status) })
	for i, r := range responses {
		response := &Response{Response: r}
		for _, h := range r.Headers {
			header, err := b.parameter(openapi.Parameter{Name: h.Name, In: "header", Description: h.Description, Required: h.Required,
				Deprecated: h.Deprecated, Style: "simple", Explode: h.Explode, MediaType: h.MediaType, Schema: h.Schema, Pointer: h.Pointer})
			if err != nil {
				return nil, err
			}
			response.Headers = append(response.Headers, header)
		}
		sort.Slice(response.Headers, func(i, j int) bool { return response.Headers[i].Name < response.Headers[j].Name })
		if response.Content, err = b.media(r.Content, op.Name+answerName(r.Status, i == 0), cfg.Events); err != nil {
			return nil, err
		}
		if pointer, ok := cfg.Answers[r.Status]; ok {
			if len(response.Content) > 0 {
				return nil, at.Errorf("the document describes the body of answer %s; the configuration cannot", r.Status)
			}
			value, err := b.value(pointer, op.Name+answerName(r.Status, i == 0))
			if err != nil {
				return nil, err
			}
			response.Content = []*Media{{Media: openapi.Media{Type: "application/json"}, Schema: value, Companion: true}}
		}
		op.Responses = append(op.Responses, response)
	}
	if cfg.Events != "" && !op.streams() {
		return nil, at.Errorf("the configuration says what its events are, but no answer is a stream (text/event-stream or JSON lines)")
	}
	return op, nil
}

// defaultID makes an identifier of method and path ("get /v1/things/{id}"); webhooks and callbacks have names.
func defaultID(o *openapi.Operation) string {
	switch o.Kind {
	case openapi.Callback:
		return o.Name
	case openapi.Webhook:
		return o.Path
	}
	return strings.ToLower(o.Method) + " " + o.Path
}

// statusOrder sorts exact statuses before ranges before the default.
func statusOrder(status string) string {
	switch {
	case status == "default":
		return "2"
	case strings.HasSuffix(status, "XX"):
		return "1" + status
	}
	return "0" + status
}

// answerName is what follows the operation in the name of an answer's body: "Response" for success, the name of the
// status or of its class for everything else.
func answerName(status string, first bool) string {
	n, err := strconv.Atoi(status)
	switch {
	case status[0] == '2' && first:
		return "Response"
	case status == "default":
		return "Error"
	case err == nil && http.StatusText(n) != "":
		return GoName(http.StatusText(n))
	case status == "4XX":
		return "ClientError"
	case status == "5XX":
		return "ServerError"
	}
	return "Response " + status
}

// isJSON tells the media types whose bodies are JSON values.
func isJSON(mediaType string) bool {
	mediaType = strings.ToLower(strings.TrimSpace(strings.SplitN(mediaType, ";", 2)[0]))
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

// isStream tells the media types that carry one JSON value after the other.
func isStream(mediaType string) bool {
	switch strings.ToLower(strings.TrimSpace(strings.SplitN(mediaType, ";", 2)[0])) {
	case "text/event-stream", "application/jsonl", "application/x-ndjson", "application/json-seq":
		return true
	}
	return false
}

func (o *Operation) streams() bool {
	for _, r := range o.Responses {
		if slices.ContainsFunc(r.Content, func(m *Media) bool { return isStream(m.Type) }) {
			return true
		}
	}
	return false
}

// media gives bodies their types; name is that of a schema without one.
func (b *builder) media(content []openapi.Media, name, events string) ([]*Media, error) {
	var out []*Media
	for _, c := range content {
		m := &Media{Media: c}
		var err error
		if c.Schema != "" {
			if m.Schema, err = b.value(c.Schema, map[bool]string{true: name}[isJSON(c.Type)]); err != nil {
				return nil, err
			}
		}
		item := c.Item
		if isStream(c.Type) && item == "" && events != "" {
			item, m.Companion = events, true
		}
		if item != "" {
			if m.Event, err = b.value(item, name+"Event"); err != nil {
				return nil, err
			}
		}
		out = append(out, m)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Type < out[j].Type })
	return out, nil
}

// value finds the schema at a place. It becomes a named type if a name is given, or if it has one anyway.
func (b *builder) value(location, name string) (*SchemaUse, error) {
	n, err := b.graph.At(location)
	if err != nil {
		return nil, err
	}
	v := &SchemaUse{Node: n}
	if _, isDef := b.defs[n.Target()]; isDef || name != "" {
		v.Type = b.named(n, candidate{rank: rankTitle, text: name})
	}
	return v, nil
}

func (b *builder) parameter(p openapi.Parameter) (*Parameter, error) {
	out := &Parameter{Parameter: p}
	if p.Schema == "" {
		return out, nil
	}
	value, err := b.value(p.Schema, "")
	if err != nil {
		return nil, err
	}
	out.Value, out.Kinds = value, kindsOf(value.Node)
	if items := value.Node.Target().Items; items != nil {
		out.Items = kindsOf(items)
	} else {
		out.Items = anyKind
	}
	return out, nil
}

// nameOperations keeps the Go names of operations apart. They are sorted, so that the numbers do not depend on the order
// of the document.
func (b *builder) nameOperations() {
	taken := map[string]bool{}
	for _, o := range b.protocol.Operations {
		taken[o.Name] = true
	}
	first := map[string]bool{}
	for _, o := range b.protocol.Operations {
		if !first[o.Name] {
			first[o.Name] = true
			continue
		}
		base := o.Name
		for n := 2; taken[o.Name]; n++ {
			o.Name = fmt.Sprintf("%s%d", base, n)
		}
		taken[o.Name] = true
	}
}

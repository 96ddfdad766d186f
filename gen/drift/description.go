package drift

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// description is what is compared of an OpenAPI description besides its schemas,
// read straight off the document so that every part knows its place.
type description struct {
	side       *side
	operations []*operation // in document order
	servers    []string
	schemes    map[string]string // name -> what it is, canonical
	reading    map[string]bool   // pointers of the callbacks that are being read
}

type operation struct {
	key       string // the same in both versions for the same operation
	name      string // "POST /runs", for people
	pointer   string
	value     *document.Value
	toClient  bool // the host calls: a webhook or callback
	id        string
	params    []parameter
	body      *body
	responses []response
	security  []alternative
	secured   string // pointer of the security that holds
}

type parameter struct {
	key, name, in string
	required      bool
	style         string
	explode       bool
	pointer       string
	schema        string // pointer, "" when there is none
}

type body struct {
	required bool
	pointer  string
	media    []media
}

type media struct {
	kind    string
	pointer string
	schema  string // pointer, "" when there is none
	item    string
}

type response struct {
	status  string
	pointer string
	media   []media
	headers []parameter
}

// alternative is credentials that together do: what a scheme is -> its scopes.
type alternative map[string][]string

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// describeSide reads a description.
func describeSide(s *side) *description {
	d := &description{side: s, schemes: map[string]string{}, reading: map[string]bool{}}
	root := s.file.Root
	for _, v := range itemsOf(root.Get("servers")) {
		d.servers = append(d.servers, v.StringMember("url"))
	}
	for _, m := range membersOf(root.Lookup("/components/securitySchemes")) {
		v, _ := d.follow(document.Pointer("components", "securitySchemes", m.Name))
		d.schemes[m.Name] = schemeText(v)
	}
	for _, m := range membersOf(root.Get("paths")) {
		if !strings.HasPrefix(m.Name, "x-") {
			d.pathItem(document.Pointer("paths", m.Name), m.Name, shape(m.Name), m.Name, false)
		}
	}
	for _, m := range membersOf(root.Get("webhooks")) {
		d.pathItem(document.Pointer("webhooks", m.Name), "", "webhook "+m.Name, "webhook "+m.Name, true)
	}
	return d
}

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// shape is a path with its parameters unnamed.
func shape(path string) string { return pathParameter.ReplaceAllString(path, "{}") }

// schemeText says what a security scheme is, whatever it is called.
func schemeText(v *document.Value) string {
	var members []document.Member
	for _, m := range membersOf(v) {
		if m.Name != "description" && m.Name != "bearerFormat" && !strings.HasPrefix(m.Name, "x-") && m.Name != "flows" {
			members = append(members, m)
		}
	}
	return objectOf(members...).Canonical()
}

func membersOf(v *document.Value) []document.Member {
	if v == nil {
		return nil
	}
	return v.Members
}

func itemsOf(v *document.Value) []*document.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// follow gives the value at a pointer, through references inside the file.
func (d *description) follow(pointer string) (*document.Value, string) {
	for range 100 {
		v := d.side.file.Root.Lookup(pointer)
		ref := v.Get("$ref")
		if v == nil || ref == nil || ref.Kind != document.String {
			return v, pointer
		}
		_, fragment, err := document.ResolveURI("", ref.Text)
		if err != nil || d.side.file.Root.Lookup(fragment) == nil {
			panic(d.side.file.Errorf(ref, pointer+"/$ref", "%q cannot be resolved in this file", ref.Text))
		}
		pointer = fragment
	}
	panic(d.side.file.Errorf(d.side.file.Root.Lookup(pointer), pointer, "the reference leads back to itself"))
}

func (d *description) pathItem(pointer, path, key, name string, toClient bool) {
	item, at := d.follow(pointer)
	shared := d.parameters(at, path)
	for _, m := range membersOf(item) {
		method := m.Name
		if !slices.Contains(methods, method) {
			continue
		}
		o := &operation{
			key: strings.ToUpper(method) + " " + key, name: strings.ToUpper(method) + " " + name,
			pointer: at + "/" + method, value: m.Value, toClient: toClient, id: m.Value.StringMember("operationId"),
		}
		o.params = d.parameters(o.pointer, path)
		for _, p := range shared {
			if !slices.ContainsFunc(o.params, func(q parameter) bool { return q.key == p.key }) {
				o.params = append(o.params, p)
			}
		}
		if m.Value.Get("requestBody") != nil {
			v, at := d.follow(o.pointer + "/requestBody")
			o.body = &body{required: isTrue(v.Get("required")), pointer: at, media: mediaOf(v, at)}
		}
		for _, r := range membersOf(m.Value.Get("responses")) {
			if !strings.HasPrefix(r.Name, "x-") {
				o.responses = append(o.responses, d.response(o.pointer+document.Pointer("responses", r.Name), r.Name))
			}
		}
		d.secure(o)
		d.operations = append(d.operations, o)
		for _, cb := range membersOf(m.Value.Get("callbacks")) {
			v, at := d.follow(o.pointer + document.Pointer("callbacks", cb.Name))
			if d.reading[at] {
				continue // an operation may be called back the way it was
			}
			d.reading[at] = true
			for _, e := range membersOf(v) {
				if !strings.HasPrefix(e.Name, "x-") {
					d.pathItem(at+"/"+document.EscapeToken(e.Name), "", o.key+" callback "+cb.Name+" "+e.Name, "callback "+cb.Name+" of "+o.name, true)
				}
			}
			delete(d.reading, at)
		}
	}
}

func isTrue(v *document.Value) bool { return v != nil && v.Kind == document.Bool && v.Bool }

// parameters reads the parameters of a path item or operation.
func (d *description) parameters(owner, path string) []parameter {
	var list []parameter
	for i := range itemsOf(d.side.file.Root.Lookup(owner + "/parameters")) {
		v, at := d.follow(owner + "/parameters/" + strconv.Itoa(i))
		p := parameter{name: v.StringMember("name"), in: v.StringMember("in"), required: isTrue(v.Get("required")), pointer: at, style: v.StringMember("style")}
		lower := strings.ToLower(p.name)
		if p.in == "header" && (lower == "accept" || lower == "content-type" || lower == "authorization") {
			continue // the specification: described elsewhere
		}
		p.key = p.in + " " + p.name
		switch p.in {
		case "header":
			p.key = p.in + " " + lower
		case "path":
			// Path parameters are told apart by where they stand.
			if k := slices.Index(pathParameter.FindAllString(path, -1), "{"+p.name+"}"); k >= 0 {
				p.key = p.in + " " + strconv.Itoa(k)
			}
			p.required = true
		}
		if p.style == "" {
			p.style = map[string]string{"query": "form", "cookie": "form"}[p.in]
			if p.style == "" {
				p.style = "simple"
			}
		}
		p.explode = p.style == "form"
		if e := v.Get("explode"); e != nil {
			p.explode = isTrue(e)
		}
		p.schema = valueSchema(v, at)
		for _, m := range membersOf(v.Get("content")) {
			p.style, p.explode = "as "+strings.ToLower(m.Name), false
		}
		list = append(list, p)
	}
	return list
}

// valueSchema gives the schema of a parameter or header.
func valueSchema(v *document.Value, at string) string {
	if v.Get("schema") != nil {
		return at + "/schema"
	}
	for _, m := range membersOf(v.Get("content")) {
		if m.Value.Get("schema") != nil {
			return at + document.Pointer("content", m.Name, "schema")
		}
	}
	return ""
}

func mediaOf(v *document.Value, at string) []media {
	var list []media
	for _, m := range membersOf(v.Get("content")) {
		one := media{kind: strings.ToLower(m.Name), pointer: at + document.Pointer("content", m.Name)}
		if m.Value.Get("schema") != nil {
			one.schema = one.pointer + "/schema"
		}
		if m.Value.Get("itemSchema") != nil {
			one.item = one.pointer + "/itemSchema"
		}
		list = append(list, one)
	}
	return list
}

func (d *description) response(pointer, status string) response {
	v, at := d.follow(pointer)
	r := response{status: strings.ToUpper(status), pointer: at, media: mediaOf(v, at)}
	if status == "default" {
		r.status = status
	}
	for _, h := range membersOf(v.Get("headers")) {
		if strings.EqualFold(h.Name, "content-type") {
			continue
		}
		hv, hat := d.follow(at + document.Pointer("headers", h.Name))
		r.headers = append(r.headers, parameter{key: strings.ToLower(h.Name), name: h.Name, in: "header", required: isTrue(hv.Get("required")), pointer: hat, schema: valueSchema(hv, hat)})
	}
	return r
}

// secure finds the credentials an operation needs.
func (d *description) secure(o *operation) {
	list := o.value.Get("security")
	o.secured = o.pointer + "/security"
	if list == nil {
		list = d.side.file.Root.Get("security")
		o.secured = "/security"
	}
	if list == nil {
		o.secured = o.pointer
	}
	for _, item := range itemsOf(list) {
		a := alternative{}
		for _, m := range membersOf(item) {
			what := d.schemes[m.Name]
			if what == "" {
				what = m.Name
			}
			var scopes []string
			for _, s := range itemsOf(m.Value) {
				scopes = append(scopes, s.Text)
			}
			a[what] = append(a[what], scopes...)
		}
		o.security = append(o.security, a)
	}
	if len(o.security) == 0 {
		o.security = []alternative{{}}
	}
}

// enough tells whether credentials for have do where want is asked for.
func enough(have, want alternative) bool {
	for scheme, scopes := range want {
		given, ok := have[scheme]
		if !ok {
			return false
		}
		for _, s := range scopes {
			if !slices.Contains(given, s) {
				return false
			}
		}
	}
	return true
}

package drift

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// description is what is compared of an OpenAPI description besides its schemas,
// read straight off the document so that every part knows its place.
type description struct {
	side       *side
	layout     reference.Layout
	operations []*operation // in document order
	servers    []string
	schemes    map[string]string        // name -> what it is, canonical
	reading    map[*document.Value]bool // the callbacks that are being read
}

type operation struct {
	key       string // the same in both versions for the same operation
	name      string // "POST /runs", for people
	at        document.Place
	toClient  bool // the host calls: a webhook or callback
	id        string
	params    []parameter
	body      *body
	responses []response
	security  []alternative
	secured   document.Place // the security that holds
}

type parameter struct {
	key, name, in string
	required      bool
	style         string
	explode       bool
	at            document.Place
	schema        document.Place // nothing where there is none
}

type body struct {
	required bool
	at       document.Place
	media    []media
}

type media struct {
	kind   string
	at     document.Place
	schema document.Place // nothing where there is none
	item   document.Place
}

type response struct {
	status  string
	at      document.Place
	media   []media
	headers []parameter
}

// alternative is credentials that together do: what a scheme is -> its scopes.
type alternative map[string][]string

// describeSide reads a description.
func describeSide(s *side) *description {
	d := &description{side: s, layout: reference.LayoutOf(s.file), schemes: map[string]string{}, reading: map[*document.Value]bool{}}
	root := s.file.Top()
	for _, v := range itemsOf(root.Value.Get("servers")) {
		d.servers = append(d.servers, v.StringMember("url"))
	}
	for name, at := range root.Member("components").Member("securitySchemes").Members() {
		d.schemes[name] = schemeText(d.follow(at, reference.Scheme).Value)
	}
	for path, at := range root.Member("paths").Members() {
		if !strings.HasPrefix(path, "x-") {
			d.pathItem(at, path, shape(path), path, false)
		}
	}
	for name, at := range root.Member("webhooks").Members() {
		d.pathItem(at, "", "webhook "+name, "webhook "+name, true)
	}
	return d
}

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// shape is a path with its parameters unnamed.
func shape(path string) string { return pathParameter.ReplaceAllString(path, "{}") }

// descriptive are the members of a security scheme that do not tell what credentials it takes.
var descriptive = []string{"description", "bearerFormat", "flows", "deprecated", "oauth2MetadataUrl"}

// schemeText says what a security scheme is, whatever it is called.
func schemeText(v *document.Value) string {
	var members []document.Member
	for _, m := range membersOf(v) {
		if !slices.Contains(descriptive, m.Name) && !strings.HasPrefix(m.Name, "x-") {
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

// follow gives the object of a kind at a place, through references.
func (d *description) follow(at document.Place, kind reference.Kind) document.Place {
	to, err := d.layout.Follow(d.side.set, at, kind)
	if err != nil {
		panic(err)
	}
	return to
}

func (d *description) pathItem(at document.Place, path, key, name string, toClient bool) {
	at = d.follow(at, reference.PathItem)
	shared := d.parameters(at, path)
	operations, err := d.layout.Operations(at)
	if err != nil {
		panic(err)
	}
	for _, one := range operations {
		place := one.At
		o := &operation{
			key: one.Method + " " + key, name: one.Method + " " + name,
			at: place, toClient: toClient, id: place.Value.StringMember("operationId"),
		}
		o.params = d.parameters(o.at, path)
		for _, p := range shared {
			if !slices.ContainsFunc(o.params, func(q parameter) bool { return q.key == p.key }) {
				o.params = append(o.params, p)
			}
		}
		if given := place.Member("requestBody"); given.Value != nil {
			at := d.follow(given, reference.Body)
			o.body = &body{required: isTrue(at.Value.Get("required")), at: at, media: d.mediaOf(at)}
		}
		for status, at := range place.Member("responses").Members() {
			if !strings.HasPrefix(status, "x-") {
				o.responses = append(o.responses, d.response(at, status))
			}
		}
		d.secure(o)
		d.operations = append(d.operations, o)
		for cb, callback := range place.Member("callbacks").Members() {
			at := d.follow(callback, reference.Callback)
			if d.reading[at.Value] {
				continue // an operation may be called back the way it was
			}
			d.reading[at.Value] = true
			for expression, item := range at.Members() {
				if !strings.HasPrefix(expression, "x-") {
					d.pathItem(item, "", o.key+" callback "+cb+" "+expression, "callback "+cb+" of "+o.name, true)
				}
			}
			delete(d.reading, at.Value)
		}
	}
}

func isTrue(v *document.Value) bool { return v != nil && v.Kind == document.Bool && v.Bool }

// parameters reads the parameters of a path item or operation.
func (d *description) parameters(owner document.Place, path string) []parameter {
	var list []parameter
	all := owner.Member("parameters")
	for i := range itemsOf(all.Value) {
		at := d.follow(all.Item(i), reference.Parameter)
		v := at.Value
		p := parameter{name: v.StringMember("name"), in: v.StringMember("in"), required: isTrue(v.Get("required")), at: at, style: v.StringMember("style")}
		lower := strings.ToLower(p.name)
		if p.in == "header" && (lower == "accept" || lower == "content-type" || lower == "authorization") {
			continue // the specification: described elsewhere
		}
		p.key = p.in + " " + p.name
		switch p.in {
		case "header":
			p.key = p.in + " " + lower
		case "querystring":
			p.key = p.in // its name is written nowhere
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
		p.explode = p.style == "form" || p.style == "cookie"
		if e := v.Get("explode"); e != nil {
			p.explode = isTrue(e)
		}
		p.schema = d.valueSchema(at)
		for _, m := range membersOf(v.Get("content")) {
			p.style, p.explode = "as "+strings.ToLower(m.Name), false
		}
		list = append(list, p)
	}
	return list
}

// mediaType gives the media type at a place, as of 3.2 through references.
func (d *description) mediaType(at document.Place) document.Place {
	if !d.layout.In(at.File()).MayRefer(reference.Media) {
		return at
	}
	return d.follow(at, reference.Media)
}

// valueSchema gives the schema of a parameter or header.
func (d *description) valueSchema(at document.Place) document.Place {
	if own := at.Member("schema"); own.Value != nil {
		return own
	}
	for _, media := range at.Member("content").Members() {
		if own := d.mediaType(media).Member("schema"); own.Value != nil {
			return own
		}
	}
	return document.Place{}
}

func (d *description) mediaOf(of document.Place) []media {
	var list []media
	for kind, at := range of.Member("content").Members() {
		at = d.mediaType(at)
		list = append(list, media{kind: strings.ToLower(kind), at: at, schema: at.Member("schema"), item: at.Member("itemSchema")})
	}
	return list
}

func (d *description) response(at document.Place, status string) response {
	at = d.follow(at, reference.Response)
	r := response{status: strings.ToUpper(status), at: at, media: d.mediaOf(at)}
	if status == "default" {
		r.status = status
	}
	for name, header := range at.Member("headers").Members() {
		if strings.EqualFold(name, "content-type") {
			continue
		}
		at := d.follow(header, reference.Header)
		r.headers = append(r.headers, parameter{key: strings.ToLower(name), name: name, in: "header", required: isTrue(at.Value.Get("required")), at: at, schema: d.valueSchema(at)})
	}
	return r
}

// secure finds the credentials an operation needs.
func (d *description) secure(o *operation) {
	o.secured = o.at.Member("security")
	if o.secured.Value == nil {
		o.secured = d.side.file.Top().Member("security")
	}
	list := o.secured.Value
	if list == nil {
		o.secured = o.at
	}
	for i, item := range itemsOf(list) {
		a := alternative{}
		for _, m := range membersOf(item) {
			what := d.scheme(o.secured.Item(i).Member(m.Name), m.Name)
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

// scheme says what the security scheme is that a member of a requirement names. As of 3.2 the name may be a reference.
func (d *description) scheme(member document.Place, name string) string {
	if what := d.schemes[name]; what != "" {
		return what
	}
	if !d.layout.In(member.File()).Has(document.OpenAPI32) {
		return name
	}
	at, _, err := d.layout.SchemeOf(d.side.set, d.side.file, member, name)
	if err != nil {
		panic(err)
	}
	return schemeText(d.follow(at, reference.Scheme).Value)
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

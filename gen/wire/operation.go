package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// Direction says who sends and who receives, as "client->server".
type Direction string

// The directions of HTTP operations.
const (
	ClientToServer Direction = "client->server"
	ServerToClient Direction = "server->client" // webhooks and callbacks
)

// From names the role that sends.
func (d Direction) From() string {
	from, _, _ := strings.Cut(string(d), "->")
	return from
}

// To names the role that receives.
func (d Direction) To() string {
	_, to, _ := strings.Cut(string(d), "->")
	return to
}

// Operation is one HTTP request and its answers, as an OpenAPI description has them.
type Operation struct {
	ID          string    // operationId; where the document gives none, a name out of protocol.yaml or of method and path
	Method      string    // as it is sent: upper case, but for what additionalOperations of OpenAPI 3.2 may name
	Path        string    // a template, such as /v1/jobs/{id}; of a webhook its name, of a callback its expression
	Direction   Direction // who sends the request
	Summary     string
	Description string
	Tags        []string
	Deprecated  bool
	Servers     []Server    // where they are not those of the package
	Parameters  []Parameter // in the order of the document
	Body        *Body       // nil: the request has none
	Responses   []Response  // sorted by status: exact ones, ranges, default
	Security    []Requirement
	Document    string // file name of the document
	Pointer     string // JSON pointer of the operation in the document
}

// Response gives the answer that describes a status: that of the status itself, of its range (4XX), or the default;
// nil where the document describes none.
func (o *Operation) Response(status int) *Response {
	text := strconv.Itoa(status)
	for _, want := range []string{text, text[:1] + "XX", "default"} {
		for i := range o.Responses {
			if o.Responses[i].Status == want {
				return &o.Responses[i]
			}
		}
	}
	return nil
}

// Server is where an API is served.
type Server struct {
	Name        string // where the document gives one (OpenAPI 3.2)
	URL         string // may hold {variables}
	Description string
}

// Body is what a request carries.
type Body struct {
	Description string
	Required    bool
	Content     []Media // sorted by type
}

// As gives the form of the body for a media type, nil where there is none.
func (b *Body) As(mediaType string) *Media {
	if b == nil {
		return nil
	}
	return findMedia(b.Content, mediaType)
}

// Response is one answer.
type Response struct {
	Status      string // "200", "4XX" or "default"
	Summary     string // where the document gives one (OpenAPI 3.2)
	Description string
	Headers     []Parameter // sorted by name; In is "header"
	Content     []Media     // sorted by type
}

// As gives the form of the answer for a media type, nil where there is none.
func (r *Response) As(mediaType string) *Media {
	if r == nil {
		return nil
	}
	return findMedia(r.Content, mediaType)
}

// Media is a body in one media type.
type Media struct {
	Type        string // "application/json"; may be a range, such as text/*
	Description string
	// Schema describes the whole body as a JSON value: the body itself where the type is JSON, else its text as a
	// JSON string. Its Validate is nil where nothing describes the body.
	Schema Type
	// Event describes the data of each event of a stream (text/event-stream), each line of a text of JSON lines, or
	// whatever else the document gives a schema for each item of.
	Event Type
	// Companion is set where the document does not say what the body, or each event of it, is, and protocol.yaml does.
	Companion bool
}

func findMedia(list []Media, mediaType string) *Media {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	major, _, _ := strings.Cut(mediaType, "/")
	for _, want := range []string{mediaType, major + "/*", "*/*"} {
		for i := range list {
			have, _, _ := strings.Cut(list[i].Type, ";")
			if strings.ToLower(strings.TrimSpace(have)) == want {
				return &list[i]
			}
		}
	}
	return nil
}

// Requirement is a set of credentials that are needed together. One of the requirements of an operation is enough; an
// operation without any needs no credentials, and neither does one of whose requirements is empty.
type Requirement []Credential

// Credential is one credential of a requirement.
type Credential struct {
	Scheme *SecurityScheme
	Scopes []string // or roles
}

// SecurityScheme is a way to prove who is calling.
type SecurityScheme struct {
	Name        string // in the document
	Type        string // http, apiKey, oauth2, openIdConnect or mutualTLS
	Description string
	In          string // of apiKey: query, header or cookie
	Parameter   string // of apiKey: the name of the parameter
	Scheme      string // of http: basic, bearer, ...
	Format      string // of bearer: a hint at what the token is
	URL         string // of openIdConnect, and of oauth2 where the document gives it (OpenAPI 3.2): where it is described
	Deprecated  bool
}

// Parameter is one value that a request or an answer carries outside its body.
type Parameter struct {
	Name        string
	In          string // path, query, querystring (the whole query string), header or cookie
	Description string
	Required    bool
	Deprecated  bool
	Style       string // how lists are written: simple, form, label, matrix, spaceDelimited, pipeDelimited, deepObject, cookie; "" of a querystring
	Explode     bool
	MediaType   string // of a value that is a text of this type, "" for all others
	Kinds       []Kind // the kinds of JSON value that the schema allows
	Items       []Kind // where Kinds has KindArray: those that it allows for the elements
	Schema      Type   // without a name where the schema has no Go type
}

// Validate reads the texts under which a parameter was found, decoded from the URL or header, and holds the value they
// make against the schema. It returns a *Error for a value that breaks a rule. The texts of a query parameter that
// occurs several times, or of a header with several lines, are given together.
func (p *Parameter) Validate(texts []string, opts ...Option) error {
	data, err := p.JSON(texts)
	if err != nil || p.Schema.Validate == nil {
		return err
	}
	return p.Schema.Validate(data, opts...)
}

// JSON gives the JSON value that texts stand for. A text is read as a string where the schema allows one, else as a
// number or boolean. It fails where there is none or more than one text for a single value, and for objects, whose
// members are spread over names that only the whole request shows.
func (p *Parameter) JSON(texts []string) ([]byte, error) {
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s parameter %s: no value", p.In, p.Name)
	}
	if p.allows(KindArray) && p.MediaType == "" && !p.allows(KindString) {
		b := []byte{'['}
		for i, item := range p.split(texts) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(b, item, p.Items)
		}
		return append(b, ']'), nil
	}
	if len(texts) > 1 {
		return nil, fmt.Errorf("%s parameter %s: given %d times, takes one value", p.In, p.Name, len(texts))
	}
	text := p.unwrap(texts[0])
	switch {
	case isJSON(p.MediaType):
		return []byte(text), nil
	case len(p.Kinds) == 1 && p.Kinds[0] == KindObject && (p.MediaType == "" || isForm(p.MediaType)):
		return nil, fmt.Errorf("%s parameter %s: is an object: put its members together and validate it with Schema", p.In, p.Name)
	case p.MediaType != "":
		return AppendString(nil, text), nil
	}
	return appendText(nil, text, p.Kinds), nil
}

func (p *Parameter) allows(k Kind) bool {
	for _, have := range p.Kinds {
		if have == k {
			return true
		}
	}
	return false
}

// unwrap takes off what the styles of path parameters put before a value: ".", or ";name=".
func (p *Parameter) unwrap(text string) string {
	switch p.Style {
	case "label":
		return strings.TrimPrefix(text, ".")
	case "matrix":
		return strings.TrimPrefix(strings.TrimPrefix(text, ";"+p.Name), "=")
	}
	return text
}

// split gives the elements of a list.
func (p *Parameter) split(texts []string) []string {
	separator := ","
	switch {
	case p.In == "query" && p.Explode || p.In == "cookie" && p.Explode:
		return texts
	case p.Style == "spaceDelimited":
		separator = " "
	case p.Style == "pipeDelimited":
		separator = "|"
	case p.Style == "label" && p.Explode:
		separator = "."
	case p.Style == "matrix" && p.Explode:
		separator = ";" + p.Name + "="
	}
	var items []string
	for _, text := range texts {
		text = p.unwrap(text)
		if text == "" {
			continue
		}
		for _, item := range strings.Split(text, separator) {
			if p.In == "header" {
				item = strings.TrimSpace(item)
			}
			items = append(items, item)
		}
	}
	return items
}

// appendText writes a text as the JSON value that the kinds make of it: a string where that is allowed, and where
// nothing else fits.
func appendText(b []byte, text string, kinds []Kind) []byte {
	var number, boolean bool
	for _, k := range kinds {
		switch k {
		case KindString:
			return AppendString(b, text)
		case KindNumber:
			number = true
		case KindBool:
			boolean = true
		}
	}
	switch {
	case boolean && (text == "true" || text == "false"), number && isNumber(text):
		return append(b, text...)
	}
	return AppendString(b, text)
}

// isNumber tells whether text is a JSON number and nothing else.
func isNumber(text string) bool {
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	if text == "" || text[0] != '-' && !isDigit(text[0]) || !isDigit(text[len(text)-1]) {
		return false
	}
	r := Acquire([]byte(text), nil)
	r.Number()
	return r.Close() == nil
}

// isJSON tells application/json and types built on it.
func isJSON(mediaType string) bool {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

// isForm tells the media type whose texts are the fields of a form.
func isForm(mediaType string) bool {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return strings.EqualFold(strings.TrimSpace(mediaType), "application/x-www-form-urlencoded")
}

// Validator makes a function that validates out of one that checks the next value of a reader.
func Validator(check func(*Reader) bool) func([]byte, ...Option) error {
	return func(data []byte, opts ...Option) error {
		r := Acquire(data, opts)
		check(r)
		return r.Close()
	}
}

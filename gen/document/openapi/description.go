package openapi

import "github.com/hallmark-kit/hallmark/gen/document"

// Description is an OpenAPI description without its schemas. What is referred to may lie in other files; the pointer of
// each part is into the file where it stands.
type Description struct {
	File       *document.File
	Title      string // info.title
	Version    string // info.version: of the described API, not of OpenAPI
	Servers    []Server
	Operations []*Operation // of paths, each followed by its callbacks, then of webhooks; in document order
	Schemes    []Scheme     // in document order
}

// Server is where an API is served.
type Server struct {
	Name        string // as of 3.2
	URL         string // may hold {variables}
	Description string
}

// Kind tells who calls an operation.
type Kind uint8

// The kinds of operations.
const (
	Path     Kind = iota // the client calls the server
	Webhook              // the server calls the client, at an address agreed on elsewhere
	Callback             // the server calls the client, at an address that an earlier request carried
)

// Operation is one method of one path, webhook or callback.
type Operation struct {
	Kind        Kind
	ID          string // operationId, "" where the document gives none
	Method      string // as it is sent: upper case, but for what additionalOperations of 3.2 may name
	Path        string // the path template; of a webhook its name, of a callback its runtime expression
	Of          string // of a callback: the pointer of the operation that names it
	Name        string // of a callback: its name there
	Summary     string
	Description string
	Tags        []string
	Deprecated  bool
	Servers     []Server // where they are not those of the description
	Parameters  []Parameter
	Body        *Body // nil: none
	Responses   []Response
	Security    []Requirement  // alternatives; empty: none is needed
	File        *document.File // where it stands: where a reference of its path leads to
	Pointer     string
}

// Parameter is one value that a request carries outside its body.
type Parameter struct {
	Name        string
	In          string // path, query, querystring (the whole query string, 3.2), header or cookie
	Description string
	Required    bool
	Deprecated  bool
	Style       string // how the value is written: simple, form, label, matrix, spaceDelimited, pipeDelimited, deepObject, cookie (3.2); "" of a querystring
	Explode     bool
	MediaType   string // of a parameter that is a text of this type, "" for all others
	Schema      string // place of the schema, "" where the document gives none
	Pointer     string
}

// Body is what a request carries.
type Body struct {
	Description string
	Required    bool
	Content     []Media
	Pointer     string
}

// Media is a body in one media type.
type Media struct {
	Type        string // "application/json", "text/*"
	Description string
	Schema      string // place of the schema of the whole body, "" where the document gives none
	Item        string // place of the schema of each item of a stream (itemSchema), "" where the document gives none
	Pointer     string
}

// Response is one answer.
type Response struct {
	Status      string // "200", "4XX" or "default"
	Summary     string // as of 3.2
	Description string
	Headers     []Header
	Content     []Media
	Pointer     string
}

// Header is a header of an answer.
type Header struct {
	Name        string
	Description string
	Required    bool
	Deprecated  bool
	Explode     bool
	MediaType   string // as of a Parameter
	Schema      string
	Pointer     string
}

// Requirement is a set of schemes that are needed together; without any, no credentials are needed.
type Requirement struct {
	Schemes []Needed
}

// Needed is one scheme of a requirement.
type Needed struct {
	Scheme string   // its name
	Scopes []string // or roles
}

// Scheme is a way to prove who is calling.
type Scheme struct {
	Name        string // its name in the components, or what stands for it where a requirement refers to it elsewhere
	Type        string // http, apiKey, oauth2, openIdConnect or mutualTLS
	Description string
	In          string // of apiKey: query, header or cookie
	Parameter   string // of apiKey: the name of the parameter
	Scheme      string // of http: basic, bearer, ...
	Format      string // of bearer: a hint at what the token is
	URL         string // of openIdConnect, and of oauth2 (3.2): where it is described
	Deprecated  bool   // as of 3.2
	Pointer     string
}

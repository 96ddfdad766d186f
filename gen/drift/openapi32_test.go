package drift_test

import (
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/drift"
)

const (
	api32     = `{"openapi": "3.2.0", "info": {"title": "t", "version": "1"}, `
	whole     = `{"name": "q", "in": "querystring", "content": {"application/json": {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}}}`
	schemes32 = `, "components": {"securitySchemes": {"b": {"type": "http", "scheme": "bearer"}, "k": {"type": "apiKey", "in": "header", "name": "K"}}}`
)

var changes32 = []operationChange{
	{"QUERY added", `"paths": {"/a": {"get": {` + ok + `}}}`, `"paths": {"/a": {"get": {` + ok + `}, "query": {` + ok + `}}}`, "compatible", []string{"operation-added"}},
	{"QUERY removed", `"paths": {"/a": {"query": {` + ok + `}}}`, `"paths": {"/a": {"get": {` + ok + `}}}`, "breaking", []string{"operation-removed", "operation-added"}},
	{"additional operation removed", `"paths": {"/a": {"additionalOperations": {"COPY": {` + ok + `}, "MOVE": {` + ok + `}}}}`, `"paths": {"/a": {"additionalOperations": {"MOVE": {` + ok + `}}}}`, "breaking", []string{"operation-removed"}},
	{"method in another case", `"paths": {"/a": {"additionalOperations": {"COPY": {` + ok + `}}}}`, `"paths": {"/a": {"additionalOperations": {"copy": {` + ok + `}}}}`, "breaking", []string{"operation-removed", "operation-added"}},
	{"parameter of an additional operation became required", `"paths": {"/a": {"additionalOperations": {"COPY": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], ` + ok + `}}}}`,
		`"paths": {"/a": {"additionalOperations": {"COPY": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}}], ` + ok + `}}}}`, "breaking", []string{"parameter-became-required"}},
	{"query string renamed", `"paths": {"/a": {"get": {"parameters": [` + whole + `], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [` + strings.Replace(whole, `"q"`, `"r"`, 1) + `], ` + ok + `}}}`, "", nil},
	{"query string narrowed", `"paths": {"/a": {"get": {"parameters": [` + whole + `], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [` + strings.Replace(whole, `"type": "string"`, `"type": "string", "maxLength": 3`, 1) + `], ` + ok + `}}}`, "breaking", []string{"max-length-added"}},
	{"query string written in another media type", `"paths": {"/a": {"get": {"parameters": [` + whole + `], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [` + strings.Replace(whole, `application/json`, `application/x-www-form-urlencoded`, 1) + `], ` + ok + `}}}`, "breaking", []string{"parameter-style-changed"}},
	{"list of a cookie written otherwise", `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "cookie", "schema": {"type": "array"}}], ` + ok + `}}}`, `"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "cookie", "style": "cookie", "schema": {"type": "array"}}], ` + ok + `}}}`, "breaking", []string{"parameter-style-changed"}},
	{"media type shared", `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "string"}}}}, ` + ok + `}}}`,
		`"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"$ref": "#/components/mediaTypes/m"}}}, ` + ok + `}}}, "components": {"mediaTypes": {"m": {"schema": {"type": "string"}}}}`, "", nil},
	{"shared media type narrowed", `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"$ref": "#/components/mediaTypes/m"}}}, ` + ok + `}}}, "components": {"mediaTypes": {"m": {"schema": {"type": "string"}}}}`,
		`"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"$ref": "#/components/mediaTypes/m"}}}, ` + ok + `}}}, "components": {"mediaTypes": {"m": {"schema": {"type": "string", "maxLength": 3}}}}`, "breaking", []string{"max-length-added"}},
	{"words of 3.2", `"servers": [{"url": "/"}], "paths": {"/a": {"get": {"responses": {"200": {"description": "d"}}}}}`, `"servers": [{"url": "/", "name": "n"}], "paths": {"/a": {"get": {"responses": {"200": {"summary": "s"}}}}}`, "", nil},
	{"scheme named by reference", `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + schemes32, `"paths": {"/a": {"get": {"security": [{"#/components/securitySchemes/b": []}], ` + ok + `}}}` + schemes32, "", nil},
	{"another scheme named by reference", `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + schemes32, `"paths": {"/a": {"get": {"security": [{"#/components/securitySchemes/k": []}], ` + ok + `}}}` + schemes32, "breaking", []string{"security-tightened"}},
	{"scheme deprecated", `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + schemes32, `"paths": {"/a": {"get": {"security": [{"b": []}], ` + ok + `}}}` + strings.Replace(schemes32, `"type": "http"`, `"deprecated": true, "type": "http"`, 1), "", nil},
}

func TestChangesOfWhatOpenAPI32Adds(t *testing.T) {
	for _, c := range changes32 {
		t.Run(c.name, func(t *testing.T) {
			c.held(t, compare(t, api32+c.old+"}", api32+c.new+"}", drift.Options{}))
		})
	}
}

func TestADescriptionThatBecomes32ChangesNothingByThat(t *testing.T) {
	for _, c := range operationChanges {
		t.Run(c.name, func(t *testing.T) {
			same := operationChange{name: c.name}
			same.held(t, compare(t, api+c.old+"}", api32+c.old+"}", drift.Options{}))
			c.held(t, compare(t, api+c.old+"}", api32+c.new+"}", drift.Options{}))
		})
	}
}

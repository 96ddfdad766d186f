// Package large makes descriptions large enough to measure with.
package large

import (
	"encoding/json"
	"fmt"
	"math/rand"
)

type obj = map[string]any

// Description makes an OpenAPI description of 800 schemas and 620 operations, all
// of which use one shared schema: about 700 kB. id is the schema of a member of it. The
// schemas refer to each other in layers, each to some of the next; or with no layers
// in cycles.
func Description(id string, layers int) []byte {
	r := rand.New(rand.NewSource(1))
	ref := func(i int) obj { return obj{"$ref": fmt.Sprintf("#/components/schemas/Schema%d", i)} }
	components := obj{}
	const count = 800
	cycles := layers == 0
	// another picks a schema that schema i refers to; -1 is none.
	another := func(i int, near bool) int {
		switch {
		case cycles && near:
			return min(count-1, max(0, i-1)+r.Intn(20))
		case cycles:
			return r.Intn(count)
		case i%layers == layers-1:
			return -1
		}
		return r.Intn(count/layers)*layers + i%layers + 1
	}
	for i := range count {
		members := obj{"p0": obj{"type": "string", "minLength": 1}, "p1": obj{"type": "string", "minLength": 1}, "shared": obj{"$ref": "#/components/schemas/Shared"}}
		for k := 2; k < 8; k++ {
			var member any
			switch n := r.Intn(20); {
			case n < 5:
				member = obj{"type": "string", "minLength": 1, "maxLength": 10 + r.Intn(190), "description": "Some words about this member, as documents have them."}
			case n < 8:
				member = obj{"type": "integer", "minimum": 0, "maximum": 10 + r.Intn(10000)}
			case n < 10:
				member = obj{"type": "string", "enum": []string{"alpha", "beta", "gamma", "delta"}[:2+r.Intn(3)]}
			case n < 12:
				items := obj{"type": "string", "description": "What a list of the lowest layer is made of."}
				if to := another(i, false); to >= 0 {
					items = ref(to)
				}
				member = obj{"type": "array", "items": items, "maxItems": 50}
			case n < 17:
				member = obj{"type": "string", "pattern": "^[a-z][a-z0-9-]*$", "description": "A name of the lowest layer."}
				if to := another(i, true); to >= 0 {
					member = ref(to)
				}
			default:
				member = obj{"anyOf": []any{obj{"type": "string", "format": "date-time"}, obj{"type": "null"}}}
			}
			members[fmt.Sprintf("p%d", k)] = member
		}
		components[fmt.Sprintf("Schema%d", i)] = obj{"type": "object", "additionalProperties": i%2 == 0, "required": []string{"p0", "p1"}, "properties": members}
	}
	components["Shared"] = obj{"type": "object", "required": []string{"id"}, "properties": obj{"id": json.RawMessage(id), "note": obj{"type": "string"}}}
	body := func(i int) obj { return obj{"application/json": obj{"schema": ref(i)}} }
	paths := obj{}
	for i := range 310 {
		paths[fmt.Sprintf("/r%d/{id}", i)] = obj{
			"parameters": []any{obj{"name": "id", "in": "path", "required": true, "schema": obj{"type": "string"}}},
			"get":        obj{"operationId": fmt.Sprintf("get%d", i), "responses": obj{"200": obj{"description": "ok", "content": body(i)}}},
			"post":       obj{"operationId": fmt.Sprintf("post%d", i), "requestBody": obj{"required": true, "content": body(i + 400)}, "responses": obj{"201": obj{"description": "ok", "content": body(i + 200)}}},
		}
	}
	text, err := json.Marshal(obj{"openapi": "3.1.0", "info": obj{"title": "large", "version": "1"}, "paths": paths, "components": obj{"schemas": components}})
	if err != nil {
		panic(err)
	}
	return text
}

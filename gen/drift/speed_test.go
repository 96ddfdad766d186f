package drift_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/gen/drift"
	"github.com/hallmark-kit/hallmark/schemas"
)

type obj = map[string]any

// large makes an OpenAPI description of 800 schemas and 620 operations, all of
// which use one shared schema: about 700 kB.
func large(longest int) string {
	r := rand.New(rand.NewSource(1))
	ref := func(i int) obj { return obj{"$ref": fmt.Sprintf("#/components/schemas/Schema%d", i)} }
	components := obj{}
	const count = 800
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
				member = obj{"type": "array", "items": ref(r.Intn(count)), "maxItems": 50}
			case n < 17:
				member = ref(min(count-1, max(0, i-1)+r.Intn(20)))
			default:
				member = obj{"anyOf": []any{obj{"type": "string", "format": "date-time"}, obj{"type": "null"}}}
			}
			members[fmt.Sprintf("p%d", k)] = member
		}
		components[fmt.Sprintf("Schema%d", i)] = obj{"type": "object", "additionalProperties": i%2 == 0, "required": []string{"p0", "p1"}, "properties": members}
	}
	components["Shared"] = obj{"type": "object", "required": []string{"id"}, "properties": obj{"id": obj{"type": "string", "maxLength": longest}, "note": obj{"type": "string"}}}
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
	return string(text)
}

func TestOneEditOfASharedSchemaIsOneFinding(t *testing.T) {
	r := compare(t, large(64), large(32), drift.Options{})
	if len(r.Findings) != 1 || r.Findings[0].Rule != "max-length-lowered" || r.Findings[0].Class != drift.Breaking || r.Findings[0].Reach.Count != 620 {
		t.Errorf("one finding that reaches 620 operations was expected: %+v", r.Findings)
	}
	if len(r.Notes) != 1 {
		t.Errorf("the version did not move: %v", r.Notes)
	}
}

// unions makes unions of unions, every branch leading to the next union: of a
// member, or where plain of the same value.
func unions(depth, width int, keyword string, plain bool, leaf obj) string {
	defs := obj{fmt.Sprintf("u%d", depth): leaf}
	for d := range depth {
		next := obj{"$ref": fmt.Sprintf("#/$defs/u%d", d+1)}
		var branches []any
		for w := range width {
			if plain && w%2 == 1 {
				branches = append(branches, obj{"allOf": []any{next, obj{"not": obj{"const": w}}}})
				continue
			}
			branches = append(branches, obj{"type": "object", "required": []string{"k", "next"}, "properties": obj{"k": obj{"const": w}, "next": next}})
		}
		defs[fmt.Sprintf("u%d", d)] = obj{keyword: branches}
	}
	text, err := json.Marshal(obj{"$ref": "#/$defs/u0", "$defs": defs})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestUnionsOfUnionsDoNotExplode(t *testing.T) {
	for _, c := range []struct {
		keyword string
		plain   bool
	}{{"anyOf", false}, {"oneOf", false}, {"anyOf", true}} {
		t.Run(fmt.Sprintf("%s, of the same value: %t", c.keyword, c.plain), func(t *testing.T) {
			deadline := time.AfterFunc(time.Minute, func() { panic("comparing unions of unions takes too long") })
			defer deadline.Stop()
			old := unions(16, 8, c.keyword, c.plain, obj{"type": "string", "maxLength": 5})
			for _, n := range []struct {
				leaf obj
				want drift.Class
			}{
				{obj{"type": "string", "maxLength": 4}, drift.Breaking},
				{obj{"type": "string", "maxLength": 6}, drift.Compatible},
				{obj{"type": "string", "maxLength": 5, "minLength": 0}, drift.Compatible},
			} {
				if c.plain && n.want == drift.Breaking {
					// That is found, but the validator, which remembers nothing, would look at
					// every string 4 to the 16th times: without its word it is not breaking.
					n.want = drift.Undecided
				}
				if r := compare(t, old, unions(16, 8, c.keyword, c.plain, n.leaf), drift.Options{Direction: drift.Request}); r.Verdict != n.want {
					t.Errorf("%s, not %s: %+v", r.Verdict, n.want, r.Findings)
				}
			}
		})
	}
}

func BenchmarkLarge(b *testing.B) {
	old, new := large(64), large(32)
	b.SetBytes(int64(len(old)))
	b.ReportAllocs()
	for b.Loop() {
		compare(b, old, new, drift.Options{})
	}
}

// BenchmarkDocuments compares the documents of the protocols with themselves.
func BenchmarkDocuments(b *testing.B) {
	names := []string{"comitiva/RunnerRequest.json", "nylorun/harness-api.v5.json", "agenticdriver/openapi.json", "tutti/side.updated.event.json"}
	var texts []string
	for _, name := range names {
		data, err := schemas.FS.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	for b.Loop() {
		for i, text := range texts {
			in := drift.Input{Name: names[i], Data: []byte(text)}
			if r, err := drift.Compare(in, in, drift.Options{}); err != nil || len(r.Findings) > 0 {
				b.Fatal(err, r)
			}
		}
	}
}

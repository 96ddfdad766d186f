package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Schemas whose written-out form is exponential must cost no more than their
// text: these would not end otherwise.
func TestKeysOfSharedSchemasAreCheap(t *testing.T) {
	layers := func(depth int, layer string) string {
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/L0","$defs":{`)
		for i := range depth {
			next := fmt.Sprintf(`{"$ref":"#/$defs/L%d"}`, i+1)
			fmt.Fprintf(&b, `"L%d":%s,`, i, strings.NewReplacer("NEXT", next, "DEPTH", fmt.Sprint(i)).Replace(layer))
		}
		fmt.Fprintf(&b, `"L%d":{"type":["string","object"],"minLength":1}}}`, depth)
		return b.String()
	}
	for name, layer := range map[string]string{
		"allOf of the same":         `{"allOf":[NEXT,NEXT,{"properties":{"pDEPTH":NEXT}}]}`,
		"members of the same":       `{"properties":{"a":NEXT,"b":NEXT,"c":NEXT}}`,
		"anyOf of unions":           `{"anyOf":[NEXT,{"type":"object","required":["rDEPTH"],"properties":{"x":NEXT}},NEXT]}`,
		"oneOf of unions":           `{"oneOf":[{"type":"object","required":["aDEPTH"],"properties":{"x":NEXT}},NEXT,{"minLength":DEPTH}]}`,
		"conditions":                `{"if":NEXT,"then":{"properties":{"tDEPTH":NEXT}},"else":NEXT}`,
		"not":                       `{"not":{"anyOf":[NEXT,{"required":["nDEPTH"]}]}}`,
		"dependent":                 `{"dependentSchemas":{"a":NEXT,"bDEPTH":NEXT}}`,
		"unevaluated behind unions": `{"anyOf":[NEXT,{"properties":{"uDEPTH":true}}],"unevaluatedProperties":NEXT}`,
		"unions of tagged unions":   `{"type":"object","required":["kDEPTH"],"oneOf":[` + tagged(8) + `]}`,
		"unions of open unions":     `{"anyOf":[` + strings.ReplaceAll(tagged(8), `"const"`, `"minimum"`) + `]}`,
		"joined members":            `{"allOf":[{"properties":{"a":NEXT}},{"properties":{"a":{"properties":{"b":NEXT}}}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			one, other := build(t, layers(24, layer)), build(t, layers(24, layer))
			if one.Key() != other.Key() {
				t.Error("two keys for one schema")
			}
		})
	}
}

// tagged is n branches with a tag each, and the next layer in all of them.
func tagged(n int) string {
	var branches []string
	for i := range n {
		branches = append(branches, fmt.Sprintf(`{"properties":{"kDEPTH":{"const":%d},"v":NEXT},"allOf":[NEXT]}`, i))
	}
	return strings.Join(branches, ",")
}

// Joining recursive schemas with different periods multiplies the periods; the
// key stops joining long before that matters.
func TestKeysOfJoinedRecursionsAreCheap(t *testing.T) {
	var defs, all []string
	for _, period := range []int{2, 3, 5, 7, 11, 13} {
		for i := range period {
			defs = append(defs, fmt.Sprintf(`"P%dx%d":{"maxItems":%d,"items":{"$ref":"#/$defs/P%dx%d"}}`, period, i, 2+i, period, (i+1)%period))
		}
		all = append(all, fmt.Sprintf(`{"$ref":"#/$defs/P%dx0"}`, period))
	}
	text := `{"allOf":[` + strings.Join(all, ",") + `],"$defs":{` + strings.Join(defs, ",") + `}}`
	one, other := build(t, text), build(t, text)
	if one.Key() != other.Key() {
		t.Error("two keys for one schema")
	}
}

func TestKeysOfLongChains(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/C0","$defs":{`)
	const length = 3000
	for i := range length {
		fmt.Fprintf(&b, `"C%d":{"properties":{"next":{"$ref":"#/$defs/C%d"}}},`, i, (i+1)%length)
	}
	b.WriteString(`"end":true}}`)
	if build(t, b.String()).Key() != build(t, `{"properties":{"next":{"$ref":"#"}}}`).Key() {
		t.Error("a long cycle of equals is not the short one")
	}
}

func BenchmarkBuildAndKey(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"$defs":{`)
	for i := range 800 {
		fmt.Fprintf(&text, `"S%d":{"type":"object","title":"Schema %d","description":"One of many.","properties":{
			"id":{"type":"string","minLength":1},"kind":{"const":"k%d"},"count":{"type":"integer","minimum":0,"maximum":9007199254740991},
			"next":{"anyOf":[{"$ref":"#/$defs/S%d"},{"type":"null"}]},"tags":{"type":"array","items":{"type":"string","pattern":"^[a-z]+$"}},
			"other":{"$ref":"#/$defs/S%d"}},"required":["id","kind"],"additionalProperties":false},`, i, i, i%50, (i*7+1)%800, (i*13+5)%800)
	}
	text.WriteString(`"end":true}}`)
	data := []byte(text.String())
	b.SetBytes(int64(len(data)))
	b.Run("Parse", func(b *testing.B) {
		for b.Loop() {
			if _, err := document.Parse("a", data); err != nil {
				b.Fatal(err)
			}
		}
	})
	f, _ := document.Parse("a", data)
	b.Run("Build", func(b *testing.B) {
		for b.Loop() {
			if _, err := schema.Build(document.NewSet(f)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Key", func(b *testing.B) {
		for b.Loop() {
			g, err := schema.Build(document.NewSet(f))
			if err != nil {
				b.Fatal(err)
			}
			g.Roots["a#"].Key()
		}
	})
}

package schema

import "strings"

// draft is one version of JSON Schema. Schemas of older ones are read into the keywords of 2020-12, so that a graph
// holds nothing else:
//
//   - items with a list becomes prefixItems, and additionalItems then items (until 2019-09);
//   - dependencies becomes dependentRequired and dependentSchemas (until draft-07);
//   - $recursiveRef and $recursiveAnchor become $dynamicRef and $dynamicAnchor with a name of their own (2019-09);
//   - what stands beside $ref is left out, but for definitions and descriptions (until draft-07);
//   - $id, or id, that is only a fragment becomes $anchor (until draft-07);
//   - exclusiveMinimum: true and exclusiveMaximum: true take the value of minimum and maximum (draft-04).
//
// Keywords that a draft does not have assert nothing in it, as in any dialect. 1.0 is an integer in all of them.
type draft struct {
	uri          string // of the metaschema, without fragment
	name         string // for people
	vocabularies string // what the URIs of its vocabularies begin with; "" = it has none
	id           string // the keyword that identifies a resource
	refAlone     bool   // what stands beside $ref means nothing
	idAnchors    bool   // an identifier that is a fragment names a place, like $anchor
	itemsList    bool   // items may be a list
	keywords     map[string]string
}

// keywordsOf makes a table from keyword to the last segment of its vocabulary's URI.
func keywordsOf(vocabularies map[string]string) map[string]string {
	keywords := map[string]string{}
	for v, names := range vocabularies {
		for k := range strings.FieldsSeq(names) {
			keywords[k] = v
		}
	}
	return keywords
}

const (
	keywords4 = "$schema $ref definitions type enum multipleOf minimum maximum exclusiveMinimum exclusiveMaximum " +
		"minLength maxLength pattern items additionalItems minItems maxItems uniqueItems properties patternProperties " +
		"additionalProperties required minProperties maxProperties dependencies allOf anyOf oneOf not format title description default"
	keywords6 = keywords4 + " $id const contains propertyNames examples"
	keywords7 = keywords6 + " $comment if then else readOnly writeOnly contentEncoding contentMediaType"

	validations = "type const enum required dependentRequired minProperties maxProperties minItems maxItems minLength maxLength " +
		"minContains maxContains uniqueItems pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
	metaData   = "title description default examples deprecated readOnly writeOnly"
	contents   = "contentEncoding contentMediaType contentSchema"
	applicants = "allOf anyOf oneOf not if then else dependentSchemas dependencies properties patternProperties " +
		"additionalProperties propertyNames items contains"
)

// The drafts. The keywords of older ones that the metaschemas of 2019-09 and 2020-12 still describe (definitions,
// dependencies) count as theirs.
var (
	draft4 = &draft{
		uri: "http://json-schema.org/draft-04/schema", name: "draft-04",
		id: "id", refAlone: true, idAnchors: true, itemsList: true,
		keywords: keywordsOf(map[string]string{"core": keywords4 + " id"}),
	}
	draft6 = &draft{
		uri: "http://json-schema.org/draft-06/schema", name: "draft-06",
		id: "$id", refAlone: true, idAnchors: true, itemsList: true,
		keywords: keywordsOf(map[string]string{"core": keywords6}),
	}
	draft7 = &draft{
		uri: "http://json-schema.org/draft-07/schema", name: "draft-07",
		id: "$id", refAlone: true, idAnchors: true, itemsList: true,
		keywords: keywordsOf(map[string]string{"core": keywords7}),
	}
	draft2019 = &draft{
		uri: "https://json-schema.org/draft/2019-09/schema", name: "2019-09",
		vocabularies: "https://json-schema.org/draft/2019-09/vocab/", id: "$id", itemsList: true,
		keywords: keywordsOf(map[string]string{
			"core":       "$schema $id $ref $anchor $recursiveRef $recursiveAnchor $vocabulary $comment $defs definitions",
			"applicator": applicants + " additionalItems unevaluatedItems unevaluatedProperties",
			"validation": validations,
			"meta-data":  metaData,
			"format":     "format",
			"content":    contents,
		}),
	}
	draft2020 = &draft{
		uri: "https://json-schema.org/draft/2020-12/schema", name: "2020-12",
		vocabularies: "https://json-schema.org/draft/2020-12/vocab/", id: "$id",
		keywords: keywordsOf(map[string]string{
			"core":              "$schema $id $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs definitions",
			"applicator":        applicants + " prefixItems",
			"unevaluated":       "unevaluatedItems unevaluatedProperties",
			"validation":        validations,
			"meta-data":         metaData,
			"format-annotation": "format",
			"content":           contents,
		}),
	}
	drafts = []*draft{draft2020, draft2019, draft7, draft6, draft4}
)

// draftOf gives the draft whose metaschema has a URI, or nil.
func draftOf(uri string) *draft {
	uri = strings.TrimSuffix(uri, "#")
	for _, d := range drafts {
		if d.uri == uri {
			return d
		}
	}
	return nil
}

// recursiveAnchor is the name under which $recursiveAnchor: true is a $dynamicAnchor. No document can use it: a plain
// name has no blank.
const recursiveAnchor = "$recursiveAnchor true"

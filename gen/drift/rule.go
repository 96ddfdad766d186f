package drift

import (
	"slices"
	"strings"
)

// Rule is one kind of edit. The verdict on an edit never comes from its rule: it
// comes from the messages. The rule names the edit and explains it.
type Rule struct {
	ID      string
	Title   string
	Explain string // what the edit means for senders and receivers
	// Old and New are a small example, as schemas; "" for rules about operations.
	Old, New string
	// Narrows: some message of the old example is refused by the new one. Widens:
	// the reverse. Both are proved by the tests, in every position of a schema.
	Narrows, Widens bool
	// Annotation marks what changes no set of messages.
	Annotation bool
}

const (
	narrowing = "Senders of the old version may send what a receiver of the new one refuses. Receivers of the old version understand everything that new senders send."
	widening  = "Senders of the new version may send what a receiver of the old one refuses. Receivers of the new version understand everything that old senders send."
	replacing = "Each version accepts messages that the other refuses, so that a new sender with an old receiver is hit as well as an old sender with a new receiver."
	noting    = "No message becomes valid or invalid by it; programs that act on it behave differently."
)

// keywordRules gives for each keyword an example without it and one with it (or
// looser and tighter), and what a change between two values is called.
var keywordRules = []struct {
	id, title    string
	loose, tight string
	other        string // another value: replaces the tight one; "" = none
}{
	{"type", "type", `{}`, `{"type": "string"}`, `{"type": "integer"}`},
	{"enum", "a list of values", `{"type": "string"}`, `{"type": "string", "enum": ["a", "b"]}`, `{"type": "string", "enum": ["a", "c"]}`},
	{"const", "a constant", `{"type": "string"}`, `{"type": "string", "const": "a"}`, `{"type": "string", "const": "b"}`},
	{"multiple-of", "a step for numbers", `{"type": "integer"}`, `{"type": "integer", "multipleOf": 2}`, `{"type": "integer", "multipleOf": 3}`},
	{"pattern", "a pattern", `{"type": "string"}`, `{"type": "string", "pattern": "^a+$"}`, `{"type": "string", "pattern": "^b+$"}`},
	{"unique-items", "a ban on equal items", `{"type": "array"}`, `{"type": "array", "uniqueItems": true}`, ""},
	{"contains", "items that must occur", `{"type": "array"}`, `{"type": "array", "contains": {"type": "string"}}`, `{"type": "array", "contains": {"type": "null"}}`},
	{"prefix-items", "rules for the first items", `{"type": "array"}`, `{"type": "array", "prefixItems": [{"type": "string"}]}`, `{"type": "array", "prefixItems": [{"type": "null"}, {"type": "null"}]}`},
	{"items", "a rule for all items", `{"type": "array"}`, `{"type": "array", "items": {"type": "string"}}`, `{"type": "array", "items": false}`},
	{"unevaluated-items", "a rule for the items nothing else looks at", `{"type": "array", "prefixItems": [{"type": "string"}]}`, `{"type": "array", "prefixItems": [{"type": "string"}], "unevaluatedItems": false}`, `{"type": "array", "prefixItems": [{"type": "string"}], "unevaluatedItems": {"type": "null"}}`},
	{"pattern-properties", "a rule for members by pattern", `{"type": "object"}`, `{"type": "object", "patternProperties": {"^x-": {"type": "string"}}}`, `{"type": "object", "patternProperties": {"^x-": false}}`},
	{"additional-properties", "a rule for members that are not listed", `{"type": "object", "properties": {"id": {"type": "string"}}}`, `{"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": false}`, `{"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": {"type": "string"}}`},
	{"unevaluated-properties", "a rule for the members nothing else looks at", `{"type": "object", "properties": {"id": {"type": "string"}}}`, `{"type": "object", "properties": {"id": {"type": "string"}}, "unevaluatedProperties": false}`, `{"type": "object", "properties": {"id": {"type": "string"}}, "unevaluatedProperties": {"type": "string"}}`},
	{"property-names", "a rule for member names", `{"type": "object"}`, `{"type": "object", "propertyNames": {"maxLength": 3}}`, `{"type": "object", "propertyNames": {"minLength": 4}}`},
	{"dependent-required", "members that others demand", `{"type": "object", "properties": {"a": {}, "b": {}}}`, `{"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}`, `{"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"b": ["a"]}}`},
	{"dependent-schemas", "rules that a member brings along", `{"type": "object", "properties": {"a": {}, "b": {}}}`, `{"type": "object", "properties": {"a": {}, "b": {}}, "dependentSchemas": {"a": {"required": ["b"]}}}`, `{"type": "object", "properties": {"a": {}, "b": {}}, "dependentSchemas": {"a": false}}`},
	{"all-of", "a further schema that must hold", `{"type": "string"}`, `{"type": "string", "allOf": [{"minLength": 2}]}`, ""},
	{"any-of", "alternatives", `{}`, `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, ""},
	{"one-of", "exclusive alternatives", `{}`, `{"oneOf": [{"type": "string"}, {"type": "null"}]}`, ""},
	{"not", "a ban", `{"type": "string"}`, `{"type": "string", "not": {"const": "a"}}`, `{"type": "string", "not": {"const": "b"}}`},
	{"if", "a condition", `{"type": "object", "properties": {"a": {}, "b": {}}}`, `{"type": "object", "properties": {"a": {}, "b": {}}, "if": {"required": ["a"]}, "then": {"required": ["b"]}}`, `{"type": "object", "properties": {"a": {}, "b": {}}, "if": {"required": ["b"]}, "then": {"required": ["a"]}}`},
	{"then", "what a condition demands", `{"type": "object", "properties": {"a": {}, "b": {}}, "if": {"required": ["a"]}}`, `{"type": "object", "properties": {"a": {}, "b": {}}, "if": {"required": ["a"]}, "then": {"required": ["b"]}}`, ""},
	{"else", "what else is demanded", `{"type": "object", "properties": {"a": {}, "b": {}}, "if": {"required": ["a"]}, "then": true}`, `{"type": "object", "properties": {"a": {}, "b": {}}, "if": {"required": ["a"]}, "then": true, "else": {"required": ["b"]}}`, ""},
}

// boundRules are keywords with a number that can be raised and lowered.
var boundRules = []struct {
	id, title, base, with string
	low, high             string // values
	lower                 bool   // it bounds from below
}{
	{"minimum", "the least number", `{"type": "number"}`, `{"type": "number", "minimum": N}`, "1", "5", true},
	{"maximum", "the greatest number", `{"type": "number"}`, `{"type": "number", "maximum": N}`, "1", "5", false},
	{"min-length", "the least length", `{"type": "string"}`, `{"type": "string", "minLength": N}`, "1", "5", true},
	{"max-length", "the greatest length", `{"type": "string"}`, `{"type": "string", "maxLength": N}`, "1", "5", false},
	{"min-items", "the least number of items", `{"type": "array"}`, `{"type": "array", "minItems": N}`, "1", "3", true},
	{"max-items", "the greatest number of items", `{"type": "array"}`, `{"type": "array", "maxItems": N}`, "1", "3", false},
	{"min-properties", "the least number of members", `{"type": "object"}`, `{"type": "object", "minProperties": N}`, "1", "3", true},
	{"max-properties", "the greatest number of members", `{"type": "object"}`, `{"type": "object", "maxProperties": N}`, "1", "3", false},
}

// otherRules need an example or a text of their own.
var otherRules = []Rule{
	{ID: "type-narrowed", Title: "fewer types are accepted", Old: `{"type": ["string", "null"]}`, New: `{"type": "string"}`, Narrows: true},
	{ID: "type-widened", Title: "more types are accepted", Old: `{"type": "integer"}`, New: `{"type": "number"}`, Widens: true},
	{ID: "enum-value-added", Title: "a value was added to a list", Old: `{"enum": ["a"]}`, New: `{"enum": ["a", "b"]}`, Widens: true},
	{ID: "enum-value-removed", Title: "a value was removed from a list", Old: `{"enum": ["a", "b"]}`, New: `{"enum": ["a"]}`, Narrows: true},
	{ID: "required-added", Title: "a member became required", Old: `{"type": "object", "properties": {"a": {}}}`, New: `{"type": "object", "properties": {"a": {}}, "required": ["a"]}`, Narrows: true},
	{ID: "required-removed", Title: "a member became optional", Old: `{"type": "object", "properties": {"a": {}}, "required": ["a"]}`, New: `{"type": "object", "properties": {"a": {}}}`, Widens: true},
	{ID: "property-added", Title: "a member was added to a closed object", Old: `{"type": "object", "properties": {"a": {}}, "additionalProperties": false}`, New: `{"type": "object", "properties": {"a": {}, "b": {"type": "string"}}, "additionalProperties": false}`, Widens: true,
		Explain: "In a closed object receivers of the old version refuse the new member. In an open object it is no break: old receivers ignore it, and new receivers refuse only a peer that had already used the very name for something else, which is a risk."},
	{ID: "property-removed", Title: "a member was removed from a closed object", Old: `{"type": "object", "properties": {"a": {}, "b": {"type": "string"}}, "additionalProperties": false}`, New: `{"type": "object", "properties": {"a": {}}, "additionalProperties": false}`, Narrows: true,
		Explain: "In a closed object new receivers refuse the member that old senders still send. In an open object it is ignored, so that its meaning is lost without an error."},
	{ID: "property-changed", Title: "a member was banned, or a ban was lifted", Old: `{"type": "object", "properties": {"a": {"type": "string"}}}`, New: `{"type": "object", "properties": {"a": false}}`, Narrows: true},
	{ID: "all-of-branch-added", Title: "a further schema must hold", Old: `{"allOf": [{"type": "string"}]}`, New: `{"allOf": [{"type": "string"}, {"minLength": 2}]}`, Narrows: true},
	{ID: "all-of-branch-removed", Title: "a schema no longer need hold", Old: `{"allOf": [{"type": "string"}, {"minLength": 2}]}`, New: `{"allOf": [{"type": "string"}]}`, Widens: true},
	{ID: "any-of-branch-added", Title: "an alternative was added", Old: `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, New: `{"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "boolean"}]}`, Widens: true},
	{ID: "any-of-branch-removed", Title: "an alternative was removed", Old: `{"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "boolean"}]}`, New: `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, Narrows: true},
	{ID: "one-of-branch-added", Title: "an exclusive alternative was added", Old: `{"oneOf": [{"type": "string"}, {"type": "null"}]}`, New: `{"oneOf": [{"type": "string"}, {"type": "null"}, {"type": "boolean"}]}`, Widens: true,
		Explain: "Old receivers refuse the new alternative. Where it overlaps another one, new receivers refuse what both accept: exactly one may hold."},
	{ID: "one-of-branch-removed", Title: "an exclusive alternative was removed", Old: `{"oneOf": [{"type": "string"}, {"type": "null"}, {"type": "boolean"}]}`, New: `{"oneOf": [{"type": "string"}, {"type": "null"}]}`, Narrows: true},
	{ID: "one-of-changed", Title: "anyOf became oneOf, or the reverse", Old: `{"anyOf": [{"type": "integer"}, {"type": "number", "minimum": 3}]}`, New: `{"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 3}]}`, Narrows: true,
		Explain: "Values that more than one alternative accepts are valid with anyOf and invalid with oneOf."},
	{ID: "schema-changed", Title: "a schema was replaced", Old: `true`, New: `{"type": "string"}`, Narrows: true},
	{ID: "default-added", Title: "a default was added", Annotation: true}, {ID: "default-removed", Title: "a default was removed", Annotation: true}, {ID: "default-changed", Title: "a default was changed", Annotation: true},
	{ID: "format-added", Title: "a format was added", Annotation: true, Explain: "By the standard format is an annotation. Validators that assert it refuse what does not have it; --level strict judges so."},
	{ID: "format-removed", Title: "a format was removed", Annotation: true}, {ID: "format-changed", Title: "a format was changed", Annotation: true},
	{ID: "content-changed", Title: "what a string contains was described differently", Annotation: true},
	{ID: "deprecated-changed", Title: "something was deprecated, or no longer is", Annotation: true},
	{ID: "read-only-changed", Title: "readOnly was changed", Annotation: true}, {ID: "write-only-changed", Title: "writeOnly was changed", Annotation: true},
	{ID: "discriminator-changed", Title: "the discriminator was changed", Annotation: true, Explain: "No message becomes valid or invalid by it. Code that was generated from the document may tell the alternatives apart by it."},

	{ID: "document-added", Title: "a document was added", Explain: "Nobody relies on it yet."},
	{ID: "document-removed", Title: "a document was removed", Explain: "Peers of the old version still send what it describes, or wait for it."},
	{ID: "message-added", Title: "a message was added", Explain: "Nobody relies on it yet."},
	{ID: "message-removed", Title: "a message was removed", Explain: "Peers of the old version still send it, or wait for it."},
	{ID: "topic-renamed", Title: "a topic was renamed", Explain: "Whoever subscribed to the old topic never hears of it again."},
	{ID: "event-direction-changed", Title: "an event goes the other way", Explain: "Who sent it is expected to receive it."},
	{ID: "version-moved", Title: "the version moved", Explain: "Peers can tell the versions apart."},
	{ID: "version-not-moved", Title: "something breaks and the version did not move", Explain: "Peers cannot tell the two versions apart before a message is refused."},

	{ID: "operation-removed", Title: "an operation was removed", Explain: "Old clients still call it."},
	{ID: "operation-added", Title: "an operation was added", Explain: "Nobody calls it yet."},
	{ID: "webhook-removed", Title: "a webhook or callback was removed", Explain: "The event that clients wait for never comes."},
	{ID: "webhook-added", Title: "a webhook or callback was added", Explain: "Clients that do not know it do not offer an address for it, or answer that there is none."},
	{ID: "operation-id-changed", Title: "an operationId was changed", Explain: "Nothing on the wire changes; generated methods get another name."},
	{ID: "operation-deprecated", Title: "an operation was deprecated, or no longer is", Explain: "Nothing on the wire changes."},
	{ID: "parameter-required-added", Title: "a required parameter was added", Explain: "Old clients do not send it."},
	{ID: "parameter-became-required", Title: "a parameter became required", Explain: "Old clients need not send it."},
	{ID: "parameter-became-optional", Title: "a parameter became optional", Explain: "Receivers that count on it may miss it."},
	{ID: "parameter-added", Title: "an optional parameter was added", Explain: "Nobody sends it yet."},
	{ID: "parameter-removed", Title: "a parameter was removed", Explain: "Senders of the old version still send it. Hosts that ignore unknown parameters answer as if it were not there; others refuse it."},
	{ID: "parameter-style-changed", Title: "a parameter is written differently", Explain: "The two versions read the same text as different values."},
	{ID: "body-became-required", Title: "a body became required", Explain: "Senders of the old version need not send one."},
	{ID: "body-became-optional", Title: "a body became optional", Explain: "Receivers that count on it may miss it."},
	{ID: "body-added", Title: "a body was added", Explain: "It need not be sent."},
	{ID: "body-removed", Title: "a body was removed", Explain: "What old senders put there is not described any more, and probably ignored."},
	{ID: "media-type-removed", Title: "a media type was removed", Explain: "Who speaks only that one is not understood."},
	{ID: "media-type-added", Title: "a media type was added", Explain: "Nobody asks for it yet."},
	{ID: "success-status-removed", Title: "a success status was removed", Explain: "Clients that wait for it take what comes instead for a failure."},
	{ID: "success-status-added", Title: "a success status was added", Explain: "Strict clients do not know it."},
	{ID: "error-status-removed", Title: "an error status was removed", Explain: "What never comes hurts nobody."},
	{ID: "error-status-added", Title: "an error status was added", Explain: "Clients that know a fixed list of errors do not know it."},
	{ID: "header-required-removed", Title: "a header that answers always had may be missing", Explain: "Clients that count on it miss it."},
	{ID: "header-added", Title: "a header was added, or is always there now", Explain: "Nobody looks for it yet."},
	{ID: "header-removed", Title: "an optional header was removed", Explain: "Clients had to get along without it."},
	{ID: "security-tightened", Title: "more credentials are needed", Explain: "Clients with the credentials that used to do are turned away."},
	{ID: "security-loosened", Title: "fewer credentials are needed, or others will do too", Explain: "Clients with the credentials that used to do are still let in."},
	{ID: "server-removed", Title: "a server address was removed or changed", Explain: "Clients that have the address built in do not find it."},

	{ID: "go-api-removed", Title: "an exported name of the Go bindings is gone", Explain: "Programs that use it do not compile (level source)."},
	{ID: "go-api-changed", Title: "an exported name of the Go bindings is declared differently", Explain: "Programs that use it may not compile (level source)."},
	{ID: "go-api-added", Title: "the Go bindings have a new exported name", Explain: "Nothing uses it yet (level source)."},
}

// Rules gives all rules, in order of their ids.
func Rules() []Rule {
	var list []Rule
	add := func(r Rule) {
		if r.Explain == "" {
			switch {
			case r.Annotation:
				r.Explain = noting
			case r.Narrows && r.Widens:
				r.Explain = replacing
			case r.Widens:
				r.Explain = widening
			case r.Narrows:
				r.Explain = narrowing
			}
		}
		list = append(list, r)
	}
	for _, k := range keywordRules {
		add(Rule{ID: k.id + "-added", Title: k.title + " was added", Old: k.loose, New: k.tight, Narrows: true})
		add(Rule{ID: k.id + "-removed", Title: k.title + " was removed", Old: k.tight, New: k.loose, Widens: true})
		if k.other != "" {
			r := Rule{ID: k.id + "-changed", Title: k.title + " was changed", Old: k.tight, New: k.other, Narrows: true, Widens: true}
			switch k.id {
			case "items", "pattern-properties", "dependent-schemas":
				r.Widens = false // the other example is tighter
			case "additional-properties", "unevaluated-properties", "unevaluated-items":
				r.Narrows = false // and here it is looser
			}
			add(r)
		}
	}
	for _, b := range boundRules {
		low, high := strings.Replace(b.with, "N", b.low, 1), strings.Replace(b.with, "N", b.high, 1)
		add(Rule{ID: b.id + "-added", Title: b.title + " was limited", Old: b.base, New: low, Narrows: true})
		add(Rule{ID: b.id + "-removed", Title: b.title + " is no longer limited", Old: low, New: b.base, Widens: true})
		add(Rule{ID: b.id + "-raised", Title: b.title + " was raised", Old: low, New: high, Narrows: b.lower, Widens: !b.lower})
		add(Rule{ID: b.id + "-lowered", Title: b.title + " was lowered", Old: high, New: low, Narrows: !b.lower, Widens: b.lower})
	}
	for _, r := range otherRules {
		add(r)
	}
	slices.SortFunc(list, func(x, y Rule) int { return strings.Compare(x.ID, y.ID) })
	return list
}

// Explain gives the rule with an id.
func Explain(id string) (Rule, bool) {
	for _, r := range Rules() {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}

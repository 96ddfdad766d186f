package document

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/source"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/schemas"
)

// Check returns everything in the file that its document does not allow. kind names the generated type, such as
// Scenario.
func Check(kind string, file *source.Document) source.Errors {
	var out source.Errors
	for _, v := range protocol.Of(hallmark.Types[kind])(file.JSON) {
		if v.Keyword == "additionalProperties" {
			out = append(out, unknownMember(file, v))
			continue
		}
		out = append(out, file.Errorf(v.Pointer, "%s is expected", wanted(v)))
	}
	out.Sort()
	return out
}

// unknownMember names a member that the schema of its object does not, with the nearest one it does.
func unknownMember(file *source.Document, v protocol.Violation) *source.Error {
	tokens, _ := value.Tokens(v.Pointer)
	if len(tokens) == 0 {
		return file.Errorf(v.Pointer, "%s is expected", v.Want)
	}
	name := tokens[len(tokens)-1]
	return file.KeyErrorf(v.Pointer, "there is no %s here%s", name, nearest.Suggestion(name, properties(v.Rule)))
}

// wanted is what a rule wants, in words. A pattern is told by what its schema says of itself.
func wanted(v protocol.Violation) string {
	if v.Keyword != "pattern" {
		return v.Want
	}
	description, _ := value.Walk(schema(strings.TrimSuffix(v.Rule, "/pattern")), []string{"description"})
	text, ok := description.(string)
	if !ok {
		return v.Want
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + strings.TrimSuffix(text[size:], ".")
}

// properties lists the properties that the schema at FILE#/pointer names; additionalProperties is one of its members.
func properties(rule string) []string {
	named, _ := value.Walk(schema(strings.TrimSuffix(rule, "/additionalProperties")), []string{"properties"})
	object, ok := named.(*value.Object)
	if !ok {
		return nil
	}
	return object.Names()
}

// schema is the schema at FILE#/pointer of our own documents; nil when there is none.
func schema(at string) any {
	name, pointer, _ := strings.Cut(at, "#")
	data, err := schemas.FS.ReadFile(schemas.Hallmark + "/" + name)
	if err != nil {
		return nil
	}
	root, err := value.Parse(data)
	if err != nil {
		return nil
	}
	found, _ := value.At(root, pointer)
	return found
}

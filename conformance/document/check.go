package document

import (
	"slices"
	"strings"

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
			out = append(out, unknownMembers(file, v)...)
			continue
		}
		out = append(out, file.Errorf(v.Pointer, "%s is expected", v.Want))
	}
	out.Sort()
	return out
}

// unknownMembers names the members of the object that its schema does not, each with the nearest one it does.
func unknownMembers(file *source.Document, v protocol.Violation) source.Errors {
	at := v.Pointer
	got, _ := value.At(file.Value, at)
	object, isObject := got.(*value.Object)
	known := properties(v.Rule)
	var out source.Errors
	if isObject {
		for _, name := range object.Names() {
			if !slices.Contains(known, name) {
				out = append(out, file.KeyErrorf(value.Join(at, name), "there is no %s here%s", name, nearest.Suggestion(name, known)))
			}
		}
	}
	if len(out) == 0 {
		out = append(out, file.KeyErrorf(at, "%s", v.Want))
	}
	return out
}

// properties lists the properties that the schema at FILE#/pointer names.
func properties(rule string) []string {
	name, pointer, _ := strings.Cut(rule, "#")
	data, err := schemas.FS.ReadFile(schemas.Hallmark + "/" + name)
	if err != nil {
		return nil
	}
	root, err := value.Parse(data)
	if err != nil {
		return nil
	}
	pointer = strings.TrimSuffix(pointer, "/additionalProperties")
	at, ok := value.At(root, pointer+"/properties")
	if !ok {
		return nil
	}
	return at.(*value.Object).Names()
}

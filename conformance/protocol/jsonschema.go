package protocol

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/schemas"
)

// Compile makes a check from a schema of the embedded documents: folder "comitiva", at "RunnerEvent.json#/$defs/Log".
func Compile(folder, at string) (Validate, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	file, _, _ := strings.Cut(at, "#")
	data, err := schemas.FS.ReadFile(folder + "/" + file)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", folder, file, err)
	}
	const base = "file:///"
	if err := c.AddResource(base+file, doc); err != nil {
		return nil, err
	}
	schema, err := c.Compile(base + at)
	if err != nil {
		return nil, err
	}
	printer := message.NewPrinter(language.English)
	return func(text []byte) []Violation {
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return []Violation{{Keyword: "json", Rule: file + "#", Want: "a JSON text"}}
		}
		err = schema.Validate(instance)
		if err == nil {
			return nil
		}
		failed, ok := err.(*jsonschema.ValidationError)
		if !ok {
			return []Violation{{Keyword: "json", Rule: file + "#", Want: err.Error()}}
		}
		var out []Violation
		var collect func(e *jsonschema.ValidationError)
		collect = func(e *jsonschema.ValidationError) {
			path := e.ErrorKind.KeywordPath()
			switch e.ErrorKind.(type) {
			case *kind.Schema, *kind.Group, *kind.Reference:
				path = nil // the causes say what is wrong
			}
			if len(path) > 0 {
				at := ""
				for _, step := range e.InstanceLocation {
					at = value.Join(at, step)
				}
				keyword := path[len(path)-1]
				if path[0] == "properties" || path[0] == "dependentRequired" {
					keyword = path[0]
				}
				out = append(out, Violation{at, keyword, strings.TrimPrefix(e.SchemaURL, base), e.ErrorKind.LocalizedString(printer)})
			}
			for _, cause := range e.Causes {
				collect(cause)
			}
		}
		collect(failed)
		return out
	}, nil
}

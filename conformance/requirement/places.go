package requirement

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/source"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
)

// checkPlaces sees to it that a requirement that rests on a document names a place in it: a requirement nobody can
// look up is an opinion.
func (c *Catalogue) checkPlaces(file *source.Document, schemas fs.FS) source.Errors {
	var errs source.Errors
	read := make(map[string]any)
	for i, r := range c.Requirements {
		if r.Basis.Kind != hallmark.BasisKindDocument {
			continue
		}
		if err := c.checkPlace(r.Basis.Source.Value, schemas, read); err != nil {
			errs = append(errs, file.Errorf(value.JoinIndex("/requirements", i)+"/basis/source", "%v", err))
		}
	}
	return errs
}

// checkPlace follows FILE#POINTER. read keeps what was read.
func (c *Catalogue) checkPlace(place string, schemas fs.FS, read map[string]any) error {
	name, pointer, ok := strings.Cut(place, "#")
	if !ok || name == "" {
		return fmt.Errorf("a place in a document is expected, such as FILE#/pointer")
	}
	document, ok := read[name]
	if !ok {
		data, err := fs.ReadFile(schemas, path.Join(c.Protocol, name))
		if err != nil {
			return fmt.Errorf("the protocol has no document %s", name)
		}
		if document, err = value.Parse(data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		read[name] = document
	}
	if _, ok := value.At(document, pointer); !ok {
		return fmt.Errorf("nothing stands at %s of %s", value.Shown(pointer), name)
	}
	return nil
}

package openapi

import (
	"encoding/json"
	"errors"
	"log/slog"
	"slices"

	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

// model makes libopenapi's model of a description that has been checked. The library is given a copy without schemas, in
// which everything stands where a reference to it was: it looks for files by itself otherwise, and what may be read is
// for the set to say.
func (c *checker) model() (*v3.Document, error) {
	w := copier{checker: c, own: c.layout.Has(document.OpenAPI31)}
	if err := w.object(c.file.Top(), reference.Description); err != nil {
		return nil, err
	}
	doc, err := libopenapi.NewDocumentWithConfiguration(w.out, &datamodel.DocumentConfiguration{
		Logger:                    slog.New(slog.DiscardHandler),
		SkipExternalRefResolution: true,
		SkipJSONConversion:        true,
	})
	if err != nil {
		return nil, modelError(c.file, err)
	}
	model, err := doc.BuildV3Model()
	if model == nil || err != nil {
		return nil, modelError(c.file, err)
	}
	return &model.Model, nil
}

func modelError(f *document.File, err error) error {
	if err == nil {
		err = errors.New("it holds no description")
	}
	return &document.Error{File: f.Name, Line: 1, Column: 1, Reason: "the OpenAPI description cannot be read", Err: err}
}

// maxCopy bounds what references, which may lead to the same object over and over, can make of a description.
const maxCopy = 16 << 20

// copier writes a description as JSON, with what references lead to in place of the references, and of every object only
// the members that are looked at.
type copier struct {
	*checker
	own bool // texts beside a reference count instead of those where it leads to (3.1)
	out []byte
}

// object copies an object of a kind.
func (w *copier) object(at document.Place, kind reference.Kind) error {
	if len(w.out) > maxCopy {
		return at.Errorf("the description stands for more than %d MiB, because references lead here so often", maxCopy>>20)
	}
	way, err := w.layout.Way(w.set, at, kind)
	if err != nil {
		return err
	}
	at = way[len(way)-1]
	var texts []document.Member // instead of those that the object has itself
	for _, ref := range way[:len(way)-1] {
		for _, m := range w.textsOf(ref, kind) {
			if w.own && !hasMember(texts, m.Name) {
				texts = append(texts, m)
			}
		}
	}
	w.out = append(w.out, '{')
	if kind == reference.Description {
		w.name("openapi")
		w.out = append(w.out, at.Value.Get("openapi").Raw()...)
	}
	for _, m := range texts {
		w.name(m.Name)
		w.out = append(w.out, m.Value.Raw()...)
	}
	for name, member := range at.Members() {
		part, ok := w.partOf(at, kind, name)
		if !ok || hasMember(texts, name) {
			continue
		}
		w.name(name)
		if err := w.part(member, part); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// part copies the value of one member.
func (w *copier) part(at document.Place, part reference.Part) error {
	switch part.Form {
	case reference.One:
		return w.value(at, part.Kind)
	case reference.List:
		w.out = append(w.out, '[')
		for i := range at.Value.Items {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if err := w.value(at.Item(i), part.Kind); err != nil {
				return err
			}
		}
		w.out = append(w.out, ']')
		return nil
	}
	w.out = append(w.out, '{')
	for name, member := range at.Members() {
		if !part.Holds(name) {
			continue
		}
		w.name(name)
		if err := w.value(member, part.Kind); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

func (w *copier) value(at document.Place, kind reference.Kind) error {
	if kind != reference.Text && kind != reference.Flag {
		return w.object(at, kind)
	}
	w.out = append(w.out, at.Value.Raw()...)
	return nil
}

// name writes the name of a member.
func (w *copier) name(name string) {
	if w.out[len(w.out)-1] != '{' {
		w.out = append(w.out, ',')
	}
	quoted, _ := json.Marshal(name) // a string always can be written
	w.out = append(append(w.out, quoted...), ':')
}

// textsOf lists the texts beside a reference that an object of a kind has as well.
func (w *copier) textsOf(at document.Place, kind reference.Kind) []document.Member {
	var out []document.Member
	for _, m := range at.Value.Members {
		if (m.Name == "summary" || m.Name == "description") && m.Value.Kind == document.String {
			if _, ok := w.partOf(at, kind, m.Name); !ok {
				continue
			}
			out = append(out, m)
		}
	}
	return out
}

func hasMember(list []document.Member, name string) bool {
	return slices.ContainsFunc(list, func(m document.Member) bool { return m.Name == name })
}

package account

import (
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
)

// JSON gives the accounts of one package in the form that account.json describes.
func JSON(name string, documents []*Document) hallmark.AccountPackage {
	out := hallmark.AccountPackage{Package: name, Documents: []hallmark.AccountDocument{}}
	for _, d := range documents {
		doc := hallmark.AccountDocument{
			File: d.File.Name, Form: d.Form.String(), SHA256: d.File.SHA256, Schemas: int64(d.Schemas),
			Keywords: []hallmark.AccountKeyword{}, Unknown: []hallmark.AccountPlace{},
		}
		for _, k := range d.Keywords {
			count := func(mode Mode) int64 { return int64(k.Count[mode]) }
			doc.Keywords = append(doc.Keywords, hallmark.AccountKeyword{
				Keyword: k.Name, Count: int64(k.Total()), OnePass: count(OnePass), CheckedFirst: count(CheckedFirst), Raw: count(Raw),
				Resolved: count(Resolved), Idle: count(Idle), Annotation: count(Annotation), Unused: count(Unused),
			})
		}
		for _, p := range d.Unknown {
			doc.Unknown = append(doc.Unknown, hallmark.AccountPlace{Keyword: p.Keyword, Pointer: p.Pointer, Line: int64(p.Line), Column: int64(p.Column)})
		}
		out.Documents = append(out.Documents, doc)
	}
	return out
}

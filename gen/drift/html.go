package drift

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed report.html.tmpl
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"where": where, "reach": reachText, "refusal": func(x *Witness) string { return refusalText(x) }, "summary": summary, "also": alsoText,
}).Parse(page))

// WriteHTML writes the report as one page that needs nothing else.
func WriteHTML(w io.Writer, r *Report) error { return pageTemplate.Execute(w, r) }

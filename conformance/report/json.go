package report

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the report as indented JSON. It begins with the summary.
func WriteJSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

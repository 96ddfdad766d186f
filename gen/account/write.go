package account

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// columns are the modes in the order of the table, the strictest first.
var columns = []Mode{OnePass, CheckedFirst, Raw, Resolved, Idle, Annotation, Unused}

// WriteText writes the accounts of one package as tables.
func WriteText(w io.Writer, name string, documents []*Document) error {
	var b strings.Builder
	for _, d := range documents {
		total := Keyword{Name: "all keywords"}
		rows := slices.Clone(d.Keywords)
		for _, k := range rows {
			for mode, n := range k.Count {
				total.Count[mode] += n
			}
		}
		fmt.Fprintf(&b, "package %s: %s (%s, sha256 %.12s…), %d schemas, %d keywords\n", name, d.File.Name, d.Form, d.File.SHA256, d.Schemas, total.Total())
		table(&b, append(rows, total))
		if len(d.Unknown) > 0 {
			b.WriteString("  keywords of no vocabulary, which assert nothing:\n")
			for _, p := range d.Unknown {
				fmt.Fprintf(&b, "    %s:%d:%d %s\n", d.File.Name, p.Line, p.Column, p.Pointer)
			}
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes rows in columns; a mode that never occurs has none, and zero is a dot.
func table(b *strings.Builder, rows []Keyword) {
	var heads []Mode
	for _, mode := range columns {
		if rows[len(rows)-1].Count[mode] > 0 {
			heads = append(heads, mode)
		}
	}
	width := 0
	for _, k := range rows {
		width = max(width, len(k.Name))
	}
	fmt.Fprintf(b, "  %-*s  %7s", width, "keyword", "count")
	for _, mode := range heads {
		fmt.Fprintf(b, "  %*s", max(6, len(mode.String())), mode)
	}
	b.WriteString("\n")
	for i := range rows {
		fmt.Fprintf(b, "  %-*s  %7d", width, rows[i].Name, rows[i].Total())
		for _, mode := range heads {
			text := "."
			if n := rows[i].Count[mode]; n > 0 {
				text = strconv.Itoa(n)
			}
			fmt.Fprintf(b, "  %*s", max(6, len(mode.String())), text)
		}
		b.WriteString("\n")
	}
}

// Legend explains the columns.
const Legend = `one pass       decided in the pass that reads the value
checked first  the whole value is checked first, and read into its type after
raw JSON       the value stays raw JSON, checked in full
resolved       references, names and definitions: resolved when the code is generated
always holds   it holds for every value as it is written, such as minLength 0 or then without if
annotation     by the standard it asserts nothing; format does where asked for (wire.AssertFormats, --assert-formats)
unused         nothing of the package uses the schema
`

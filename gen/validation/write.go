package validation

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Writer shows violations as they are found.
type Writer interface {
	Violation(f *Finding) error
	// Close ends the output.
	Close(s *Summary) error
}

// Formats are the names that NewWriter knows.
var Formats = []string{"text", "json", "github"}

// NewWriter returns a writer of a format:
//
//   - text: a line a violation, FILE:LINE:COLUMN: POINTER: want WISH (DOCUMENT#SCHEMA KEYWORD), and below it, indented,
//     what is wrong by the closest branch of a choice
//   - json: one document, described by validation.json
//   - github: annotations, as GitHub Actions reads them from a log
func NewWriter(format string, w io.Writer) (Writer, error) {
	switch format {
	case "text":
		return textWriter{w}, nil
	case "json":
		return &jsonWriter{w: bufio.NewWriter(w)}, nil
	case "github":
		return githubWriter{w}, nil
	}
	return nil, fmt.Errorf("there is no format %q: choose %s", format, strings.Join(Formats, ", "))
}

// Discard shows nothing.
var Discard Writer = discard{}

type discard struct{}

func (discard) Violation(*Finding) error { return nil }
func (discard) Close(*Summary) error     { return nil }

type textWriter struct{ w io.Writer }

func (t textWriter) Violation(f *Finding) error {
	_, err := fmt.Fprintf(t.w, "%s:%s\n", f.File, f.Text())
	return err
}

func (textWriter) Close(*Summary) error { return nil }

// jsonWriter writes the document piece by piece: there may be more violations than memory should hold.
type jsonWriter struct {
	w     *bufio.Writer
	begun bool
}

func (j *jsonWriter) begin() {
	if !j.begun {
		j.begun = true
		_, _ = j.w.WriteString(`{"violations":[`) // an error stays with the buffer and comes back at the end
	}
}

func (j *jsonWriter) Violation(f *Finding) error {
	if j.begun {
		_ = j.w.WriteByte(',')
	}
	j.begin()
	v := hallmark.ValidationViolation{
		File: f.File, Line: int64(max(f.Line, 1)), Column: int64(max(f.Column, 1)),
		Message: int64(f.Message), Type: some(f.Type), Instance: f.Instance,
		Document: some(f.Document), Keyword: f.Keyword, Want: f.Want, Value: some(f.Value), Causes: causes(f.Causes),
	}
	if f.Document != "" {
		v.Schema = wire.Some(f.Schema)
	}
	_, err := j.w.Write(append([]byte("\n"), v.AppendJSON(nil)...))
	return err
}

func causes(list []wire.Violation) []hallmark.ValidationCause {
	var out []hallmark.ValidationCause
	for _, v := range list {
		out = append(out, hallmark.ValidationCause{
			Line: int64(max(v.Line, 1)), Column: int64(max(v.Column, 1)), Instance: v.Instance, Document: v.Document,
			Schema: v.Schema, Keyword: v.Keyword, Want: v.Want, Value: some(v.Value), Causes: causes(v.Causes),
		})
	}
	return out
}

func some(text string) wire.Opt[string] { return wire.Opt[string]{Value: text, Set: text != ""} }

func (j *jsonWriter) Close(s *Summary) error {
	j.begin()
	summary := hallmark.ValidationSummary{
		Files: s.Files, Messages: s.Messages, Valid: s.Valid,
		Invalid: s.Invalid, Violations: s.Violations, Incomplete: s.Incomplete,
	}
	_, _ = j.w.WriteString("\n],\"summary\":")
	_, _ = j.w.Write(summary.AppendJSON(nil))
	_, _ = j.w.WriteString("}\n")
	return j.w.Flush()
}

type githubWriter struct{ w io.Writer }

// Violation writes a workflow command. In data %, CR and LF are escaped, in properties also colon and comma.
func (g githubWriter) Violation(f *Finding) error {
	place := ""
	if f.File != "-" {
		place = "file=" + escapeProperty.Replace(f.File) + ","
	}
	_, err := fmt.Fprintf(g.w, "::error %sline=%d,col=%d,title=%s::%s\n", place, f.Line, f.Column,
		escapeProperty.Replace("hallmark validate: "+f.Keyword), escapeData.Replace(f.Text()))
	return err
}

func (githubWriter) Close(*Summary) error { return nil }

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

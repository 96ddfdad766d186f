package validation

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hallmark-kit/hallmark/gen/capture"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Summary counts over all recordings so far.
type Summary struct {
	Files, Messages, Valid, Invalid, Violations int64
	Incomplete                                  int64 // events that a recording breaks off in
	Bytes                                       int64 // read
}

// String is the summary in one line.
func (s *Summary) String() string {
	text := fmt.Sprintf("%s in %s: %d valid, %d not", plural(s.Messages, "message"), plural(s.Files, "file"), s.Valid, s.Invalid)
	if s.Violations > 0 {
		text += ", " + plural(s.Violations, "violation")
	}
	if s.Incomplete > 0 {
		text += "; " + plural(s.Incomplete, "event") + " cut off at the end of a file and passed over, as the rules of server-sent events demand"
	}
	return text
}

func plural(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// Finding is one violation at its place in a recording.
type Finding struct {
	File    string
	Message int    // number of the message in its recording, from 1
	Type    string // that the message was held against, "" where it is none of the protocol's
	wire.Violation
}

// Run holds recordings against a subject. The zero value of the options is usable.
type Run struct {
	Subject *Subject
	Writer  Writer
	Options []wire.Option // for each message
	Input   capture.Input // "" finds out, by name and content
	Limit   int           // of a message in bytes, 0 for capture.DefaultLimit

	// Progress is told after each message, and before anything is written.
	Progress interface {
		Show(s *Summary)
		Clear()
	}
	Summary Summary
}

// KeywordLength is the keyword of the violation that a message is longer than the bound.
const KeywordLength = "length"

// File holds one recording against the subject. Errors are of reading, of writing and of choosing a type; that messages
// are invalid is none, see Summary.
func (r *Run) File(ctx context.Context, name string, src io.Reader) error {
	input := r.Input
	if input == "" {
		if input = capture.ByName(name); input == "" {
			var err error
			if input, src, err = capture.Detect(src); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	candidates, err := r.Subject.candidates(input)
	if err != nil {
		return err
	}
	var opts []capture.Option
	if r.Limit > 0 {
		opts = append(opts, capture.Limit(r.Limit))
	}
	reader := capture.NewReader(src, input, opts...)
	r.Summary.Files++
	before := r.Summary.Bytes
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m, err := reader.Next()
		r.Summary.Bytes = before + reader.Read()
		var long *capture.TooLongError
		switch {
		case errors.Is(err, io.EOF):
			if reader.Incomplete() > 0 {
				r.Summary.Incomplete++
			}
			return nil
		case errors.As(err, &long):
			err = r.tooLong(name, long)
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		default:
			err = r.message(name, candidates, m)
		}
		if err != nil {
			return err
		}
		if r.Progress != nil {
			r.Progress.Show(&r.Summary)
		}
	}
}

func (r *Run) message(name string, candidates []wire.Type, m *capture.Message) error {
	typeName, violations := judge(candidates, m.Data, r.Options)
	r.Summary.Messages++
	if len(violations) == 0 {
		r.Summary.Valid++
		return nil
	}
	r.Summary.Invalid++
	for _, v := range violations {
		place(m, &v)
		if err := r.write(&Finding{File: name, Message: m.Number, Type: typeName, Violation: v}); err != nil {
			return err
		}
	}
	return nil
}

// place moves a violation and its causes to where the message stands in its file.
func place(m *capture.Message, v *wire.Violation) {
	v.Line, v.Column = m.Place(v.Line, v.Column)
	for i := range v.Causes {
		place(m, &v.Causes[i])
	}
}

func (r *Run) tooLong(name string, long *capture.TooLongError) error {
	r.Summary.Messages++
	r.Summary.Invalid++
	return r.write(&Finding{File: name, Message: long.Number, Violation: wire.Violation{
		Line: long.Line, Column: 1, Keyword: KeywordLength, Want: long.Error() + "; --max-message raises it",
	}})
}

func (r *Run) write(f *Finding) error {
	r.Summary.Violations++
	if r.Progress != nil {
		r.Progress.Clear()
	}
	return r.Writer.Violation(f)
}

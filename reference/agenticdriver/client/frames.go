package client

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/gen/wire/sse"
)

// frames reads the data of the frames of a stream. Only lines that begin with "data:" count; id and event repeat what
// the data says, and there is no retry.
type frames struct {
	lines  *sse.Reader
	policy *policy
	data   []byte
	any    bool // there is data in the frame
}

func newFrames(from io.Reader, p *policy) *frames {
	return &frames{lines: sse.NewReader(p.stream(from), p.frame), policy: p}
}

// next gives the data of the next frame that has some, good until the call after. io.EOF is the end of a stream of
// whole frames; all else is a *Error or an error of the connection.
func (f *frames) next() ([]byte, error) {
	f.data, f.any = f.data[:0], false
	for {
		line, err := f.lines.Next()
		switch {
		case errors.Is(err, sse.ErrUnended):
			return f.unended()
		case err != nil:
			return nil, f.wrong(err)
		case line.End && (f.any || f.policy.emptyFrames):
			return f.data, nil
		case line.End:
			continue
		}
		if err := f.take(line); err != nil {
			return nil, err
		}
	}
}

func (f *frames) take(line sse.Line) error {
	if !utf8.Valid(line.Text) && !f.policy.waives(RuleText) {
		return insist{f.policy, codeStream}.broken(RuleText, fail(codeStream, "line %d of the stream is not UTF-8", line.Number))
	}
	if !line.Colon || string(line.Name) != "data" {
		return nil
	}
	switch {
	case f.any && f.policy.lastLine:
		f.data = f.data[:0]
	case f.any:
		f.data = append(f.data, '\n')
	}
	f.any = true
	f.data = append(f.data, line.Value...)
	if f.policy.waives(RuleText) {
		f.data = bytes.ToValidUTF8(f.data, []byte("\uFFFD"))
	}
	return nil
}

// unended is what comes of a frame that the end of the stream cuts off.
func (f *frames) unended() ([]byte, error) {
	rest := f.lines.Rest()
	if !utf8.Valid(rest) && !f.policy.waives(RuleText) {
		return nil, insist{f.policy, codeStream}.broken(RuleText, fail(codeStream, "the stream ends in text that is not UTF-8"))
	}
	if f.policy.waives(RuleTermination) {
		if value, ok := bytes.CutPrefix(rest, []byte("data:")); ok {
			f.any, f.data = true, append(f.data, bytes.TrimPrefix(value, []byte(" "))...)
		}
		if f.any {
			return f.data, nil
		}
		return nil, io.EOF
	}
	return nil, insist{f.policy, codeIncomplete}.broken(RuleTermination, fail(codeIncomplete, "the stream ends within a frame"))
}

// wrong makes a failure of a bound that was passed.
func (f *frames) wrong(err error) error {
	var long *sse.TooLongError
	if errors.As(err, &long) {
		return fail(codeTooLarge, "%v", long).because(long)
	}
	return err
}

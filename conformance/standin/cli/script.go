package cli

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/standin/script"
)

// Script is what an agent does. Each invocation takes the first answer that is left and whose selector matches.
type Script struct {
	Version string   `json:"version,omitempty"` // every invocation with the argument --version writes this and exits
	Answers []Answer `json:"answers,omitempty"`
}

// Answer is one invocation.
type Answer struct {
	When   *When `json:"when,omitempty"`   // which invocations may take it; default any
	Times  int   `json:"times,omitempty"`  // how often it may be taken, default 1
	Always bool  `json:"always,omitempty"` // it is never used up

	Grandchild bool   `json:"grandchild,omitempty"` // first, start a process that stays until it is killed
	Stubborn   bool   `json:"stubborn,omitempty"`   // ignore SIGTERM and SIGINT
	Read       bool   `json:"read,omitempty"`       // then read the whole standard input
	Output     []Line `json:"output,omitempty"`     // then write these
	Hang       bool   `json:"hang,omitempty"`       // then do nothing more
	Exit       int    `json:"exit,omitempty"`       // or exit with this status
}

// When selects invocations; all given members must hold. As a shorthand, the list of Args alone.
type When struct {
	Args  []string `json:"args,omitempty"`  // occur among the arguments, one after the other
	Stdin string   `json:"stdin,omitempty"` // occurs in the standard input
}

// Expand reads the shorthand.
func (w *When) Expand(raw json.RawMessage) error {
	if json.Unmarshal(raw, &w.Args) != nil || len(w.Args) == 0 {
		return errors.New("expected a list of arguments, or an object with args and stdin")
	}
	return nil
}

// suits tells whether the arguments are as the selector wants them.
func (w *When) suits(args []string) bool {
	if w == nil || len(w.Args) == 0 {
		return true
	}
	for i := range args {
		if n := i + len(w.Args); n <= len(args) && slices.Equal(args[i:n], w.Args) {
			return true
		}
	}
	return false
}

// Line is one thing to write, after waiting at the gate, if any. As a shorthand, the text of Out alone.
type Line struct {
	Wait string          `json:"wait,omitempty"`
	Out  string          `json:"out,omitempty"`  // to standard output; the end of the line is added
	Err  string          `json:"err,omitempty"`  // to standard error; the end of the line is added
	JSON json.RawMessage `json:"json,omitempty"` // to standard output, on one line
	Raw  string          `json:"raw,omitempty"`  // to standard output, nothing is added
}

// Expand reads the shorthand.
func (l *Line) Expand(raw json.RawMessage) error {
	if json.Unmarshal(raw, &l.Out) != nil || string(raw) == "null" {
		return errors.New("expected a line of output, or an object with wait, out, err, json or raw")
	}
	return nil
}

// Decode reads a script strictly and validates it. Errors are of type [*script.Error].
func Decode(data []byte) (Script, error) {
	var s Script
	if err := script.Decode(data, &s); err != nil {
		return Script{}, err
	}
	return s, s.Validate()
}

// Validate tells what about the script cannot be played. Errors are of type [*script.Error].
func (s *Script) Validate() error {
	if strings.ContainsAny(s.Version, "\r\n") {
		return script.Errorf([]any{"version"}, "expected one line")
	}
	for i := range s.Answers {
		a := &s.Answers[i]
		switch {
		case a.Times < 0 || a.Times > 0 && a.Always:
			return script.Errorf([]any{"answers", i, "times"}, "expected a number of uses, 1 or more, and no always beside it")
		case a.Exit < 0 || a.Exit > 255:
			return script.Errorf([]any{"answers", i, "exit"}, "expected an exit status, 0 to 255")
		case a.Hang && a.Exit != 0:
			return script.Errorf([]any{"answers", i, "hang"}, "expected hang or exit, not both")
		}
		for j, l := range a.Output {
			count := 0
			for _, given := range []bool{l.Out != "", l.Err != "", l.JSON != nil, l.Raw != ""} {
				if given {
					count++
				}
			}
			if count > 1 {
				return script.Errorf([]any{"answers", i, "output", j}, "expected one of out, err, json, raw")
			}
		}
	}
	return nil
}

// write is what the process is told to write for the line; nil: nothing.
func (l *Line) write() *output {
	switch {
	case l.Err != "":
		return &output{Err: l.Err + "\n"}
	case l.JSON != nil:
		compact, err := json.Marshal(l.JSON)
		if err != nil {
			panic("agent stand-in: " + err.Error()) // it was decoded as JSON
		}
		return &output{Out: string(compact) + "\n"}
	case l.Raw != "":
		return &output{Out: l.Raw}
	case l.Wait != "" && l.Out == "":
		return nil
	}
	return &output{Out: l.Out + "\n"}
}

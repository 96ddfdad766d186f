package model

import (
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/standin/script"
)

// Validate tells what about the script cannot be played. Errors are of type [*script.Error].
func (s *Script) Validate() error {
	if s.Dialect != OpenAI && s.Dialect != Ollama {
		return script.Errorf([]any{"dialect"}, "expected %s or %s", OpenAI, Ollama)
	}
	if s.Base != nil && *s.Base != "" && (!strings.HasPrefix(*s.Base, "/") || strings.HasSuffix(*s.Base, "/")) {
		return script.Errorf([]any{"base"}, "expected a path such as /v1, without a slash at the end, or an empty text")
	}
	if s.Version != "" && s.Dialect != Ollama {
		return script.Errorf([]any{"version"}, "only the dialect %s tells a version", Ollama)
	}
	if s.Probe != nil && s.Probes != nil {
		return script.Errorf([]any{"probes"}, "expected probe or probes, not both")
	}
	for i, m := range s.Models {
		if m.ID == "" {
			return script.Errorf([]any{"models", i, "id"}, "expected the id of the model")
		}
	}
	if s.Probe != nil {
		if err := s.Probe.validate([]any{"probe"}); err != nil {
			return err
		}
	}
	for i := range s.Probes {
		if err := s.Probes[i].validate([]any{"probes", i}); err != nil {
			return err
		}
	}
	for i := range s.Turns {
		if err := s.Turns[i].validate(s.Dialect, []any{"turns", i}); err != nil {
			return err
		}
	}
	return nil
}

// maxChunks bounds generated content.
const maxChunks = 100_000

func validStatus(status int) bool { return status == 0 || status >= 200 && status <= 599 }

func (p *Probe) validate(path []any) error {
	at := func(name string) []any { return append(path[:len(path):len(path)], name) }
	switch {
	case !validStatus(p.Status):
		return script.Errorf(at("status"), "expected a final HTTP status, 200 to 599")
	case p.Status == 0 && p.Body != nil:
		return script.Errorf(at("body"), "a body needs a status beside it")
	case p.Stall && p.Cut, (p.Stall || p.Cut) && p.Status != 0:
		return script.Errorf(path, "expected one of status, stall, cut")
	case p.Reset && !p.Cut:
		return script.Errorf(at("reset"), "reset says how to cut; it needs cut beside it")
	}
	return nil
}

// one lists, of some mutually exclusive members, those that are given.
type one struct {
	name  string
	given bool
}

func given(members ...one) []string {
	var out []string
	for _, m := range members {
		if m.given {
			out = append(out, m.name)
		}
	}
	return out
}

func (t *Turn) validate(dialect Dialect, path []any) error {
	at := func(more ...any) []any { return append(path[:len(path):len(path)], more...) }
	content := given(one{"text", t.Text != ""}, one{"deltas", t.Deltas != nil}, one{"chunks", t.Chunks != 0})
	if len(content) > 1 {
		return script.Errorf(at(content[1]), "expected one of text, deltas, chunks; %s is there already", content[0])
	}
	ends := given(one{"error", t.Error != nil}, one{"stall", t.Stall}, one{"cut", t.Cut != nil}, one{"unfinished", t.Unfinished})
	if len(ends) > 1 {
		return script.Errorf(at(ends[1]), "expected one of error, stall, cut, unfinished; %s is there already", ends[0])
	}
	answer := append(append(content, ends...), given(one{"calls", t.Calls != nil}, one{"usage", t.Usage != nil}, one{"stop", t.Stop != ""})...)
	switch {
	case !validStatus(t.Status):
		return script.Errorf(at("status"), "expected a final HTTP status, 200 to 599")
	case t.Status != 0 && len(answer) > 0:
		return script.Errorf(at(answer[0]), "a turn with a status has no %s; its answer is status, body and headers", answer[0])
	case t.Status == 0 && t.Body != nil:
		return script.Errorf(at("body"), "a body needs a status beside it")
	case t.Reset && t.Cut == nil:
		return script.Errorf(at("reset"), "reset says how to cut; it needs cut beside it")
	case t.Cut != nil && *t.Cut < 0:
		return script.Errorf(at("cut"), "expected a number of chunks, 0 or more")
	case t.Times < 0 || t.Times > 0 && t.Always:
		return script.Errorf(at("times"), "expected a number of uses, 1 or more, and no always beside it")
	case t.Chunks < 0 || t.Chunks > maxChunks:
		return script.Errorf(at("chunks"), "expected a number of chunks, 1 to %d", maxChunks)
	case t.Pieces < 0:
		return script.Errorf(at("pieces"), "expected a number of bytes, 1 or more")
	case t.Interleave && (dialect != OpenAI || len(t.Calls) < 2):
		return script.Errorf(at("interleave"), "only the fragments of two or more calls in the dialect %s can alternate", OpenAI)
	}
	for i, d := range t.Deltas {
		if d.Text != "" && d.Raw != "" || d == (Delta{}) {
			return script.Errorf(at("deltas", i), "expected text or raw, or wait alone")
		}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		switch {
		case c.Tool == "":
			return script.Errorf(at("calls", i, "tool"), "expected the name of a tool")
		case c.Fragments < 0 || c.Fragments > 0 && dialect != OpenAI:
			return script.Errorf(at("calls", i, "fragments"), "expected a number, 1 or more, and the dialect %s", OpenAI)
		}
	}
	if u := t.Usage; u != nil {
		switch {
		case u.Input < 0 || u.Output < 0:
			return script.Errorf(at("usage"), "expected numbers of tokens, 0 or more")
		case u.Cached != nil && dialect != OpenAI:
			return script.Errorf(at("usage", "cached"), "only the dialect %s tells what was cached", OpenAI)
		case u.Cached != nil && (*u.Cached < 0 || *u.Cached > u.Input):
			return script.Errorf(at("usage", "cached"), "expected a part of input, which includes it")
		}
	}
	return nil
}

package scenario

import (
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
)

// onlyHTTP are the words that speak of requests, onlyMessages those that speak of a channel of messages.
var (
	onlyHTTP     = []Word{Call, Answer, EndOfStream, Comment, NearMisses}
	onlyMessages = []Word{Send, SendTogether}
)

// channel refuses words that the role's wire does not have.
func (l *loader) channel(word Word, at string) {
	switch {
	case l.http && slices.Contains(onlyMessages, word):
		l.wrong(at, "%s writes to a channel of messages, and a %s is sent requests", word, l.role)
	case !l.http && slices.Contains(onlyHTTP, word):
		l.wrong(at, "%s is about HTTP requests, and a %s is sent messages", word, l.role)
	}
	if l.http {
		return
	}
	written, _ := l.at(at)
	for _, qualifier := range []string{"of", "as"} {
		if _, ok := written.(*value.Object).Get(qualifier); ok {
			l.errs = append(l.errs, l.doc.KeyErrorf(value.Join(at, qualifier), "%s names an HTTP request, and a %s is sent messages", qualifier, l.role))
		}
	}
}

// words lists the words that the role's wire has.
func (l *loader) words() []string {
	left := onlyHTTP
	if l.http {
		left = onlyMessages
	}
	return slices.DeleteFunc(Words(), func(w string) bool { return slices.Contains(left, Word(w)) })
}

// request reads a request or near misses of one.
func (l *loader) request(step *Step, f *hallmark.Step, at string) {
	l.sending(step, f, at, nil)
	line := f.Request.Value
	if step.Word == NearMisses {
		line = f.NearMisses.Value
	}
	r := &Request{Name: f.As.Value, Accept: f.Accept.Value, Chunked: f.Chunked.Value, Headers: l.object(at + "/headers")}
	r.Method, r.Target, _ = strings.Cut(line, " ")
	r.Token, r.TokenGiven = l.at(at + "/token")
	r.Body, r.HasBody = l.at(at + "/body")
	if f.Bytes != nil {
		r.Bytes = l.bytes(f.Bytes, at+"/bytes")
		if r.HasBody {
			l.wrong(at+"/bytes", "bytes and body do not go together")
		}
	}
	if rule, ok := f.Invalid.Get(); ok {
		step.Invalid = l.rule(at+"/invalid", rule)
		if !r.HasBody {
			l.wrong(at+"/invalid", "invalid speaks of the body, and there is none")
		}
	}
	if r.Headers != nil {
		for _, m := range r.Headers.Members {
			switch v := m.Value.(type) {
			case string, nil:
			case value.List:
				if slices.ContainsFunc(v, func(item any) bool { _, ok := item.(string); return !ok }) {
					l.wrong(value.Join(at+"/headers", m.Name), "a list of texts is expected")
				}
			default:
				l.wrong(value.Join(at+"/headers", m.Name), "text, a list of texts or null is expected")
			}
		}
	}
	step.Request = r
	step.Again, _ = l.at(at + "/until answer")
	if step.Word == Call {
		l.requests = append(l.requests, r.Name)
		return
	}
	if !r.HasBody {
		l.wrong(at, "near misses says with body which one is accepted; it is missing")
	}
	step.Refused, _ = l.at(at + "/refused")
	step.Accepted, _ = l.at(at + "/accepted")
	for i, text := range f.Unlike {
		if rule := l.rule(value.JoinIndex(at+"/unlike", i), text); rule != nil {
			step.Unlike = append(step.Unlike, *rule)
		}
	}
}

// exchangeOf finds the request a step speaks of: the named one, or the last one before the step.
func (l *loader) exchangeOf(step *Step, f *hallmark.Step, at string) {
	speaks := slices.Contains([]Word{Answer, EndOfStream, Comment, Expect, Maybe, Some, Until}, step.Word) || step.Word == Close && f.Close.Value == "request"
	if !l.http || !speaks {
		if step.Word == Close && (l.http != (f.Close.Value == "request") || f.Of.Set) {
			l.wrong(at, "close stdin is for a channel of messages, close request for HTTP")
		}
		return
	}
	if len(l.requests) == 0 {
		l.wrong(at, "there is no request before this step")
		return
	}
	step.Exchange = l.requests[len(l.requests)-1]
	if name, ok := f.Of.Get(); ok {
		l.known(at+"/of", "request before this step named", name, l.requests)
		step.Exchange = name
	}
}

package drift

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/drift/inclusion"
	"github.com/hallmark-kit/hallmark/gen/sample"
)

// refusal is why a message is not valid.
type refusal struct {
	keyword  string
	instance string
	schema   string
	words    string
}

// judged holds a message against the schema of a root on one side: nil when it is
// valid. Of several reasons why it is not, it tells the one at the edit that the
// message is to show.
func (c *comparer) judged(s *side, r *root, json []byte, shown edit) (*refusal, error) {
	n := r.new
	if s.label == "old" {
		n = r.old
	}
	message := parsed(json)
	if message == nil {
		return nil, fmt.Errorf("%s is not one JSON value", json)
	}
	compiled, places, err := s.compile(n, message, c.formats)
	if err != nil {
		return nil, err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(json))
	if err != nil {
		return nil, err
	}
	err = compiled.Validate(v)
	if err == nil {
		return nil, nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	written := func(pointer string) string {
		for at, place := range places {
			if rest, inside := strings.CutPrefix(pointer, at); inside && (rest == "" || rest[0] == '/') {
				return place + rest
			}
		}
		return pointer
	}
	var why *refusal
	best := 0
	for _, cause := range causes(invalid, nil) {
		l := refused(cause)
		if len(cause.Causes) > 0 && (l.keyword != shown.keyword || l.keyword != "oneOf" && l.keyword != "anyOf") {
			continue
		}
		l.schema = written(l.schema)
		if fit := shown.fit(l); fit > best {
			why, best = l, fit
		}
	}
	if why == nil {
		why = explain(invalid)
		why.schema = written(why.schema)
	}
	if _, pointer, led := strings.Cut(why.schema, spotMark); led {
		why.schema = pointer
	}
	return why, nil
}

// edit is the place of a change in the version that refuses: the schema, and what
// changed below it; "" where nothing is left there.
type edit struct {
	schema, below string
	keyword       string
	known         bool
}

// editOf gives the place of a change where a message is refused.
func (c *comparer) editOf(p *pair, ch *change, w way) edit {
	if w == oldSends {
		return edit{c.new.spot(p.new), ch.new, ch.keyword, true}
	}
	return edit{c.old.spot(p.old), ch.old, ch.keyword, true}
}

// fit tells how well a refusal shows the edit: 2 when it is what changed that
// refuses, 1 when it is the schema that did, 0 when it is something else.
func (e edit) fit(r *refusal) int {
	at := r.schema + "/" + document.EscapeToken(r.keyword)
	switch {
	case !e.known:
		return 0
	case e.below != "" && (at == e.schema+e.below || strings.HasPrefix(at, e.schema+e.below+"/") || strings.HasPrefix(r.schema, e.schema+e.below+"/") || r.schema == e.schema+e.below):
		return 2
	case r.schema == e.schema:
		return 1
	}
	return 0
}

// causes gives a refusal and all that it consists of.
func causes(e *jsonschema.ValidationError, list []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	list = append(list, e)
	for _, c := range e.Causes {
		list = causes(c, list)
	}
	return list
}

var printer = message.NewPrinter(language.English)

// explain finds the cause that says most: the one furthest down in the message,
// and of a union that refuses everything the union itself.
func explain(e *jsonschema.ValidationError) *refusal {
	best := e
	for len(best.Causes) > 0 {
		path := best.ErrorKind.KeywordPath()
		if n := len(path); n > 0 && (path[n-1] == "oneOf" || path[n-1] == "anyOf") && len(best.Causes) > 1 {
			if d := deepest(best.Causes); d != nil && len(d.InstanceLocation) > len(best.InstanceLocation) && onlyDeep(best.Causes, d) {
				best = d
				continue
			}
			break
		}
		best = deepest(best.Causes)
	}
	return refused(best)
}

// refused reads one cause.
func refused(best *jsonschema.ValidationError) *refusal {
	r := &refusal{words: best.ErrorKind.LocalizedString(printer)}
	if path := best.ErrorKind.KeywordPath(); len(path) > 0 {
		r.keyword = path[0]
	}
	r.instance = document.Pointer(best.InstanceLocation...)
	if _, at, found := strings.Cut(best.SchemaURL, "#"); found {
		if text, err := url.PathUnescape(at); err == nil {
			at = text
		}
		r.schema = at
	}
	if r.keyword == "" {
		r.keyword = "schema"
		if strings.HasSuffix(r.schema, "additionalProperties") || strings.HasSuffix(r.schema, "unevaluatedProperties") {
			r.keyword = r.schema[strings.LastIndexByte(r.schema, '/')+1:]
		}
	}
	return r
}

func deepest(causes []*jsonschema.ValidationError) *jsonschema.ValidationError {
	var best *jsonschema.ValidationError
	depth := func(e *jsonschema.ValidationError) int {
		most := len(e.InstanceLocation)
		var walk func(*jsonschema.ValidationError)
		walk = func(e *jsonschema.ValidationError) {
			most = max(most, len(e.InstanceLocation))
			for _, c := range e.Causes {
				walk(c)
			}
		}
		walk(e)
		return most
	}
	for _, c := range causes {
		if best == nil || depth(c) > depth(best) {
			best = c
		}
	}
	return best
}

// onlyDeep tells whether exactly one branch got beyond the value itself: the one
// that was meant.
func onlyDeep(causes []*jsonschema.ValidationError, d *jsonschema.ValidationError) bool {
	count := 0
	for _, c := range causes {
		tag := false
		var walk func(*jsonschema.ValidationError)
		walk = func(e *jsonschema.ValidationError) {
			if path := e.ErrorKind.KeywordPath(); len(path) > 0 && (path[0] == "const" || path[0] == "enum") {
				tag = true
			}
			for _, c := range e.Causes {
				walk(c)
			}
		}
		walk(c)
		if !tag {
			count++
		}
	}
	return count == 1
}

// maxTrials bounds how often a witness is tried in a smaller form.
const maxTrials = 400

// prove makes a message as small as it gets, checks with the independent
// validator that it is valid for the sender and not for the receiver, and writes
// the witness. It shows an edit; keep says what else must stay true of it while it shrinks.
func (c *comparer) prove(r *root, sender *side, made *document.Value, shown edit, keep func(*document.Value) bool) (*Witness, error) {
	receiver := c.other(sender)
	from, to := r.old, r.new
	if sender == c.new {
		from, to = to, from
	}
	json := inclusion.AppendJSON(nil, made)
	candidates := [][]byte{json}
	if len(json) < 20_000 {
		trials := 0
		small := sample.Shrink(json, func(candidate []byte) bool {
			if trials++; trials > maxTrials {
				return false
			}
			v := parsed(candidate)
			return v != nil && c.plain.Holds(from, v) && !c.plain.Holds(to, v) && keep(v)
		})
		candidates = [][]byte{small, json}
	}
	var last error
	for _, json := range candidates {
		refused, err := c.judged(sender, r, json, edit{})
		if err != nil {
			return nil, err
		}
		why, err := c.judged(receiver, r, json, shown)
		if err != nil {
			return nil, err
		}
		if refused == nil && why != nil {
			return &Witness{
				Message: string(json), In: r.name, AcceptedBy: sender.label, RefusedBy: receiver.label,
				Keyword: why.keyword, Instance: why.instance, Schema: why.schema, Explanation: why.words,
			}, nil
		}
		last = fmt.Errorf("it does not agree that %s shows a break", json)
	}
	return nil, last
}

// parsed reads one JSON value, nil when it is none.
func parsed(json []byte) *document.Value {
	// Inside an array no text can be taken for a document of some form.
	f, err := document.Parse("message", append(append([]byte("["), json...), ']'))
	if err != nil || len(f.Root.Items) != 1 {
		return nil
	}
	return f.Root.Items[0]
}

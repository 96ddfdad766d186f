package comitiva

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// refusal is a request that is not valid: one line of JSON, with what is wrong
// with it first. It holds nothing of the line but its id and type.
type refusal struct {
	id      string // as the response echoes it
	hasID   bool
	oddID   bool // the id is no string
	object  bool
	reqType string // empty when it is none of the known ones
	keyword string // of the first broken rule
	err     protocol.AppError
}

// rootPath stands for the request itself where a member is named.
const rootPath = "(root)"

// refusalOf tells what is wrong with a line that could not be decoded; ok is
// false when the line is not JSON at all.
func refusalOf(line []byte, err error) (r refusal, ok bool) {
	if !json.Valid(line) {
		return refusal{}, false
	}
	path, reason := rootPath, "cannot be read"
	var broken *wire.Error
	if errors.As(err, &broken) && len(broken.Violations) > 0 {
		path, reason = issue(broken.Violations[0])
		r.keyword = broken.Violations[0].Keyword
	}
	if line = bytes.TrimSpace(line); line[0] != '{' {
		path, reason = rootPath, "expected an object"
	} else {
		r.object = true
		var members map[string]json.RawMessage
		_ = json.Unmarshal(line, &members) // valid JSON, and an object
		if id, has := members["id"]; has {
			r.hasID, r.id, r.oddID = true, text(id), id[0] != '"'
		}
		var name string
		if json.Unmarshal(members["type"], &name) == nil && knownTypes[name] {
			r.reqType = name
		} else {
			path, reason = "type", "expected one of the request types"
		}
	}
	r.err = protocol.AppError{Code: protocol.ErrorCodeInvalidRequest, Message: "Invalid request (" + path + ": " + reason + ")"}
	return r, true
}

func (s *server) answerRefusal(r refusal) {
	s.log.Debug("refused a request", "keyword", r.keyword)
	s.emit(&protocol.ResponseError{ID: r.id, Error: r.err})
}

var knownTypes = map[string]bool{
	"ping": true, "connection.test": true, "connection.listModels": true, "cli.detect": true,
	"toolServer.start": true, "toolServer.stop": true, "run.start": true, "run.cancel": true,
	"run.approval": true, "shutdown": true,
}

// issue writes a broken rule as a path of member names and a reason. A missing
// member counts as its own path.
func issue(v wire.Violation) (path, reason string) {
	var parts []string
	for _, part := range strings.Split(v.Instance, "/")[1:] {
		parts = append(parts, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
	}
	reason = "expected " + v.Want
	switch v.Keyword {
	case "required":
		if quoted, ok := strings.CutPrefix(v.Want, "the member "); ok {
			if name, err := strconv.Unquote(quoted); err == nil {
				parts, reason = append(parts, name), "required"
			}
		}
	case "pattern":
		reason = "not of the expected form" // the pattern itself is nothing to read
	}
	if len(parts) == 0 {
		return rootPath, reason
	}
	return strings.Join(parts, "."), reason
}

// text is a JSON value as ECMAScript's String() gives it: what a runner echoes
// for an id that is no string.
func text(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch value[0] {
	case '"':
		var s string
		_ = json.Unmarshal(value, &s)
		return s
	case '{':
		return "[object Object]"
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(value, &items)
		parts := make([]string, len(items))
		for i, item := range items {
			if string(item) != "null" {
				parts[i] = text(item)
			}
		}
		return strings.Join(parts, ",")
	case 't', 'f', 'n':
		return string(value)
	}
	f, _ := strconv.ParseFloat(string(value), 64)
	return number(f)
}

// number writes a number as ECMAScript does (ECMA-262, Number::toString).
func number(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	}
	if a := math.Abs(f); a >= 1e21 || a < 1e-6 {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		mantissa, exponent, _ := strings.Cut(s, "e")
		return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// milliseconds writes microseconds as milliseconds with a fraction.
func milliseconds(us int64) string {
	return strconv.FormatFloat(float64(us)/1000, 'f', 3, 64)
}

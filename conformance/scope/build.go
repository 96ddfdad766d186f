package scope

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/match"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// builders are the members that make an object a builder.
var builders = []string{"$from", "$text", "$json", "$canonical", "$base64", "$sha256", "$bytes", "$sum", "$minutes"}

func builder(o *value.Object) (string, bool) {
	for _, b := range builders {
		if _, ok := o.Get(b); ok {
			return b, true
		}
	}
	return "", false
}

func isBuilder(v any) bool {
	o, ok := v.(*value.Object)
	if ok {
		_, ok = builder(o)
	}
	return ok
}

// maxText bounds what $text and $times may build, in bytes.
const maxText = 256 << 20

func (e *expander) build(word string, o *value.Object, at string, depth int) (any, *Error) {
	inner, _ := o.Get(word)
	v, f := e.expand(inner, value.Join(at, word), depth)
	if f != nil {
		return nil, f
	}
	if word == "$from" {
		return e.merge(v, o, at, depth)
	}
	_, sample := v.(Sample)
	times := 1
	for _, m := range o.Members {
		switch {
		case m.Name == word:
		case m.Name == "$times" && word == "$text":
			n, _ := m.Value.(value.Number)
			i, err := strconv.Atoi(string(n))
			if err != nil || i < 0 {
				return nil, fault(value.Join(at, m.Name), "$times wants a whole number")
			}
			times = i
		default:
			return nil, fault(value.Join(at, m.Name), "%s cannot stand beside %s", m.Name, word)
		}
	}
	plain, samples := Strip(v)
	switch {
	case word == "$text":
	case len(samples) > 0:
		return Sample{}, nil
	case word == "$json":
		return value.Text(plain), nil
	case word == "$canonical":
		return value.Canonical(plain), nil
	case word == "$sum":
		return sum(plain, value.Join(at, word))
	case word == "$minutes":
		return minutes(plain, value.Join(at, word))
	default:
		return digest(word, plain, value.Join(at, word))
	}
	text, ok := v.(string)
	if !ok && !sample {
		return nil, fault(value.Join(at, word), "$text wants text")
	}
	if sample {
		return Sample{}, nil
	}
	if len(text) > 0 && times > maxText/len(text) {
		return nil, fault(at, "$text and $times build more than %d bytes", maxText)
	}
	return strings.Repeat(text, times), nil
}

// digest builds the base64, the SHA-256 in hexadecimal or the number of bytes of a text in UTF-8.
func digest(word string, v any, at string) (any, *Error) {
	text, ok := v.(string)
	if !ok {
		return nil, fault(at, "%s wants text", word)
	}
	switch word {
	case "$base64":
		return base64.StdEncoding.EncodeToString([]byte(text)), nil
	case "$bytes":
		return value.Int(int64(len(text))), nil
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}

// sum adds whole numbers.
func sum(v any, at string) (any, *Error) {
	list, ok := v.(value.List)
	var total int64
	for _, item := range list {
		n, isNumber := item.(value.Number)
		i, err := strconv.ParseInt(string(n), 10, 64)
		if !isNumber || err != nil {
			ok = false
		}
		total += i
	}
	if !ok {
		return nil, fault(at, "$sum wants a list of whole numbers")
	}
	return value.Int(total), nil
}

// minutes is how many minutes, rounded, lie between two times (RFC 3339).
func minutes(v any, at string) (any, *Error) {
	list, _ := v.(value.List)
	var times []time.Time
	for _, item := range list {
		text, _ := item.(string)
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			times = append(times, t)
		}
	}
	if len(list) != 2 || len(times) != 2 {
		return nil, fault(at, "$minutes wants two times, as in [2026-01-02T03:04:05Z, 2026-01-02T03:14:05Z]")
	}
	return value.Int(int64(times[1].Sub(times[0]).Round(time.Minute) / time.Minute)), nil
}

// merge lays the other members of a $from object over what it is made from.
func (e *expander) merge(from any, patch *value.Object, at string, depth int) (any, *Error) {
	if len(patch.Members) == 1 {
		return from, nil
	}
	if _, sample := from.(Sample); sample {
		return from, nil
	}
	base, ok := from.(*value.Object)
	if !ok {
		return nil, fault(value.Join(at, "$from"), "$from wants an object when members stand beside it")
	}
	return e.overlay(base, patch, at, depth)
}

// overlay is called with an object that belongs to this expansion alone.
func (e *expander) overlay(base, patch *value.Object, at string, depth int) (any, *Error) {
	for _, m := range patch.Members {
		if m.Name == "$from" {
			continue
		}
		here := value.Join(at, m.Name)
		written, isObject := m.Value.(*value.Object)
		if isObject && removes(written) {
			base.Delete(m.Name)
			continue
		}
		before, _ := base.Get(m.Name)
		under, wasObject := before.(*value.Object)
		if isObject && wasObject && !isBuilder(written) && !matches(written) {
			v, f := e.overlay(under, written, here, depth)
			if f != nil {
				return nil, f
			}
			base.Set(m.Name, v)
			continue
		}
		v, f := e.expand(m.Value, here, depth)
		if f != nil {
			return nil, f
		}
		base.Set(m.Name, v)
	}
	return base, nil
}

func removes(o *value.Object) bool {
	v, ok := o.Get("$absent")
	return ok && v == true && len(o.Members) == 1
}

// matches tells whether the object is a matcher and not an object to merge.
func matches(o *value.Object) bool {
	for _, m := range o.Members {
		if match.IsWord(m.Name) {
			return true
		}
	}
	return false
}

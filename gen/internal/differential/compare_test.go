package differential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/hallmark-kit/hallmark/gen/internal/differential/oracle"
)

// explained lists disagreements with the oracle in which we are right. Each entry
// says why, and its instance keeps the answer.
var explained = []struct {
	protocol, name string
	json           string
	valid          bool // the right answer, and ours
	why            string
}{}

// isExplained tells whether the right answer to an instance is written down, and
// what it is.
func isExplained(s *subject, data []byte) (valid, ok bool) {
	for _, e := range explained {
		if e.protocol == s.protocol && e.name == s.name && e.json == string(data) {
			return e.valid, true
		}
	}
	return false, false
}

// disagreement judges one instance in every way there is and tells what does not
// fit together, in words; "" when all agree.
func disagreement(s *subject, data []byte) string {
	if oracle.Slow(data) {
		return ""
	}
	v, err := oracle.Decode(data)
	isJSON := err == nil
	if isJSON {
		err = s.oracle.ValidateValue(v)
	}
	if err == nil {
		// These are rules of the text, which our reader has by design. The oracle
		// does not see the text.
		err = textFault(data)
	}
	ours := s.validate(data)
	want := err == nil
	if valid, ok := isExplained(s, data); ok {
		want = valid
	}
	switch {
	case want && ours != nil:
		return "the oracle accepts what Validate refuses: " + ours.Error()
	case !want && ours == nil:
		return fmt.Sprintf("Validate accepts what the oracle refuses: %v", err)
	}
	out, refused, broken := s.recode(data)
	switch {
	case ours == nil && refused != nil:
		return "Validate accepts what Decode refuses: " + refused.Error()
	case ours != nil && refused == nil:
		return "Decode accepts what Validate refuses: " + ours.Error()
	case refused != nil:
		// What is no JSON may be met at another point of the way.
		if isJSON && ours.Error() != refused.Error() {
			return fmt.Sprintf("Validate and Decode give different reasons: %v\n\tand %v", ours, refused)
		}
		return ""
	case broken != nil:
		return "the round trip breaks: " + broken.Error()
	}
	if err := sameMessage(s.node, data, out); err != nil {
		return fmt.Sprintf("the round trip changes the message: %v: %s", err, out)
	}
	return ""
}

// formatDisagreement is disagreement with formats as rules, about validity only.
func formatDisagreement(s *subject, data []byte, assert func(*subject, []byte) error) string {
	if oracle.Slow(data) {
		return ""
	}
	err := s.formats.Validate(data)
	if err == nil {
		err = textFault(data)
	}
	switch ours := assert(s, data); {
	case err == nil && ours != nil:
		return "the oracle accepts what Validate refuses: " + ours.Error()
	case err != nil && ours == nil:
		return fmt.Sprintf("Validate accepts what the oracle refuses: %v", err)
	}
	return ""
}

// textFault finds what RFC 8259 leaves to the reader, I-JSON (RFC 7493) forbids,
// and encoding/json lets pass: text that is no UTF-8, unpaired surrogates,
// repeated member names. The text is JSON otherwise.
func textFault(data []byte) error {
	if !utf8.Valid(data) {
		return fmt.Errorf("not UTF-8")
	}
	if loneSurrogate(data) {
		return fmt.Errorf("an unpaired surrogate")
	}
	return repeatedName(data)
}

func loneSurrogate(data []byte) bool {
	unit := func(i int) (u int, ok bool) {
		if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
			return 0, false
		}
		_, err := fmt.Sscanf(string(data[i+2:i+6]), "%04x", &u)
		return u, err == nil
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		switch u, ok := unit(i); {
		case !ok:
			i++ // another escape
		case u >= 0xd800 && u < 0xdc00:
			if low, ok := unit(i + 6); !ok || low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 11
		case u >= 0xdc00 && u < 0xe000:
			return true
		default:
			i += 5
		}
	}
	return false
}

func repeatedName(data []byte) error {
	type object struct {
		names map[string]bool // nil for an array
		value bool            // a value comes next, not a name
	}
	var stack []*object
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return nil // the end: the text is known to be JSON
		}
		var top *object
		if len(stack) > 0 {
			top = stack[len(stack)-1]
		}
		switch token {
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
			continue
		}
		if top != nil && top.names != nil {
			if !top.value {
				name := token.(string)
				if top.names[name] {
					return fmt.Errorf("the member name %q is repeated", name)
				}
				top.names[name], top.value = true, true
				continue
			}
			top.value = false
		}
		switch token {
		case json.Delim('{'):
			stack = append(stack, &object{names: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, &object{})
		}
	}
}

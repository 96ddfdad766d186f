package differential

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/sample"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// Whatever the schema, these texts are none: every type refuses them, in both ways
// of reading, for the text's sake.
func TestEveryTypeRefusesWhatIsNoJSONText(t *testing.T) {
	everyType(t, func(t *testing.T, s *subject, valid []byte) {
		cut := valid[:len(valid)-1]
		for name, text := range map[string][]byte{
			"empty input":          {},
			"white space only":     []byte(" \n"),
			"byte order mark":      append([]byte("\xef\xbb\xbf"), valid...),
			"trailing bytes":       append(bytes.Clone(valid), '}'),
			"two values":           append(append(bytes.Clone(valid), ' '), valid...),
			"a null byte behind":   append(bytes.Clone(valid), 0),
			"cut off":              cut,
			"a vertical tab":       append([]byte("\v"), valid...),
			"a comment":            append([]byte("/**/"), valid...),
			"an unpaired half":     []byte(`"\ud83d"`),
			"not UTF-8":            []byte("\"\xff\""),
			"an overlong encoding": []byte("\"\xc0\xaf\""),
			"an encoded surrogate": []byte("\"\xed\xa0\x80\""),
			"a control character":  []byte("\"\x01\""),
			"NaN":                  []byte("NaN"),
			"a leading zero":       []byte("01"),
			"a trailing comma":     []byte("[1,]"),
			"too deep":             []byte(strings.Repeat("[", wire.DefaultMaxDepth+1) + strings.Repeat("]", wire.DefaultMaxDepth+1)),
		} {
			if len(valid) == 1 && name == "cut off" || bytes.IndexByte([]byte("0123456789"), valid[len(valid)-1]) >= 0 && name == "cut off" {
				continue // what is left of a number is a number
			}
			validated := s.validate(text, wire.AllViolations())
			_, decoded, _ := s.recode(text)
			if !aboutText(validated) {
				t.Errorf("%s: Validate says %.300v", name, validated)
			}
			if decoded == nil {
				t.Errorf("%s: Decode accepts", name)
			}
		}
	})
}

func TestDepthBombsAreRefused(t *testing.T) {
	const levels = 1_000_000
	for _, p := range packages {
		types := subjectsOf(t, p.name)
		for _, s := range []*subject{types[0], types[len(types)/2], types[len(types)-1]} {
			for name, text := range map[string]string{
				"arrays without end":  strings.Repeat("[", levels),
				"objects without end": strings.Repeat(`{"a":`, levels),
				"arrays":              strings.Repeat("[", levels) + strings.Repeat("]", levels),
				"arrays in a member":  `{"deep":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}`,
			} {
				if err := s.validate([]byte(text), wire.AllViolations(), wire.MaxDepth(levels)); !aboutText(err) {
					t.Errorf("%v: %s: Validate says %.300v", s, name, err)
				}
				if _, refused, _ := s.recode([]byte(text)); refused == nil {
					t.Errorf("%v: %s: Decode accepts", s, name)
				}
			}
		}
	}
}

// aboutText tells whether an error names a fault of the text.
func aboutText(err error) bool {
	var e *wire.Error
	if !errors.As(err, &e) {
		return false
	}
	for _, v := range e.Violations {
		if v.Keyword == wire.KeywordJSON {
			return true
		}
	}
	return false
}

func TestEveryTypeRefusesRepeatedMembersUnlessAllowed(t *testing.T) {
	everyType(t, func(t *testing.T, s *subject, valid []byte) {
		if valid[0] != '{' || len(valid) == 2 {
			return
		}
		v, err := parse(valid)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range v.Members {
			again := fmt.Sprintf("%s,%s:%s}", valid[:len(valid)-1], wire.Quoted(m.Name), m.Value.Raw())
			if err := s.validate([]byte(again)); !aboutText(err) {
				t.Errorf("%q twice: %v", m.Name, err)
			}
			if _, err, _ := s.recode([]byte(again)); err == nil {
				t.Errorf("Decode accepts %q twice", m.Name)
			}
			if err := s.validate([]byte(again), wire.AllowRepeatedNames()); err != nil {
				t.Errorf("%q twice, though allowed: %v", m.Name, err)
			}
		}
	})
}

// A required member by another case of letters is missing.
func TestEveryTypeTakesNamesByTheLetter(t *testing.T) {
	everyType(t, func(t *testing.T, s *subject, valid []byte) {
		v, err := parse(valid)
		if err != nil || v.Kind != document.Object {
			return
		}
		for _, m := range v.Members {
			other := strings.ToUpper(m.Name)
			if other == m.Name || v.Get(other) != nil {
				continue
			}
			renamed := bytes.Replace(valid, []byte(wire.Quoted(m.Name)+":"), []byte(wire.Quoted(other)+":"), 1)
			if why := disagreement(s, renamed); why != "" {
				t.Errorf("%q as %q: %s", m.Name, other, why)
			}
		}
	})
}

// everyType calls a test with a valid instance of each type.
func everyType(t *testing.T, test func(*testing.T, *subject, []byte)) {
	for _, p := range packages {
		for _, s := range subjectsOf(t, p.name) {
			t.Run(s.String(), func(t *testing.T) {
				sampler := sample.New(s.node, sample.Check(func(json []byte) bool { return s.validate(json) == nil }))
				rng := rand.New(rand.NewPCG(*seed, hash(s.String())))
				for range 50 {
					if valid, ok := sampler.Valid(rng); ok {
						test(t, s, valid)
						return
					}
				}
				t.Error("no valid instance")
			})
		}
	}
}

package protocol

import (
	"errors"

	"github.com/hallmark-kit/hallmark/gen/wire"
)

// maxViolations is how many violations of one message are told.
const maxViolations = 50

// Of makes a check from the validator of a generated type.
func Of(t wire.Type) Validate {
	return func(text []byte) []Violation {
		err := t.Validate(text, wire.Limit(maxViolations))
		if err == nil {
			return nil
		}
		var broken *wire.Error
		if !errors.As(err, &broken) || len(broken.Violations) == 0 {
			return []Violation{{Keyword: wire.KeywordJSON, Rule: t.Document + "#" + t.Pointer, Want: err.Error()}}
		}
		return appendViolations(nil, broken.Violations)
	}
}

// appendViolations appends violations to a list, each with what is wrong by the closest branch of a choice behind it.
func appendViolations(list []Violation, violations []wire.Violation) []Violation {
	for _, v := range violations {
		list = append(list, Violation{v.Instance, v.Keyword, v.Document + "#" + v.Schema, v.Want})
		list = appendViolations(list, v.Causes)
	}
	return list
}

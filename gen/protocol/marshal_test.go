package protocol_test

import (
	"encoding/json"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/protocol/nylorun"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// encoding/json does not call methods of a pointer for a value that it cannot take the address of.
func TestMarshalWritesTheDocumentsNamesHoweverAValueIsHeld(t *testing.T) {
	request, err := agenticdriver.DecodeRunRequest([]byte(`{"provider":"mock","model":"demo","input":"Hello","idleTimeoutMs":5}`))
	if err != nil {
		t.Fatal(err)
	}
	definition, err := nylorun.DecodeDefinitionRef([]byte(`{"name":"reviewer","version":4}`))
	if err != nil {
		t.Fatal(err)
	}
	const a, b = `{"provider":"mock","model":"demo","input":"Hello","idleTimeoutMs":5}`, `{"name":"reviewer","version":4}`
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"a value":            {request, a},
		"a pointer":          {&request, a},
		"a nil pointer":      {(*agenticdriver.RunRequest)(nil), `null`},
		"in a slice":         {[]nylorun.DefinitionRef{definition}, `[` + b + `]`},
		"in a map":           {map[string]nylorun.DefinitionRef{"x": definition}, `{"x":` + b + `}`},
		"in an interface":    {[]any{definition}, `[` + b + `]`},
		"in a wire.Opt":      {wire.Some(definition), b},
		"in a wire.Nullable": {wire.NonNull(definition), b},
		"in a wire.Maybe":    {wire.Present(definition), b},
		"in a wire.Map":      {wire.Map[nylorun.DefinitionRef]{{Name: "x", Value: definition}}, `{"x":` + b + `}`},
	} {
		got, err := json.Marshal(c.value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, c.want)
		}
	}
}

package provider

import (
	"encoding/json"
	"strings"
)

// Input turns the arguments of a tool call, which a model writes as text, into
// a JSON value: nothing is an empty object, and what is not JSON is kept as a
// JSON string.
func Input(arguments string) json.RawMessage {
	text := strings.TrimSpace(arguments)
	if text == "" {
		return json.RawMessage(`{}`)
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(arguments) // a string always has a JSON form
	return quoted
}

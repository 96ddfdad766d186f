package comitiva

import (
	"sync"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// Protocol returns the protocol. The value is shared and must not be changed.
var Protocol = sync.OnceValues(build)

func build() (*protocol.Protocol, error) {
	file, err := protocol.ReadFile("comitiva")
	if err != nil {
		return nil, err
	}
	var roles []string
	for _, r := range file.Roles {
		roles = append(roles, r.Name)
	}
	types := types()
	return &protocol.Protocol{
		Name:        "comitiva",
		Title:       file.Title,
		RoleNames:   roles,
		Correlation: file.Correlation,
		Types:       types,
		Shape:       shape,
		Roles: map[string]protocol.Role{
			"runner": {
				Accepts:  types["RunnerRequest"],
				Emits:    types["RunnerEvent"],
				Ready:    value.Of("id", "hallmark-ready", "type", "ping"),
				NewRules: newRules,
				Stops:    stops,
				Ends:     ends,
				Framing:  "CO-02",
				Leaks:    "CO-48",
				Standing: []string{"CO-02", "CO-04", "CO-31", "CO-36", "CO-48", "CO-79", "CO-112"},
			},
		},
	}, nil
}

// text is the member's value if it is text, otherwise "".
func text(o *value.Object, name string) string {
	v, _ := o.Get(name)
	s, _ := v.(string)
	return s
}

// stops also holds for a shutdown that is not valid: a runner may take it for one.
func stops(message *value.Object) bool { return text(message, "type") == "shutdown" }

// isTerminal tells whether the event is the last of its run.
func isTerminal(event *value.Object) bool {
	t := text(event, "type")
	return t == "run.done" || t == "run.error"
}

// ends also holds for a response, as its id is answered once. The id "" is shared by everything that has none.
func ends(message *value.Object) bool {
	return isTerminal(message) || text(message, "type") == "response" && text(message, "id") != ""
}

// shape writes stand-ins as a shell would describe them to a runner.
func shape(kind, name string, facts *value.Object) *value.Object {
	switch kind {
	case "agent":
		return &value.Object{} // its path is what a connection's config takes
	case "tools":
		command, _ := facts.Get("command")
		args, _ := facts.Get("args")
		return value.Of("launch", value.Of("id", name, "name", name, "transport", "stdio", "command", command, "args", args))
	}
	provider := "openai-compatible"
	if text(facts, "dialect") == "ollama" {
		provider = "ollama"
	}
	baseURL, _ := facts.Get("baseUrl")
	const long = "2026-01-01T00:00:00Z"
	return value.Of("connection", value.Of(
		"id", "connection-"+name, "name", name, "secretRef", nil, "enabled", true, "createdAt", long, "updatedAt", long,
		"kind", "api", "provider", provider,
		"config", value.Of("baseUrl", baseURL, "defaultModel", "scripted"),
	))
}

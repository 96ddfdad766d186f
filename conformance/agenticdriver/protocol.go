package agenticdriver

import (
	"strings"
	"sync"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// version is the wire version that this suite speaks.
const version = "1.0"

// Protocol returns the protocol. The value is shared and must not be changed.
var Protocol = sync.OnceValues(build)

func build() (*protocol.Protocol, error) {
	file, err := protocol.ReadFile("agenticdriver")
	if err != nil {
		return nil, err
	}
	var roles []string
	for _, r := range file.Roles {
		roles = append(roles, r.Name)
	}
	types := make(map[string]protocol.Validate, len(agenticdriver.Types))
	for name, t := range agenticdriver.Types {
		types[name] = protocol.Of(t)
	}
	return &protocol.Protocol{
		Name:      "agenticdriver",
		Title:     file.Title,
		RoleNames: roles,
		Types:     types,
		Answers:   answers,
		// Of a client's adapter; a host is sent requests, each of which has a stream of its own.
		Correlation: []string{"id"},
		Roles: map[string]protocol.Role{
			"host": {
				Leaks: "AD-T23",
				Standing: []string{
					"AD-J09", "AD-J12", "AD-N12", "AD-S02", "AD-S03", "AD-S04", "AD-S05", "AD-S06", "AD-S07", "AD-S08",
					"AD-S09", "AD-S12", "AD-S15", "AD-S17", "AD-T02", "AD-T03", "AD-T05", "AD-T20", "AD-T23", "AD-V01", "AD-V02",
				},
				HTTP: &protocol.HTTP{
					Operation: operation,
					Headers:   [][2]string{{"AgenticDriver-Version", version}},
					Token:     "token",
					Ready:     "/v1/protocol",
					Features:  features,
					Viewers:   []string{"manageToken"},
					NewRules:  newRules,
					StreamEnd: "AD-S04",
					Misses:    misses,
				},
			},
			"client": client(),
		},
	}, nil
}

// operation finds the operation of a request. Only GET /v1/providers takes a query.
func operation(method, target string) *wire.Operation {
	path, query, hasQuery := strings.Cut(target, "?")
	if hasQuery && (path != agenticdriver.OperationListProviders.Path || query != "refresh=true") {
		return nil
	}
	for _, o := range agenticdriver.Operations {
		if o.Method == method && o.Path == path {
			return o
		}
	}
	return nil
}

// features takes the list out of a ProtocolInfo.
func features(body any) []string {
	list, _ := value.Walk(body, []string{"features"})
	var names []string
	items, _ := list.(value.List)
	for _, item := range items {
		if name, ok := item.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// text is the member's value if it is text, otherwise "".
func text(o *value.Object, name string) string {
	v, _ := o.Get(name)
	s, _ := v.(string)
	return s
}

// object is the member's value if it is an object, otherwise nil.
func object(o *value.Object, name string) *value.Object {
	v, _ := o.Get(name)
	inner, _ := v.(*value.Object)
	return inner
}

// number is the member's value if it is a whole number.
func number(o *value.Object, name string) (int64, bool) {
	v, _ := o.Get(name)
	n, ok := v.(value.Number)
	if !ok {
		return 0, false
	}
	return whole(n)
}

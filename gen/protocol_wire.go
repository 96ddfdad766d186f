package gen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/shape"
)

// Role is an entry of "roles" in protocol.yaml.
type Role struct {
	Title string `yaml:"title"`
	Does  string `yaml:"does"`
}

// Method is an entry of "methods" in protocol.yaml: a request or message that frames carry by name.
type Method struct {
	Name        string `yaml:"name"`
	From        string `yaml:"from"`        // role
	To          string `yaml:"to"`          // role
	Kind        string `yaml:"kind"`        // request (the default) or message: not answered
	Params      string `yaml:"params"`      // "FILE#/pointer", where it is not the definition NAME.params
	Result      string `yaml:"result"`      // "FILE#/pointer", where it is not the definition NAME.result
	Description string `yaml:"description"` // one sentence
	Notes       string `yaml:"notes"`       // what no schema says
}

// Operation is an entry of "operations" in protocol.yaml, keyed by "METHOD PATH": what an OpenAPI description leaves out.
type Operation struct {
	ID      string            `yaml:"id"`      // a name, where there is no operationId
	Events  string            `yaml:"events"`  // "FILE#/pointer" of what each event of a stream carries
	Answers map[string]string `yaml:"answers"` // status -> "FILE#/pointer" of a JSON body
}

// config is what protocol.yaml says to the generator.
func (p *Protocol) config() (shape.Config, error) {
	cfg := shape.Config{Package: p.Package, Title: p.Title, Names: p.Names, File: p.file, Operations: map[string]shape.OperationConfig{}}
	for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
		cfg.Roles = append(cfg.Roles, shape.Role{Name: name, Does: p.Roles[name].Does})
	}
	for _, m := range p.Messages {
		cfg.Messages = append(cfg.Messages, shape.Message{Type: m.Type, From: m.From, To: m.To})
	}
	for _, m := range p.Methods {
		for _, role := range []string{m.From, m.To} {
			if _, known := p.Roles[role]; role != "" && !known {
				return cfg, fmt.Errorf("%s: the method %q names the role %q, which \"roles\" does not have", ProtocolFile, m.Name, role)
			}
		}
		if m.Kind != "" && m.Kind != "request" && m.Kind != "message" {
			return cfg, fmt.Errorf("%s: the method %q has the kind %q; request or message was expected", ProtocolFile, m.Name, m.Kind)
		}
		cfg.Methods = append(cfg.Methods, shape.MethodConfig{Name: m.Name, From: m.From, To: m.To, Message: m.Kind == "message",
			Params: m.Params, Result: m.Result, Description: m.Description, Notes: m.Notes})
	}
	for key, o := range p.Operations {
		cfg.Operations[key] = shape.OperationConfig{ID: o.ID, Events: o.Events, Answers: o.Answers}
	}
	return cfg, nil
}

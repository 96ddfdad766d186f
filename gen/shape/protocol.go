package shape

import (
	"fmt"

	"github.com/hallmark-kit/hallmark/gen/document/openapi"
)

// Protocol is what documents and configuration say about who sends what, beside the types.
type Protocol struct {
	Roles        []Role                 // sorted by name
	Messages     []Message              // in the order of the configuration
	Descriptions []*openapi.Description // of the OpenAPI documents
	Operations   []*Operation           // sorted: paths, webhooks, callbacks; by path and method
	Methods      []*Method              // sorted by name
	Topics       []*Topic               // sorted by name and version
}

// Role is one who takes part in a protocol.
type Role struct {
	Name string
	Does string // what it is, in half a sentence
}

// Message says who sends values of a type to whom.
type Message struct {
	Type     string // Go name
	From, To string // roles
}

// readProtocol finds operations, methods and topics, and makes their schemas types.
func (b *builder) readProtocol(cfg Config) error {
	b.protocol.Roles, b.protocol.Messages = cfg.Roles, cfg.Messages
	if err := b.readOperations(cfg); err != nil {
		return err
	}
	b.nameOperations()
	b.readTopics()
	return b.readMethods(cfg)
}

// checkMessages makes sure that every message names a type of the package.
func (b *builder) checkMessages() error {
	for _, m := range b.protocol.Messages {
		found := false
		for _, t := range b.types {
			found = found || t.Name == m.Type
		}
		if !found {
			return fmt.Errorf("the messages of the configuration name the type %q, which the package does not have", m.Type)
		}
	}
	return nil
}

package shape

import "github.com/hallmark-kit/hallmark/gen/document/openapi"

// Protocol is what documents and configuration say about who sends what, beside the types.
type Protocol struct {
	Descriptions []*openapi.Description // of the OpenAPI documents
	Operations   []*Operation           // sorted: paths, webhooks, callbacks; by path and method
	Methods      []*Method              // sorted by name
	Topics       []*Topic               // sorted by name and version
}

// readProtocol finds operations, methods and topics, and makes their schemas types.
func (b *builder) readProtocol(cfg Config) error {
	if err := b.readOperations(cfg); err != nil {
		return err
	}
	if err := b.nameOperations(); err != nil {
		return err
	}
	b.readTopics()
	return b.readMethods(cfg)
}

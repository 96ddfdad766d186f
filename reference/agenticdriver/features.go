package agenticdriver

import (
	"fmt"
	"slices"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
	"github.com/hallmark-kit/hallmark/reference/nearest"
)

// always are the features that every host has.
var always = []protocol.Feature{"json-results", "event-stream", "cancel-on-disconnect", "optional-idle-timeout",
	"required-capabilities", "optional-events", "provider-discovery", "context-inputs", "draft-artifacts"}

// feature is one that a host may do without.
type feature struct {
	name    protocol.Feature
	of      func(*run.Features) *bool
	manager bool // advertised to those who may manage providers
}

var optional = []feature{
	{"application-tools", func(f *run.Features) *bool { return &f.ApplicationTools }, false},
	{"interactive-approvals", func(f *run.Features) *bool { return &f.Approvals }, false},
	{"conversation-sessions", func(f *run.Features) *bool { return &f.Sessions }, false},
	{"durable-jobs", func(f *run.Features) *bool { return &f.Jobs }, false},
	{"idempotency", func(f *run.Features) *bool { return &f.Idempotency }, false},
	{"scoped-retrieval", func(f *run.Features) *bool { return &f.Retrieval }, false},
	{"retrieval-indexing", func(f *run.Features) *bool { return &f.Retrieval }, false},
	{"document-ingestion", func(f *run.Features) *bool { return &f.Retrieval }, false},
	{"pdf-ingestion", func(f *run.Features) *bool { return &f.PDF }, false},
	{"context-references", func(f *run.Features) *bool { return &f.References }, false},
	{"client-pairing", func(f *run.Features) *bool { return &f.Pairing }, false},
	{"provider-management", func(f *run.Features) *bool { return &f.Management }, true},
	{"provider-setup", func(f *run.Features) *bool { return &f.Setup }, true},
}

// featuresOf are those of a configuration, but for the ones left out.
func featuresOf(doc *config.Document, without []string) (run.Features, error) {
	var f run.Features
	for _, o := range optional {
		*o.of(&f) = true
	}
	f.Setup = doc.ScriptedIdentity
	f.References = len(doc.References) > 0
	f.Retrieval = len(doc.Corpora) > 0
	for _, name := range without {
		i := slices.IndexFunc(optional, func(o feature) bool { return string(o.name) == name })
		if i < 0 {
			var names []string
			for _, o := range optional {
				names = append(names, string(o.name))
			}
			return f, fmt.Errorf("there is no optional feature %q to do without; the nearest is %q", name, nearest.Of(name, names))
		}
		*optional[i].of(&f) = false
	}
	f.PDF = f.PDF && f.Retrieval
	f.Setup = f.Setup && f.Management
	return f, nil
}

// advertised are the features that a caller is told of.
func (s *server) advertised(p *config.Principal) []string {
	var list []string
	for _, name := range always {
		list = append(list, string(name))
	}
	for _, o := range optional {
		if *o.of(&s.engine.Features) && (!o.manager || p.MayManage()) {
			list = append(list, string(o.name))
		}
	}
	return list
}

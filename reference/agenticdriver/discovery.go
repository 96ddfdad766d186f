package agenticdriver

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/pending"
)

// Bounds of looking at providers.
const (
	probeTimeout = 5 * time.Second
	minRefresh   = time.Second
	maxInventory = 1000
)

// discovery finds out what providers have, and remembers it for a while.
type discovery struct {
	adapter func(*config.Provider) model.Adapter
	cache   time.Duration

	mu   sync.Mutex
	seen map[string]*probe // by provider id
}

// probe is one look at a provider.
type probe struct {
	provider *config.Provider // the settings that it was made with
	at       time.Time
	done     chan struct{}
	health   protocol.ProviderHealth
	models   []string
	asked    bool // the provider itself has said what it has
}

func newDiscovery(adapter func(*config.Provider) model.Adapter, cache time.Duration) *discovery {
	return &discovery{adapter: adapter, cache: cache, seen: map[string]*probe{}}
}

// look gives a look at the provider that is fresh enough. Looks are shared, and
// go on when whoever asked has gone.
func (d *discovery) look(p *config.Provider, refresh bool) *probe {
	d.mu.Lock()
	defer d.mu.Unlock()
	bound := d.cache
	if refresh {
		bound = minRefresh
	}
	if had := d.seen[p.ID]; had != nil && had.provider == p && time.Since(had.at) < bound {
		return had
	}
	one := &probe{provider: p, at: time.Now(), done: make(chan struct{})}
	d.seen[p.ID] = one
	go one.make(d.adapter(p))
	return one
}

// forget drops what was seen of providers that are not configured any more.
func (d *discovery) forget(doc *config.Document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.seen {
		if doc.Provider(id) == nil {
			delete(d.seen, id)
		}
	}
}

func (p *probe) make(adapter model.Adapter) {
	defer close(p.done)
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	models, err := adapter.Models(ctx)
	p.health = protocol.ProviderHealth{Status: protocol.HealthStatusReady, Code: "CATALOG_AVAILABLE",
		Message: "The provider told which models it has.", CheckedAt: pending.Stamp(p.at)}
	if err != nil {
		p.health.Status, p.health.Code, p.health.Message = ill(err)
		return
	}
	p.asked = true
	for _, m := range models {
		if m != "" && !slices.Contains(p.models, m) && len(p.models) < maxInventory {
			p.models = append(p.models, m)
		}
	}
}

// ill says what is wrong with a provider that could not be asked.
func ill(err error) (protocol.HealthStatus, string, string) {
	if errors.Is(err, context.DeadlineExceeded) {
		return protocol.HealthStatusUnavailable, "DISCOVERY_TIMEOUT", "The provider did not answer in time."
	}
	known, ok := errors.AsType[*failure.Error](err)
	if !ok {
		return protocol.HealthStatusUnavailable, "DISCOVERY_FAILED", "The provider could not be asked."
	}
	switch known.Code {
	case "AUTH_REQUIRED":
		return protocol.HealthStatusUnauthenticated, known.Code, known.Message
	case "ACCESS_DENIED":
		return protocol.HealthStatusUnsupported, known.Code, known.Message
	case "RATE_LIMITED", "PROVIDER_UNREACHABLE", "INVALID_DISCOVERY_RESPONSE":
		return protocol.HealthStatusUnavailable, known.Code, known.Message
	}
	return protocol.HealthStatusUnavailable, "DISCOVERY_FAILED", "The provider could not be asked."
}

// listProviders is GET /v1/providers.
func (s *server) listProviders(c *call) (answer, error) { return s.providers(c, false) }

// refreshProviders is GET /v1/providers?refresh=true.
func (s *server) refreshProviders(c *call) (answer, error) { return s.providers(c, true) }

func (s *server) providers(c *call, refresh bool) (answer, error) {
	list := &protocol.ProviderList{Providers: []protocol.Provider{}}
	var shown []*config.Provider
	var probes []*probe
	doc := s.settings.Document()
	s.discovery.forget(doc)
	for _, p := range doc.Providers {
		if c.principal.MayUse(p.ID) || c.principal.MayManage() || s.edges.policy.ProvidersUnfiltered {
			shown, probes = append(shown, p), append(probes, s.discovery.look(p, refresh))
		}
	}
	for i, p := range shown {
		select {
		case <-probes[i].done:
		case <-c.r.Context().Done():
			return nil, failure.New(protocol.ErrorCodeCANCELLED, "The caller has gone.")
		}
		list.Providers = append(list.Providers, describe(p, probes[i]))
	}
	return list, nil
}

// describe is a provider as callers see it.
func describe(p *config.Provider, look *probe) protocol.Provider {
	out := protocol.Provider{ID: p.ID, Name: p.Name, Vendor: p.Vendor, AuthMode: p.AuthMode, Health: &look.health,
		Capabilities: protocol.ProviderCapabilities{Tools: p.Can("tools"), TextStreaming: p.Can("textStreaming")}}
	if !p.AnyModel {
		out.Models = append([]string{}, p.Models...)
	}
	if !p.Enabled {
		out.Models = []string{}
	}
	for _, name := range sortedNames(p.Capabilities) {
		if name != "tools" && name != "textStreaming" {
			out.Capabilities.Extra = append(out.Capabilities.Extra, wire.Member{Name: name, Value: wire.AppendBool(nil, p.Capabilities[name])})
		}
	}
	for _, name := range sortedNames(p.InputMediaTypes) {
		out.InputMediaTypes = append(out.InputMediaTypes, wire.Entry[[]protocol.InputMediaType]{Name: name, Value: p.InputMediaTypes[name]})
	}
	catalog := &protocol.ModelCatalog{Source: protocol.CatalogSourceUnavailable, Models: []string{}}
	switch {
	case look.asked:
		catalog.Source, catalog.Models, catalog.Complete = protocol.CatalogSourceProvider, append(catalog.Models, look.models...), true
	case !p.AnyModel:
		catalog.Source, catalog.Models = protocol.CatalogSourceConfigured, append(catalog.Models, p.Models...)
	}
	out.ModelCatalog = catalog
	return out
}

func sortedNames[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

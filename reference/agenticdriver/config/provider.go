package config

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// Kinds of providers that this host has an adapter for.
const (
	KindOpenAICompatible = "openai-compatible"
	KindCodex            = "codex"
	KindExtension        = "extension"
)

// ScriptedExtension is the extension of kind extension that this host brings.
const ScriptedExtension = "scripted"

// Provider is one configured provider instance.
type Provider struct {
	Settings  protocol.ProviderSettings
	ID        string
	Name      string
	Kind      string
	AccountID string // empty: not bound to an account
	Enabled   bool
	AnyModel  bool     // no allow list
	Models    []string // the allow list, if there is one
	BaseURL   string
	KeyRef    protocol.SecretRef // nil: none

	Vendor          string
	AuthMode        protocol.AuthMode
	Capabilities    map[string]bool
	InputMediaTypes map[string][]protocol.InputMediaType
	Catalog         []string // nil: not known without asking
	Script          string   // turns of the scripted provider for plain inputs; empty: it repeats the input
}

// Allows tells whether the model may be run.
func (p *Provider) Allows(model string) bool {
	return p.Enabled && (p.AnyModel || slices.Contains(p.Models, model))
}

// Can tells whether the provider advertises the capability.
func (p *Provider) Can(capability string) bool { return p.Capabilities[capability] }

// extension are the settings of the scripted extension.
type extension struct {
	Vendor          string                               `json:"vendor"`
	Capabilities    map[string]bool                      `json:"capabilities"`
	InputMediaTypes map[string][]protocol.InputMediaType `json:"inputMediaTypes"`
	Catalog         []string                             `json:"catalog"`
	Turns           json.RawMessage                      `json:"turns"`
}

// ProviderOf gives what the host needs to know of settings. hostID is that of
// the document: accounts need one.
func ProviderOf(settings protocol.ProviderSettings, hostID string) (*Provider, error) {
	p := &Provider{Settings: settings, Enabled: true, Capabilities: map[string]bool{"tools": true, "textStreaming": true}}
	switch s := settings.(type) {
	case *protocol.APIProviderSettings:
		p.ID, p.Name, p.Kind, p.AccountID = s.ID, s.Name.Or(s.ID), string(s.Kind), s.AccountID.Or("")
		p.Enabled, p.Models, p.BaseURL, p.KeyRef = s.Enabled.Or(true), s.Models, s.BaseURL.Or(""), s.APIKeyRef
		p.Vendor, p.AuthMode = string(s.Kind), protocol.AuthModeAPIKey
		if s.APIKeyRef == nil {
			p.AuthMode = protocol.AuthModeNone
		}
		p.Capabilities["historyContinuation"] = true
		p.InputMediaTypes = map[string][]protocol.InputMediaType{}
		for _, e := range s.InputMediaTypes {
			p.InputMediaTypes[e.Name] = e.Value
		}
	case *protocol.CodexProviderSettings:
		p.ID, p.Name, p.Kind, p.AccountID = s.ID, s.Name.Or(s.ID), KindCodex, s.AccountID.Or("")
		p.Enabled, p.Models = s.Enabled.Or(true), s.Models
		p.Vendor, p.AuthMode = "openai", protocol.AuthModeCLISession
		p.Capabilities["historyContinuation"] = true
	case *protocol.CLIProviderSettings:
		p.ID, p.Name, p.Kind, p.AccountID = s.ID, s.Name.Or(s.ID), string(s.Kind), s.AccountID.Or("")
		p.Enabled, p.Models = s.Enabled.Or(true), s.Models
	case *protocol.ExtensionProviderSettings:
		p.ID, p.Name, p.Kind, p.AccountID = s.ID, s.Name.Or(s.ID), KindExtension, s.AccountID.Or("")
		p.Enabled, p.Models = s.Enabled.Or(true), s.Models
		if err := p.extend(s); err != nil {
			return nil, err
		}
	}
	p.AnyModel = p.Models == nil
	return p, p.check(hostID)
}

func (p *Provider) extend(s *protocol.ExtensionProviderSettings) error {
	if s.ExtensionID != ScriptedExtension {
		return fmt.Errorf("the provider %s: there is no extension %q, only %q", p.ID, s.ExtensionID, ScriptedExtension)
	}
	text, err := json.Marshal(s.Settings)
	if err != nil {
		return err
	}
	var e extension
	if err := strict(text, &e); err != nil {
		return fmt.Errorf("the settings of the provider %s: %w", p.ID, err)
	}
	p.Vendor, p.AuthMode, p.Catalog, p.Script = e.Vendor, protocol.AuthModeNone, e.Catalog, string(e.Turns)
	if p.Vendor == "" {
		p.Vendor = ScriptedExtension
	}
	if e.Capabilities != nil {
		p.Capabilities = e.Capabilities
	}
	if p.Catalog == nil {
		p.Catalog = p.Models
	}
	p.InputMediaTypes = e.InputMediaTypes
	return nil
}

func (p *Provider) check(hostID string) error {
	switch {
	case p.AccountID != "" && hostID == "":
		return fmt.Errorf("the provider %s has an accountId, which needs a hostId", p.ID)
	case p.Kind == KindOpenAICompatible && p.BaseURL == "":
		return fmt.Errorf("the provider %s needs a baseUrl", p.ID)
	case p.Kind != KindOpenAICompatible && p.Kind != KindCodex && p.Kind != KindExtension:
		return fmt.Errorf("the provider %s: this host has no adapter for the kind %s", p.ID, p.Kind)
	}
	if p.BaseURL != "" {
		u, err := url.Parse(p.BaseURL)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !Loopback(u.Hostname())) {
			return fmt.Errorf("the baseUrl of the provider %s has to be https, or http on loopback, without user information", p.ID)
		}
	}
	return nil
}

// Loopback tells whether the host name is one that may do without TLS.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && (ip.Equal(net.IPv4(127, 0, 0, 1)) || ip.Equal(net.IPv6loopback))
}

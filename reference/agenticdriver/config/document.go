package config

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
)

//go:embed builtin.yaml
var builtin []byte

// Document is a configuration.
type Document struct {
	HostID                       string
	Origins                      []string // of browsers, compared as exact strings
	Principals                   []*Principal
	Providers                    []*Provider
	Tools                        []Tool
	Corpora                      []Corpus
	References                   []Reference
	ScriptedIdentity             bool // sign-in attempts are offered, against a stand-in
	ApplicationToolsNeedApproval bool
	Limits                       Limits
	Builtin                      bool   // the one with public tokens
	Revision                     string // SHA-256 of the content, in hex digits

	path    string // empty: not in a file
	written string // digest of the file's bytes as last read or written
	members wire.Members
}

// Tool is a tool that the host itself carries out.
type Tool struct {
	Name             string          `json:"name"`
	Description      string          `json:"description"`
	InputSchema      json.RawMessage `json:"inputSchema"`
	Does             string          `json:"does"` // echo, fail, block or large
	RequiresApproval bool            `json:"requiresApproval"`
}

// Corpus is a collection of documents, and which of them may be used: source
// ids with the revisions that count. A * at the end of a name stands for any
// rest.
type Corpus struct {
	ID      string              `json:"id"`
	Sources map[string][]string `json:"sources"`
}

// Reference is content that runs and documents may name instead of bringing.
type Reference struct {
	ID        string                  `json:"id"`
	Revision  string                  `json:"revision"`
	MediaType protocol.InputMediaType `json:"mediaType"`
	Title     string                  `json:"title"`
	URI       string                  `json:"uri"`
	Text      string                  `json:"text"`
	Data      []byte                  `json:"data"` // base64
	Subjects  []string                `json:"subjects"`
	ExpiresAt string                  `json:"expiresAt"`
}

// Content are the bytes of the reference.
func (r *Reference) Content() []byte {
	if r.Data != nil {
		return r.Data
	}
	return []byte(r.Text)
}

// shape is the document as text.
type shape struct {
	HostID                       string            `json:"hostId"`
	Origins                      []string          `json:"origins"`
	Tokens                       []json.RawMessage `json:"tokens"`
	Providers                    []json.RawMessage `json:"providers"`
	Tools                        []Tool            `json:"tools"`
	Corpora                      []Corpus          `json:"corpora"`
	References                   []Reference       `json:"references"`
	Identity                     string            `json:"identity"`
	ApplicationToolsNeedApproval *bool             `json:"applicationToolsNeedApproval"`
	Limits                       Limits            `json:"limits"`
}

// Load reads a file; an empty path gives the built-in document.
func Load(path string) (*Document, error) {
	if path == "" {
		d, err := parse("builtin.yaml", builtin)
		if err == nil {
			d.Builtin = true
		}
		return d, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	d, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	d.path, d.written = path, canonical.SHA256(text)
	return d, nil
}

func parse(name string, text []byte) (*Document, error) {
	converted, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, malformed(name, err)
	}
	d, err := fromJSON(converted)
	return d, locate(name, text, err)
}

func fromJSON(text []byte) (*Document, error) {
	s := shape{Limits: defaultLimits()}
	if err := strict(text, &s); err != nil {
		return nil, err
	}
	d := &Document{HostID: s.HostID, Origins: s.Origins, Tools: s.Tools, Corpora: s.Corpora, References: s.References,
		Limits: s.Limits, ApplicationToolsNeedApproval: s.ApplicationToolsNeedApproval == nil || *s.ApplicationToolsNeedApproval}
	if err := d.Limits.check(); err != nil {
		return nil, err
	}
	switch s.Identity {
	case "":
	case "scripted":
		d.ScriptedIdentity = true
	default:
		return nil, at("/identity", errors.New("want scripted, or leave it out"))
	}
	for i, text := range s.Tokens {
		p, err := principalOf(text)
		if err != nil {
			return nil, at(fmt.Sprintf("/tokens/%d", i), err)
		}
		for _, other := range d.Principals {
			if other.ID == p.ID || other.Digest == p.Digest {
				return nil, at(fmt.Sprintf("/tokens/%d", i), fmt.Errorf("the id or the token is that of %s as well", other.ID))
			}
		}
		d.Principals = append(d.Principals, p)
	}
	seen := map[string]bool{}
	for i, text := range s.Providers {
		place := fmt.Sprintf("/providers/%d", i)
		settings, err := protocol.DecodeProviderSettings(text)
		if err != nil {
			return nil, at(place, err)
		}
		p, err := ProviderOf(settings, d.HostID)
		if err != nil {
			return nil, at(place, err)
		}
		if seen[p.ID] {
			return nil, at(place, fmt.Errorf("there are two providers %s", p.ID))
		}
		seen[p.ID] = true
		d.Providers = append(d.Providers, p)
	}
	corpora := map[string]bool{}
	for i := range d.Corpora {
		if corpora[d.Corpora[i].ID] {
			return nil, at(fmt.Sprintf("/corpora/%d", i), fmt.Errorf("there are two corpora %s", d.Corpora[i].ID))
		}
		corpora[d.Corpora[i].ID] = true
	}
	for i := range d.Tools {
		if err := d.Tools[i].check(); err != nil {
			return nil, at(fmt.Sprintf("/tools/%d", i), err)
		}
	}
	if err := json.Unmarshal(text, &d.members); err != nil {
		return nil, err
	}
	revision, err := canonical.Digest(text)
	d.Revision = revision
	return d, err
}

func (t *Tool) check() error {
	switch t.Does {
	case "echo", "fail", "block", "large":
	default:
		return fmt.Errorf("the tool %s: want does to be echo, fail, block or large", t.Name)
	}
	if t.Description == "" {
		t.Description = "A tool of the host that does: " + t.Does
	}
	if t.InputSchema == nil {
		t.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	return nil
}

// strict reads JSON and refuses members that v does not have.
func strict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var mistyped *json.UnmarshalTypeError
	switch err := d.Decode(v); {
	case errors.As(err, &mistyped):
		return at("/"+strings.ReplaceAll(mistyped.Field, ".", "/"), fmt.Errorf("a %s does not stand here", mistyped.Value))
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("want one document")
	}
	return nil
}

// Provider finds a provider.
func (d *Document) Provider(id string) *Provider {
	for _, p := range d.Providers {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// isJSON tells how the file is written.
func (d *Document) isJSON() bool { return strings.HasSuffix(d.path, ".json") }

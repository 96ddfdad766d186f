package settings

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
)

// MaxProviders is how many providers a host may have.
const MaxProviders = 32

// Store holds the configuration of a host.
type Store struct {
	policy   *policy.Policy
	document atomic.Pointer[config.Document]
	saving   sync.Mutex
	secrets  string // a folder of this process; empty: none was needed yet
}

// NewStore makes a store that begins with the document.
func NewStore(doc *config.Document, p *policy.Policy) (*Store, error) {
	if len(doc.Providers) > MaxProviders {
		return nil, failure.Newf(protocol.ErrorCodeINVALIDCONFIG, "There are more than %d providers.", MaxProviders)
	}
	s := &Store{policy: p}
	s.document.Store(doc)
	return s, nil
}

// Document gives the configuration as it is now. It is never changed in place.
func (s *Store) Document() *config.Document { return s.document.Load() }

// Close removes what was only for this process.
func (s *Store) Close() {
	s.saving.Lock()
	defer s.saving.Unlock()
	if s.secrets != "" {
		_ = os.RemoveAll(s.secrets) // the folder is one of the system's temporary ones
	}
}

// Snapshot gives what the principal may see: settings without secrets.
func (s *Store) Snapshot(p *config.Principal) *protocol.ManagementSnapshot {
	doc := s.Document()
	snapshot := &protocol.ManagementSnapshot{Revision: doc.Revision, Providers: []protocol.ProviderSettings{},
		SupportedKinds: []string{config.KindOpenAICompatible}, ProviderDefinitions: slices.Clone(definitions),
		ExecutionProviders: append([]string{}, p.Grant.Providers...), RemovalSupported: wire.Some(true)}
	if doc.ScriptedIdentity {
		snapshot.SupportedKinds = append(snapshot.SupportedKinds, config.KindCodex)
		snapshot.ProviderDefinitions = append(snapshot.ProviderDefinitions, signedIn)
	}
	for _, p := range doc.Providers {
		snapshot.Providers = append(snapshot.Providers, p.Settings)
	}
	return snapshot
}

var definitions = []protocol.ProviderDefinition{{
	Kind: config.KindOpenAICompatible, Name: "OpenAI-compatible server", Category: protocol.ProviderCategoryCompatible,
	Description: "Any server that speaks the chat completions dialect, on this machine or elsewhere.", Protocol: "chat-completions",
	Methods: []protocol.ProviderMethod{{ID: "api-key", Label: "API key", Description: "A key that the host keeps for the server.",
		Interaction: "secret", CredentialOwner: protocol.CredentialOwnerHost}},
}}

var signedIn = protocol.ProviderDefinition{
	Kind: config.KindCodex, Name: "Codex", Category: protocol.ProviderCategoryNative,
	Description: "An account that is signed in to with a code. This host signs in at a stand-in, which also carries out the runs.",
	Protocol:    "native",
	Methods: []protocol.ProviderMethod{{ID: "codex-device", Label: "Device code", Description: "Sign in on another device with a code.",
		Interaction: "device-code", CredentialOwner: protocol.CredentialOwnerNativeRuntime}},
}

var (
	busy     = failure.New(protocol.ErrorCodeCONFIGBUSY, "Somebody else is saving settings.")
	conflict = failure.New(protocol.ErrorCodeCONFIGCONFLICT, "The settings have changed; read them again.")
)

// Conflict is the failure of a save that was made for another revision.
func Conflict() error { return conflict }

func invalid(text string) error { return failure.New(protocol.ErrorCodeINVALIDCONFIG, text) }

// Configure adds, replaces or removes a provider.
func (s *Store) Configure(p *config.Principal, req *protocol.ConfigureProvider) (*protocol.ManagementSnapshot, error) {
	if !s.saving.TryLock() {
		return nil, busy
	}
	defer s.saving.Unlock()
	if err := s.configure(req); err != nil {
		return nil, err
	}
	return s.Snapshot(p), nil
}

func (s *Store) configure(req *protocol.ConfigureProvider) error {
	doc := s.Document()
	if (req.Revision != doc.Revision || doc.Unchanged() != nil) && !s.policy.StaleSaveAccepted {
		return conflict
	}
	id := ID(req.Provider)
	had := doc.Provider(id)
	remove := req.Remove.Or(false)
	if remove && (had == nil || req.APIKey.Set) {
		return invalid("Only a provider that is there can be removed, and without a key.")
	}
	if remove && slices.ContainsFunc(doc.Principals, func(p *config.Principal) bool { return p.MayUse(id) }) {
		return failure.New(protocol.ErrorCodePROVIDERINUSE, "A token of the configuration names the provider.")
	}
	kind, account := kindOf(req.Provider)
	if had != nil && (had.Kind != kind || had.AccountID != account) && !s.policy.KindMayChange {
		return failure.New(protocol.ErrorCodePROVIDERIDENTITYCHANGED, "The kind and the account of a provider stay as they are.")
	}
	if !remove {
		if err := s.supported(kind, req); err != nil {
			return err
		}
	}
	if s.policy.RemovalWithoutEffect && remove {
		return nil
	}
	return s.save(doc, id, req.Provider, remove, req.APIKey)
}

func (s *Store) supported(kind string, req *protocol.ConfigureProvider) error {
	_, api := req.Provider.(*protocol.APIProviderSettings)
	switch {
	case kind == config.KindExtension || kind != config.KindOpenAICompatible && (kind != config.KindCodex || !s.Document().ScriptedIdentity):
		return failure.New(protocol.ErrorCodeUNSUPPORTEDCONFIGURATION, "The host does not take providers of this kind through management.")
	case req.APIKey.Set && !api:
		return invalid("A provider of this kind has no key.")
	}
	return nil
}

// save writes a document with the change, and makes it the one in force.
func (s *Store) save(doc *config.Document, id string, provider protocol.ProviderSettings, remove bool, key wire.Opt[string]) error {
	list := []protocol.ProviderSettings{}
	found := false
	for _, p := range doc.Providers {
		if p.ID != id {
			list = append(list, p.Settings)
			continue
		}
		found = true
		if !remove {
			list = append(list, provider)
		}
	}
	if !found {
		list = append(list, provider)
	}
	if len(list) > MaxProviders {
		return invalid("There are too many providers.")
	}
	if _, err := doc.WithProviders(list); err != nil {
		return invalid("The settings are not valid: " + err.Error())
	}
	file := "" // with the key
	if key.Set {
		var err error
		if file, err = s.keep(doc, id, key.Value); err != nil {
			return failure.New(protocol.ErrorCodeCONFIGWRITEFAILED, "The key could not be kept.")
		}
		api := *provider.(*protocol.APIProviderSettings)
		api.APIKeyRef = &protocol.FileSecretRef{File: file}
		for i := range list {
			if ID(list[i]) == id {
				list[i] = &api
			}
		}
	}
	next, err := doc.WithProviders(list)
	if err == nil {
		err = next.Save()
	}
	if err != nil && file != "" {
		_ = os.Remove(file) // nothing names it
	}
	switch {
	case errors.Is(err, config.ErrEdited):
		return conflict
	case err != nil:
		return failure.New(protocol.ErrorCodeCONFIGWRITEFAILED, "The configuration could not be written.")
	}
	s.document.Store(next)
	return nil
}

// keep writes a key into a file of its own.
func (s *Store) keep(doc *config.Document, id, key string) (string, error) {
	dir := doc.Dir()
	if dir == "" {
		if s.secrets == "" {
			made, err := os.MkdirTemp("", "agenticdriver-keys-")
			if err != nil {
				return "", err
			}
			s.secrets = made
		}
		dir = s.secrets
	} else if err := os.MkdirAll(filepath.Join(dir, "keys"), 0o700); err != nil {
		return "", err
	} else {
		dir = filepath.Join(dir, "keys")
	}
	dir, err := filepath.Abs(dir) // the next process may be started elsewhere
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, id+"-"+uuid.NewString())
	return file, config.WriteFile(file, []byte(key))
}

// AddSignedIn saves a provider that was signed in to, if the settings are still
// those of the revision.
func (s *Store) AddSignedIn(revision string, provider protocol.ProviderSettings) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	doc := s.Document()
	if doc.Revision != revision || doc.Unchanged() != nil {
		return conflict
	}
	return s.save(doc, ID(provider), provider, false, wire.Opt[string]{})
}

// ID is the provider's id.
func ID(settings protocol.ProviderSettings) string {
	switch s := settings.(type) {
	case *protocol.APIProviderSettings:
		return s.ID
	case *protocol.CLIProviderSettings:
		return s.ID
	case *protocol.CodexProviderSettings:
		return s.ID
	case *protocol.ExtensionProviderSettings:
		return s.ID
	}
	return ""
}

// kindOf gives what may not change of a provider.
func kindOf(settings protocol.ProviderSettings) (kind, account string) {
	switch s := settings.(type) {
	case *protocol.APIProviderSettings:
		return string(s.Kind), s.AccountID.Or("")
	case *protocol.CLIProviderSettings:
		return string(s.Kind), s.AccountID.Or("")
	case *protocol.CodexProviderSettings:
		return config.KindCodex, s.AccountID.Or("")
	case *protocol.ExtensionProviderSettings:
		return config.KindExtension, s.AccountID.Or("")
	}
	return "", ""
}

// readSecret reads a key out of a file. It may be any name that somebody has put
// into the settings: a device or a pipe has no end.
func readSecret(file string) (string, error) {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return "", errors.New("the file is not there, or is none")
	}
	f, err := os.Open(file)
	if err != nil {
		return "", errors.New("the file cannot be read")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	switch {
	case err != nil:
		return "", errors.New("the file cannot be read")
	case len(text) > maxSecret:
		return "", errors.New("the file is too large for a key")
	}
	return strings.TrimSpace(string(text)), nil
}

// maxSecret bounds a key, in bytes: the protocol allows 4096 characters.
const maxSecret = 4 * 4096

// Secret reads what a reference stands for; nothing for no reference.
func Secret(ref protocol.SecretRef) (string, error) {
	switch r := ref.(type) {
	case nil:
		return "", nil
	case *protocol.EnvSecretRef:
		if v := os.Getenv(r.Env); v != "" {
			return v, nil
		}
		return "", errors.New("the environment variable is not set")
	case *protocol.FileSecretRef:
		return readSecret(r.File)
	}
	return "", errors.New("this host opens no keychains")
}

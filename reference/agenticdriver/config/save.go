package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
)

// ErrEdited is returned by Save when the file is no longer what was read.
var ErrEdited = errors.New("the configuration file was changed by somebody else")

// WithProviders gives the document with other providers. The document itself
// stays as it is.
func (d *Document) WithProviders(settings []protocol.ProviderSettings) (*Document, error) {
	list := []byte{'['}
	for i, s := range settings {
		if i > 0 {
			list = append(list, ',')
		}
		list = s.AppendJSON(list)
	}
	list = append(list, ']')
	members := wire.Members{}
	replaced := false
	for _, m := range d.members {
		if m.Name == "providers" {
			m.Value, replaced = list, true
		}
		members = append(members, m)
	}
	if !replaced {
		members = append(members, wire.Member{Name: "providers", Value: list})
	}
	next, err := fromJSON(append(wire.AppendMembers([]byte{'{'}, members), '}'))
	if err != nil {
		return nil, err
	}
	next.Builtin, next.path, next.written = d.Builtin, d.path, d.written
	return next, nil
}

// Save writes the document to its file, whole or not at all. A document that is
// not in a file is kept by whoever holds it.
func (d *Document) Save() error {
	if d.path == "" {
		return nil
	}
	if err := d.Unchanged(); err != nil {
		return err
	}
	text := append(wire.AppendMembers([]byte{'{'}, d.members), '}')
	if !d.isJSON() {
		converted, err := yaml.JSONToYAML(text)
		if err != nil {
			return fmt.Errorf("the configuration cannot be written as YAML: %w", err)
		}
		text = converted
	}
	if err := WriteFile(d.path, text); err != nil {
		return err
	}
	d.written = canonical.SHA256(text)
	return nil
}

// Unchanged returns ErrEdited if the file is no longer what was read.
func (d *Document) Unchanged() error {
	if d.path == "" {
		return nil
	}
	now, err := os.ReadFile(d.path)
	if err != nil {
		return err
	}
	if canonical.SHA256(now) != d.written {
		return ErrEdited
	}
	return nil
}

// Dir is the folder that secrets of the document belong in; empty if it is not
// in a file.
func (d *Document) Dir() string {
	if d.path == "" {
		return ""
	}
	return filepath.Dir(d.path)
}

// WriteFile replaces a file in one step; only its owner may read it.
func WriteFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // already gone if all went well
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the new name of a file last as long as its content.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

package gen

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"

	"github.com/goccy/go-yaml"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// ProtocolFile is the name of the file beside the documents that says what they leave unsaid.
const ProtocolFile = "protocol.yaml"

// Protocol is the part of protocol.yaml that the generator reads.
type Protocol struct {
	Protocol  string            `yaml:"protocol"`
	Title     string            `yaml:"title"`
	Package   string            `yaml:"package"`
	Documents []DocumentFile    `yaml:"documents"`
	Names     map[string]string `yaml:"names"`

	Roles      map[string]Role      `yaml:"roles"`
	Messages   []MessageType        `yaml:"messages"`
	Methods    []Method             `yaml:"methods"`
	Operations map[string]Operation `yaml:"operations"`

	file *document.File
}

// MessageType is a type of the generated package that travels as a message of its own.
type MessageType struct {
	Type     string `yaml:"type"`
	Document string `yaml:"document"`
	From     string `yaml:"from"`
	To       string `yaml:"to"`
}

// DocumentFile names one document beside protocol.yaml.
type DocumentFile struct {
	File   string `yaml:"file"`
	Origin string `yaml:"origin"` // published, or companion: written by us
}

// ReadProtocol reads the protocol.yaml of a folder. Errors of the YAML text name line and column.
func ReadProtocol(fsys fs.FS, dir string) (*Protocol, error) {
	name := path.Join(dir, ProtocolFile)
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	var p Protocol
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&p); err != nil {
		return nil, fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	if p.file, err = document.ParseYAML(name, data); err != nil {
		return nil, err
	}
	switch {
	case p.Protocol == "":
		return nil, fmt.Errorf("%s: the member \"protocol\" is missing: give the protocol's name", name)
	case len(p.Documents) == 0:
		return nil, fmt.Errorf("%s: \"documents\" is empty: list the documents as {file, origin}", name)
	}
	if p.Package == "" {
		p.Package = p.Protocol
	}
	return &p, nil
}

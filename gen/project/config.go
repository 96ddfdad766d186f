package project

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// ConfigFile is the usual name of the file that says what documents cannot say about their Go package.
const ConfigFile = "hallmark.yaml"

// ReadConfig reads such a file. What its schema (config.json) does not allow is refused; errors name line and column.
func ReadConfig(name string) (*hallmark.Config, error) {
	config, _, err := readConfig(name)
	return config, err
}

// readConfig also gives the file, for the places of what is wrong with its contents.
func readConfig(name string) (*hallmark.Config, *document.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	return parseConfig(name, data)
}

// blank is a file of comments only.
var blank = regexp.MustCompile(`^(\s*(#[^\n]*)?\n)*\s*(#[^\n]*)?$`)

func parseConfig(name string, data []byte) (*hallmark.Config, *document.File, error) {
	if blank.Match(data) {
		data = []byte("{}")
	}
	file, err := document.ParseYAML(name, data)
	if err != nil {
		return nil, nil, err
	}
	config, err := hallmark.DecodeConfig(file.Data)
	var broken *wire.Error
	if !errors.As(err, &broken) {
		return &config, file, err
	}
	v := broken.Violations[0]
	at := file.Root.Lookup(v.Instance)
	if at == nil {
		at = file.Root
	}
	if v.Keyword == "additionalProperties" && strings.Count(v.Instance, "/") == 1 {
		tokens, _ := document.SplitPointer(v.Instance)
		line, column := file.Position(file.Root.Member(tokens[0]).NameOffset)
		return nil, nil, &document.Error{File: name, Line: line, Column: column, Pointer: v.Instance,
			Reason: "there is no such setting; known are package, title, out, documents, root and names"}
	}
	return nil, nil, file.Errorf(at, v.Instance, "%s was expected", v.Want)
}

// folder is where the files of a hallmark.yaml are looked for.
func folder(config string) string { return filepath.Dir(config) }

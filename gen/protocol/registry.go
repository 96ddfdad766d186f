// Package protocol lists the generated packages below it, for programs that choose a protocol at run time.
package protocol

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/protocol/nylorun"
	"github.com/hallmark-kit/hallmark/gen/protocol/tutti"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

var packages = map[string]map[string]wire.Type{
	"agenticdriver": agenticdriver.Types,
	"comitiva":      comitiva.Types,
	"hallmark":      hallmark.Types,
	"nylorun":       nylorun.Types,
	"tutti":         tutti.Types,
}

// Names returns the protocols that have a generated package, in alphabetical order; "hallmark" are our own files.
func Names() []string {
	var names []string
	for name := range packages {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Types returns the types of a protocol's package by name; ok is false where there is no such package.
func Types(protocol string) (types map[string]wire.Type, ok bool) {
	types, ok = packages[protocol]
	return types, ok
}

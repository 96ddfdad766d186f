package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

const (
	maxSlug     = 20
	maxToolName = 64
	keptOfLong  = 55 // of a name that is too long; "_" and eight digits follow
)

// Names gives the tools of several servers names that a model can be offered:
// unique, and of at most 64 characters out of A-Z a-z 0-9 _ and -. The zero
// value is ready to use.
type Names struct {
	slugs map[string]bool
	names map[string]bool
}

// Slug takes a prefix for a server. Servers are given theirs in order.
func (n *Names) Slug(name, builtin string) string {
	base := slug(name)
	switch builtin {
	case filesystem:
		base = "fs"
	case googleDrive:
		base = "gdrive"
	}
	if n.slugs == nil {
		n.slugs, n.names = map[string]bool{}, map[string]bool{}
	}
	taken := base
	for i := 2; n.slugs[taken]; i++ {
		taken = base + "_" + strconv.Itoa(i)
	}
	n.slugs[taken] = true
	return taken
}

// Tool takes the name of a tool of the server with the given slug. Two tools
// whose names differ only in characters that are not allowed get numbers.
func (n *Names) Tool(slug, tool string) string {
	full := shorten(slug + "__" + strings.Map(allowed, tool))
	taken := full
	for i := 2; n.names[taken]; i++ {
		suffix := "_" + strconv.Itoa(i)
		taken = full[:min(len(full), maxToolName-len(suffix))] + suffix
	}
	if n.names == nil {
		n.slugs, n.names = map[string]bool{}, map[string]bool{}
	}
	n.names[taken] = true
	return taken
}

// slug: lower case, runs of anything but letters and digits of ASCII become one
// underscore, none at the ends, at most 20 characters.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	s := strings.Join(words, "_")
	s = strings.Trim(s[:min(len(s), maxSlug)], "_")
	if s == "" {
		return "mcp"
	}
	return s
}

func allowed(c rune) rune {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		return c
	}
	return '_'
}

func shorten(name string) string {
	if len(name) <= maxToolName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:keptOfLong] + "_" + hex.EncodeToString(sum[:4])
}

package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Launch says how a tool server is reached: by starting Command, or at URL when
// that is set. Env and Headers hold secrets.
type Launch struct {
	ID, Name string

	Command string
	Args    []string
	Env     map[string]string
	Builtin string // "filesystem", "google-drive" or empty

	URL     string
	Headers map[string]string
}

// Root is a folder that the file system server may use.
type Root struct{ Path, Mode string }

// The built-in servers.
const (
	filesystem  = "filesystem"
	googleDrive = "google-drive"
)

// arguments is the command line after the command: a built-in server is told
// its roots, and that the runner asks for permission in its place.
func (l Launch) arguments(roots []Root) []string {
	args := slices.Clone(l.Args)
	switch l.Builtin {
	case filesystem:
		for _, r := range roots {
			args = append(args, "--root", r.Path+":"+r.Mode)
		}
		return append(args, "--gated-by-client")
	case googleDrive:
		return append(args, "--gated-by-client")
	}
	return args
}

// key tells launches apart that need processes of their own.
func (l Launch) key(roots []Root) string {
	text, _ := json.Marshal([]any{l, l.arguments(roots)}) // strings only: always has a JSON form
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// shortestSecret is the least length of an environment or header value that is
// taken out of texts: shorter ones are words like "1" or "true".
const shortestSecret = 5

// scrub takes the URL, and the values of Env and Headers, out of a text meant for others.
func (l Launch) scrub(text string) string {
	if l.URL != "" {
		text = strings.ReplaceAll(text, l.URL, "its address")
	}
	for _, values := range []map[string]string{l.Env, l.Headers} {
		for _, v := range slices.SortedFunc(maps.Values(values), longestFirst) {
			if len(v) >= shortestSecret {
				text = strings.ReplaceAll(text, v, "[redacted]")
			}
		}
	}
	return text
}

func longestFirst(a, b string) int { return len(b) - len(a) }

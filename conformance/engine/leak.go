package engine

import (
	"bytes"
	"fmt"
)

// canary is a text that must not appear anywhere.
type canary struct {
	name, text, requirement string
}

// leaks looks for canaries in what the target writes.
type leaks struct {
	canaries []canary
	rest     []byte // end of the last piece of standard error: a canary may be cut in two
	told     map[string]bool
}

// look returns the canaries found in b, each once a place.
func (l *leaks) look(place string, b []byte) []canary {
	var found []canary
	for _, c := range l.canaries {
		key := place + "\x00" + c.text
		if !l.told[key] && bytes.Contains(b, []byte(c.text)) {
			if l.told == nil {
				l.told = make(map[string]bool)
			}
			l.told[key] = true
			found = append(found, c)
		}
	}
	return found
}

// lookStderr looks at a piece of a stream.
func (l *leaks) lookStderr(b []byte) []canary {
	if len(l.canaries) == 0 {
		return nil
	}
	longest := 0
	for _, c := range l.canaries {
		longest = max(longest, len(c.text))
	}
	all := append(l.rest, b...)
	found := l.look("standard error", all)
	l.rest = bytes.Clone(all[max(0, len(all)-longest+1):])
	return found
}

func (c canary) leaked(place string) string {
	return fmt.Sprintf("what the scenario calls %s appears in %s", c.name, place)
}

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatIsWrongIsToldWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"hostId: h\nidentity: real\n":          "2:11: /identity: want scripted, or leave it out",
		"hostId: h\nlimits:\n  slots: 0\n":     "3:10: /limits/slots: 0 is not in 1 to ",
		"hostId: h\nlimits: { slots: many }\n": "2:18: /limits/slots: a string does not stand here",
		"hostId: h\ntokens:\n  - id: a\n    token: short\n    subject: s\n    providers: []\n": "3:5: /tokens/0: the token a is shorter than 32 characters",
		"hostId: h\ntokens:\n  - id: a\n    subject: s\n    providers: [ 7 ]\n":                "5:18: /tokens/0/providers/0: want ",
		"hostId: h\nproviders:\n  - &p { id: a, kind: extension }\n  - *p\n":                   "3:",
		"hostId: h\ncorpora:\n  - { id: a, sources: {} }\n  - { id: a, sources: {} }\n":        "4:5: /corpora/1: there are two corpora a",
		"hostId: h\ntools:\n  - { name: t, does: magic }\n":                                    "3:5: /tools/0: the tool t: want does to be echo, fail, block or large",
		"hostId: h\nhosts: []\n": ` unknown field "hosts"`,
		"hostId: [\n":            "",
	} {
		path := filepath.Join(t.TempDir(), "host.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+":"+want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%v tells the token", err)
		}
	}
}

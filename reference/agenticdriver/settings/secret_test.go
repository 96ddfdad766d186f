package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) protocol.SecretRef {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return &protocol.FileSecretRef{File: path}
	}
	t.Setenv("HALLMARK_TEST_SECRET", "of the environment")
	tests := []struct {
		name string
		ref  protocol.SecretRef
		want string
		ok   bool
	}{
		{"none", nil, "", true},
		{"a variable", &protocol.EnvSecretRef{Env: "HALLMARK_TEST_SECRET"}, "of the environment", true},
		{"a variable that is not set", &protocol.EnvSecretRef{Env: "HALLMARK_TEST_NOTHING"}, "", false},
		{"a file", file("key", " of the file\n"), "of the file", true},
		{"a file that is not there", &protocol.FileSecretRef{File: filepath.Join(dir, "none")}, "", false},
		{"a file that is too large", file("large", strings.Repeat("x", maxSecret+1)), "", false},
		{"a folder", &protocol.FileSecretRef{File: dir}, "", false},
		{"a device without end", &protocol.FileSecretRef{File: "/dev/zero"}, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := Secret(tt.ref); got != tt.want || (err == nil) != tt.ok {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

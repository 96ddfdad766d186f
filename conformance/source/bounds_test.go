package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestHostileFilesAreRefusedBeforeTheyAreParsed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"brackets", "title: " + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000), "f.yaml:1:1008: nested deeper than 200"},
		{"mappings", strings.Repeat("{a: ", 20_000), "f.yaml:1:4001: nested deeper than 200"},
		{"byte order mark", "\ufefftitle: x", "f.yaml:1:1: the file begins with a byte order mark"},
		{"nul", "a: 1\nb: x\x00y", "f.yaml:2:5: a control character (U+0000)"},
		{"not UTF-8", "a: \xff", "f.yaml:1:4: this is not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(c.text))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestOnlyRegularFilesOfASaneSizeAreRead(t *testing.T) {
	dir := t.TempDir()
	pipe, large := filepath.Join(dir, "pipe.yaml"), filepath.Join(dir, "large.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, MaxSize+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "no regular file", dir: "no regular file", large: "larger than 4 MiB"} {
		var e *Error
		if _, err := ReadPath(path); !errors.As(err, &e) || !strings.Contains(e.Reason, want) {
			t.Errorf("%s: got %v, want %s", filepath.Base(path), err, want)
		}
	}
	if _, err := ReadPath(filepath.Join(dir, "missing.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

package project_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hallmark-kit/hallmark/gen/project"
)

// Each archive in testdata/documents is a folder with documents; its first line is the arguments, as on a command line
// but without dashes: document FILE..., config FILE, package NAME. What is generated of all of them compiles, against
// nothing but gen/wire. The packages exist in an overlay only.
func TestGeneratedPackagesCompile(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/documents/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	overlay, work := map[string]string{}, t.TempDir()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		plan, err := planOf(t, file).Plan(nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		pkg, err := plan.Generate()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for source, text := range pkg.Files {
			at := filepath.Join(work, name+"_"+source)
			if err := os.WriteFile(at, text, 0o600); err != nil {
				t.Fatal(err)
			}
			overlay[filepath.Join(root, "gen", "internal", "projecttest", name, source)] = at
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	// Vet does not know overlays; the compiler does.
	cmd := exec.Command("go", "build", "-overlay", file, "./gen/internal/projecttest/...")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// planOf unpacks an archive and reads its arguments.
func planOf(t *testing.T, file string) *project.Request {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range ar.Files {
		at := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &project.Request{}
	words := strings.Fields(strings.SplitN(string(ar.Comment), "\n", 2)[0])
	for i := 0; i+1 < len(words); i += 2 {
		switch at := filepath.Join(dir, words[i+1]); words[i] {
		case "document":
			r.Documents = append(r.Documents, at)
		case "config":
			r.Config = at
		case "package":
			r.Package = words[i+1]
		default:
			t.Fatalf("%s: the argument %q", file, words[i])
		}
	}
	return r
}

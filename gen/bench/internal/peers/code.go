package peers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/schemas"
)

// Code tells what generating and compiling takes.
type Code struct {
	Packages   int           // that our generator wrote
	Generation time.Duration // of all of them, best of three
	Compiled   []Compiled
}

// Compiled is the code of one generator for one document.
type Compiled struct {
	Generator string
	Protocol  string
	Lines     int
	Time      time.Duration // of the compiler, best of three
	Object    int64         // bytes of the object file
}

// MeasureCode measures our generator, and the compiler with its code and with
// that of ogen.
func MeasureCode(built *Built) (*Code, error) {
	c := &Code{Packages: len(schemas.Protocols())}
	for range 3 {
		start := time.Now()
		if _, err := gen.GenerateAll(schemas.FS, schemas.Protocols()...); err != nil {
			return nil, err
		}
		if took := time.Since(start); c.Generation == 0 || took < c.Generation {
			c.Generation = took
		}
	}
	const protocol = "agenticdriver"
	ours, err := compile("hallmark", protocol, "github.com/hallmark-kit/hallmark/gen/protocol/"+protocol)
	if err != nil {
		return nil, err
	}
	c.Compiled = append(c.Compiled, *ours)
	if out, ok := built.Ogen[protocol]; ok {
		theirs, err := compile("ogen", protocol, out.Package)
		if err != nil {
			return nil, err
		}
		c.Compiled = append(c.Compiled, *theirs)
	}
	return c, nil
}

// compile runs the compiler alone on a package.
func compile(generator, protocol, path string) (*Compiled, error) {
	config, err := exec.Command("go", "list", "-deps", "-export", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", path).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", path, err)
	}
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}\n{{range .GoFiles}}{{.}}\n{{end}}", path).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", path, err)
	}
	folder, names, _ := strings.Cut(strings.TrimSpace(string(dir)), "\n")
	c := &Compiled{Generator: generator, Protocol: protocol}
	if c.Lines, err = countLines(folder); err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	file, object := filepath.Join(scratch, "importcfg"), filepath.Join(scratch, "package.a")
	if err := os.WriteFile(file, config, 0o644); err != nil {
		return nil, err
	}
	args := []string{"tool", "compile", "-o", object, "-p", path, "-importcfg", file, "-pack"}
	for name := range bytes.Lines([]byte(names)) {
		args = append(args, filepath.Join(folder, strings.TrimSpace(string(name))))
	}
	for range 3 {
		start := time.Now()
		if err := run("go", args...); err != nil {
			return nil, err
		}
		if took := time.Since(start); c.Time == 0 || took < c.Time {
			c.Time = took
		}
	}
	info, err := os.Stat(object)
	if err != nil {
		return nil, err
	}
	c.Object = info.Size()
	return c, nil
}

package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Folder is where everything generated goes, below the module's folder.
const Folder = "build"

// module is the path of this module.
const module = "github.com/hallmark-kit/hallmark/gen/bench"

// Built is what was prepared.
type Built struct {
	Program string            // the program that measures
	Notes   []string          // what was rewritten, and what could not be had and why
	Ogen    map[string]Output // what ogen wrote, by folder of the protocol
}

// Prepare has the other generators write their code, and builds the program
// that measures. What cannot be had is left out and noted. The working folder
// is that of the module.
func Prepare(progress func(string)) (*Built, error) {
	if err := os.MkdirAll(Folder, 0o755); err != nil {
		return nil, err
	}
	b := &Built{Ogen: map[string]Output{}}
	var uses []use
	progress("easyjson")
	if easy, err := easyjson(); err != nil {
		b.note("easyjson: left out: %v", err)
	} else {
		uses = append(uses, easy...)
	}
	for _, s := range sources {
		progress("ogen: " + s.folder)
		spec, err := s.rewrite()
		if err != nil {
			b.note("ogen: %s: left out: the document cannot be rewritten: %v", s.folder, err)
			continue
		}
		for _, note := range sortedNotes(spec.Notes) {
			b.note("ogen: %s rewritten: %s", s.folder, note)
		}
		out, err := ogen(s, spec)
		if err != nil {
			b.note("ogen: %s: left out: %v", s.folder, err)
			continue
		}
		b.Ogen[s.folder] = *out
		for message, name := range s.messages {
			uses = append(uses, use{"Ogen", s.folder, message, name, out.Package})
		}
	}
	progress("measuring program")
	if err := writeProgram(uses); err != nil {
		return nil, err
	}
	b.Program = filepath.Join(Folder, "bin", "measure")
	return b, run("go", "build", "-o", b.Program, "./"+filepath.Join(Folder, "measure"))
}

func (b *Built) note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

// run runs a command; the error has what it wrote.
func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		text := strings.TrimSpace(string(out))
		if len(text) > 2000 {
			text = text[:2000] + " …"
		}
		return fmt.Errorf("%s: %w\n%s", name, err, text)
	}
	return nil
}

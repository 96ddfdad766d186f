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
	Programs []string          // that measure, ours first; each knows other peers
	Notes    []string          // what was rewritten, and what could not be had and why
	Ogen     map[string]Output // what ogen wrote, by folder of the protocol
}

// Prepare has the other generators write their code, and builds the programs
// that measure. They are several because of what some libraries keep on the
// heap from their start: each garbage collection goes over it. What cannot be had is left out and noted. The working folder
// is that of the module.
func Prepare(progress func(string)) (*Built, error) {
	if err := os.MkdirAll(Folder, 0o755); err != nil {
		return nil, err
	}
	b := &Built{Ogen: map[string]Output{}}
	progress("easyjson")
	easy, err := easyjson()
	if err != nil {
		b.note("easyjson: left out: %v", err)
	}
	var ogens []use
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
			ogens = append(ogens, use{"Ogen", s.folder, message, name, out.Package})
		}
	}
	progress("programs that measure")
	program, err := writeProgram("ours", true, easy)
	if err != nil {
		return nil, err
	}
	b.Programs = append(b.Programs, program)
	if len(ogens) > 0 {
		if program, err = writeProgram("ogen", false, ogens); err != nil {
			return nil, err
		}
		b.Programs = append(b.Programs, program)
	}
	program = filepath.Join(Folder, "bin", "measure-validator")
	b.Programs = append(b.Programs, program)
	return b, run("go", "build", "-o", program, "./internal/validator")
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

package peers

import (
	"os"
	"path/filepath"
)

// easyjson writes the methods of easyjson for a copy of the hand-written types,
// under names that only easyjson looks for.
func easyjson() ([]use, error) {
	program := filepath.Join(Folder, "bin", "easyjson")
	if err := run("go", "build", "-o", program, "github.com/mailru/easyjson/easyjson"); err != nil {
		return nil, err
	}
	target := filepath.Join(Folder, "easyjson")
	if err := os.RemoveAll(target); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return nil, err
	}
	var uses []use
	for _, s := range sources {
		text, err := os.ReadFile(filepath.Join("internal", "hand", s.folder+".go"))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(target, s.folder+".go"), text, 0o644); err != nil {
			return nil, err
		}
		for message, name := range s.hand {
			uses = append(uses, use{"Easy", "easyjson", message, name, module + "/" + filepath.ToSlash(target)})
		}
	}
	for _, s := range sources {
		if err := run(program, "-all", "-no_std_marshalers", filepath.Join(target, s.folder+".go")); err != nil {
			return nil, err
		}
	}
	return uses, nil
}

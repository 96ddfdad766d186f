package peers

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/measure"
	"github.com/hallmark-kit/hallmark/schemas"
)

//go:embed ajv.mjs
var ajvProgram []byte

type ajvMessage struct {
	Name    string `json:"name"`
	File    string `json:"file"`
	Schema  string `json:"schema"`
	Pointer string `json:"pointer"`
}

// AJV measures JSON.parse and ajv under Node. It needs node and npm.
func AJV(messages []measure.Message, short bool) (*measure.Row, error) {
	dir := filepath.Join(Folder, "node")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := run("npm", "install", "--prefix", dir, "--no-save", "--silent", "ajv@8"); err != nil {
		return nil, err
	}
	config := struct {
		Milliseconds int          `json:"milliseconds"`
		Rounds       int          `json:"rounds"`
		Messages     []ajvMessage `json:"messages"`
	}{150, 5, nil}
	if short {
		config.Milliseconds, config.Rounds = 50, 2
	}
	for _, m := range messages {
		place := measure.Places[m.Name]
		text, err := schemas.FS.ReadFile(path.Join(place.Folder, place.File))
		if err != nil {
			return nil, err
		}
		schema := filepath.Join(dir, place.Folder+".json")
		if err := os.WriteFile(schema, text, 0o644); err != nil {
			return nil, err
		}
		config.Messages = append(config.Messages, ajvMessage{m.Name, filepath.Join("testdata", m.Name+".json"), schema, place.Pointer})
	}
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	file, program := filepath.Join(dir, "config.json"), filepath.Join(dir, "ajv.mjs")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, err
	}
	if err := os.WriteFile(program, ajvProgram, 0o644); err != nil {
		return nil, err
	}
	out, err := exec.Command("node", program, file).Output()
	if err != nil {
		if e, ok := err.(*exec.ExitError); ok {
			return nil, fmt.Errorf("node: %w\n%s", err, e.Stderr)
		}
		return nil, fmt.Errorf("node: %w", err)
	}
	var best map[string]float64
	if err := json.Unmarshal(out, &best); err != nil {
		return nil, err
	}
	row := &measure.Row{Peer: "JSON.parse + ajv (Node)", Task: measure.Decode, Cells: map[string]measure.Cell{}}
	for _, m := range messages {
		row.Cells[m.Name] = measure.Cell{Nanoseconds: best[m.Name], MBPerSecond: float64(m.Bytes) * 1000 / best[m.Name]}
	}
	return row, nil
}

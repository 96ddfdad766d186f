package report

import (
	"encoding/json"
	"os"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/measure"
	"github.com/hallmark-kit/hallmark/gen/bench/internal/peers"
)

// Report is everything one run found.
type Report struct {
	CPU    string // model of the processor
	Pinned bool   // to one core
	Go     string
	Date   string
	Result measure.Result
	Code   *peers.Code `json:",omitempty"`
	Notes  []string    // what was rewritten for others, and what was left out and why
}

// WriteJSON writes everything, and what came of the reaches, to a file.
func (r *Report) WriteJSON(file string) error {
	text, err := json.MarshalIndent(struct {
		*Report
		Reaches []Reach
	}{r, r.Reaches()}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

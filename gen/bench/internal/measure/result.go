package measure

import (
	"maps"
	"slices"
)

// Result is what one run found.
type Result struct {
	Messages []Message
	Rows     []Row
	Versions map[string]string // of the modules that took part, by path
}

// Row is one peer at one task.
type Row struct {
	Peer  string
	Task  Task
	Notes string          `json:",omitempty"`
	Cells map[string]Cell // by name of the message
}

// Cell is one peer at one task with one message.
type Cell struct {
	Nanoseconds float64 // for one operation, the best of all rounds
	MBPerSecond float64 // million bytes of text a second
	Bytes       uint64  // allocated by one operation
	Allocations uint64  // of one operation
	Missing     string  `json:",omitempty"` // why there are no numbers
}

// Get finds the numbers of a peer; ok is false where there are none.
func (r *Result) Get(task Task, peer, message string) (cell Cell, ok bool) {
	for _, row := range r.Rows {
		if row.Task == task && row.Peer == peer {
			cell, ok = row.Cells[message]
			return cell, ok && cell.Missing == ""
		}
	}
	return cell, false
}

// Merge adds what another run found: of a cell measured twice the faster one.
func (r *Result) Merge(other *Result) {
	if len(r.Messages) == 0 {
		r.Messages = other.Messages
	}
	if r.Versions == nil {
		r.Versions = map[string]string{}
	}
	maps.Copy(r.Versions, other.Versions)
	for _, row := range other.Rows {
		i := slices.IndexFunc(r.Rows, func(have Row) bool { return have.Task == row.Task && have.Peer == row.Peer })
		if i < 0 {
			r.Rows = append(r.Rows, row)
			continue
		}
		for name, cell := range row.Cells {
			have, ok := r.Rows[i].Cells[name]
			if !ok || have.Missing == "" && cell.Nanoseconds < have.Nanoseconds {
				r.Rows[i].Cells[name] = cell
			}
		}
	}
}

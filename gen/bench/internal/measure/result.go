package measure

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

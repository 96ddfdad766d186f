package measure

// Result is what one run found.
type Result struct {
	Messages []Message
	Rows     []Row
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

// Row finds a row.
func (r *Result) Row(task Task, peer string) (Row, bool) {
	for _, row := range r.Rows {
		if row.Task == task && row.Peer == peer {
			return row, true
		}
	}
	return Row{}, false
}

package measure

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"time"
)

// Config tells how long to measure and what.
type Config struct {
	Rounds int            // each cell is measured once a round; the best counts
	Time   time.Duration  // about how long a cell is measured in a round
	Only   *regexp.Regexp // of task/peer/message; nil = everything
}

type operation struct {
	do    func() error
	count int // operations that take about Config.Time
	row   int
	name  string // of the message
	bytes int
}

// Run measures peers with all messages, one task after the other: what one of them needs, as the values that are to be
// encoded, is no garbage collector's business while another is measured.
func Run(messages []Message, peers []Peer, cfg Config) (*Result, error) {
	result := &Result{Messages: messages}
	for _, task := range []Task{Decode, Validate, Encode} {
		if err := runTask(result, task, peers, cfg); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func runTask(result *Result, task Task, peers []Peer, cfg Config) error {
	messages := result.Messages
	var operations []operation
	for _, p := range peers {
		if p.Task != task {
			continue
		}
		row := Row{Peer: p.Name, Task: p.Task, Notes: p.Notes, Cells: map[string]Cell{}}
		for _, m := range messages {
			if cfg.Only != nil && !cfg.Only.MatchString(string(p.Task)+"/"+p.Name+"/"+m.Name) {
				continue
			}
			do, err := p.Prepare(m)
			if err == nil && do != nil {
				err = do()
			}
			switch {
			case err != nil && p.Name == Hallmark:
				return fmt.Errorf("%s: %w", m.Name, err)
			case err != nil:
				row.Cells[m.Name] = Cell{Missing: "refuses the message: " + err.Error()}
			case do == nil:
				row.Cells[m.Name] = Cell{Missing: "no code for it"}
			default:
				row.Cells[m.Name] = Cell{Nanoseconds: math.Inf(1)}
				operations = append(operations, operation{do: do, row: len(result.Rows), name: m.Name, bytes: len(m.Data)})
			}
		}
		if len(row.Cells) > 0 {
			result.Rows = append(result.Rows, row)
		}
	}

	for i := range operations {
		if err := operations[i].first(result, cfg.Time); err != nil {
			return err
		}
	}
	// One message after the other within a round, so that the rows that are
	// compared with each other are neighbours in time.
	for range cfg.Rounds {
		for _, m := range messages {
			for i := range operations {
				if operations[i].name == m.Name {
					operations[i].again(result)
				}
			}
		}
	}
	return nil
}

// first finds out how many operations fill the time, and counts allocations.
func (o *operation) first(result *Result, want time.Duration) error {
	o.count = 1
	for {
		took, err := o.time()
		if err != nil {
			return err
		}
		if took >= want/4 {
			o.count = max(1, int(float64(o.count)*float64(want)/float64(took)))
			break
		}
		o.count *= 2
	}
	cell := result.Rows[o.row].Cells[o.name]
	n := uint64(min(o.count, 1000))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		if err := o.do(); err != nil {
			return err
		}
	}
	runtime.ReadMemStats(&after)
	cell.Bytes, cell.Allocations = (after.TotalAlloc-before.TotalAlloc)/n, (after.Mallocs-before.Mallocs)/n
	result.Rows[o.row].Cells[o.name] = cell
	return nil
}

func (o *operation) again(result *Result) {
	runtime.GC()
	took, err := o.time()
	cell := result.Rows[o.row].Cells[o.name]
	if err != nil {
		cell.Missing = err.Error()
	} else if each := float64(took.Nanoseconds()) / float64(o.count); each < cell.Nanoseconds {
		cell.Nanoseconds, cell.MBPerSecond = each, float64(o.bytes)*1000/each
	}
	result.Rows[o.row].Cells[o.name] = cell
}

func (o *operation) time() (time.Duration, error) {
	start := clock()
	for range o.count {
		if err := o.do(); err != nil {
			return 0, err
		}
	}
	return clock() - start, nil
}

package stdio

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
)

// descendants lists processes that the child pid started, directly or not, and that are still running: its children
// by parentage while it is running itself, and everything that inherited the marker, wherever it hangs by now.
func descendants(pid int, marker string, running bool) []int {
	parents := make(map[int]int)
	found := make(map[int]bool)
	since := ownStart()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		parent, started, ok := stat(e.Name())
		if !ok || started < since {
			continue
		}
		parents[id] = parent
		if id != pid && carries(e.Name(), marker) {
			found[id] = true
		}
	}
	if running {
		for id := range parents {
			for at, steps := id, 0; at > 1 && steps < 100; at, steps = parents[at], steps+1 {
				if at == pid && id != pid {
					found[id] = true
				}
			}
		}
	}
	list := make([]int, 0, len(found))
	for id := range found {
		list = append(list, id)
	}
	return list
}

// ownStart is when this very process was started. Whatever is older was not started by one of its children.
var ownStart = sync.OnceValue(func() uint64 {
	_, started, _ := stat("self")
	return started
})

// stat reads the parent of a process and when it was started. Zombies do not count.
func stat(id string) (parent int, started uint64, ok bool) {
	one, ok := read(id)
	return one.parent, one.started, ok && !one.dead
}

// entry is what the system says of a process.
type entry struct {
	parent, group int
	started       uint64 // in ticks since the system was
	dead          bool   // and nobody has collected it yet
}

// read reads the entry of a process. Its name may hold anything, so what follows the last parenthesis counts.
func read(id string) (one entry, ok bool) {
	data, err := os.ReadFile("/proc/" + id + "/stat")
	if err != nil {
		return entry{}, false
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 {
		return entry{}, false
	}
	one.dead = fields[0] == "Z" || fields[0] == "X"
	if one.parent, err = strconv.Atoi(fields[1]); err != nil {
		return entry{}, false
	}
	if one.group, err = strconv.Atoi(fields[2]); err != nil {
		return entry{}, false
	}
	one.started, err = strconv.ParseUint(fields[19], 10, 64)
	return one, err == nil
}

func carries(id, marker string) bool {
	env, err := os.ReadFile("/proc/" + id + "/environ")
	return err == nil && bytes.Contains(env, []byte(marker))
}

// commandLines reads the arguments of the child and its descendants, joined by spaces.
func commandLines(pid int, marker string) []string {
	var lines []string
	for _, id := range append([]int{pid}, descendants(pid, marker, true)...) {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/cmdline")
		if err == nil && len(data) > 0 {
			lines = append(lines, string(bytes.ReplaceAll(bytes.TrimRight(data, "\x00"), []byte{0}, []byte{' '})))
		}
	}
	return lines
}

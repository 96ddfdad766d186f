package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transcript"
)

// Progress shows how a run goes on while it runs: one line that is rewritten on a terminal, otherwise a plain line
// now and then, and only when the run takes long. Its methods may be called from any goroutine.
type Progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	began    time.Time
	told     time.Time
	total    int
	done     int
	failed   int
	running  []string
	width    int // of the line on the terminal
}

// quiet is how long a run may take without a plain line.
const quiet = 3 * time.Second

// NewProgress returns a progress that writes to w.
func NewProgress(w io.Writer, terminal bool) *Progress {
	now := time.Now()
	return &Progress{w: w, terminal: terminal, began: now, told: now}
}

// Total says how many scenarios there will be.
func (p *Progress) Total(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total = n
}

// Started says that a scenario has begun.
func (p *Progress) Started(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, id)
	p.show()
}

// Finished says what came of a scenario.
func (p *Progress) Finished(s *Scenario) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, id := range p.running {
		if id == s.ID {
			p.running = append(p.running[:i:i], p.running[i+1:]...)
			break
		}
	}
	p.done++
	if s.Verdict == Fail {
		p.failed++
	}
	p.show()
}

// Close removes the line from the terminal.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal && p.width > 0 {
		_, _ = fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
	}
}

func (p *Progress) show() {
	now := time.Now()
	if !p.terminal {
		if now.Sub(p.told) < quiet {
			return
		}
		p.told = now
		_, _ = fmt.Fprintf(p.w, "%s\n", p.line(now, 400))
		return
	}
	if now.Sub(p.told) < 50*time.Millisecond && p.done < p.total {
		return
	}
	p.told = now
	line := p.line(now, 100)
	pad := max(0, p.width-len([]rune(line)))
	p.width = len([]rune(line))
	_, _ = fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", pad))
}

func (p *Progress) line(now time.Time, most int) string {
	text := fmt.Sprintf("%d/%d scenarios, %d failed, %.1f s", p.done, p.total, p.failed, now.Sub(p.began).Seconds())
	if len(p.running) > 0 {
		text += "; running: " + strings.Join(p.running, ", ")
	}
	return transcript.Shorten(text, most)
}

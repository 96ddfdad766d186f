package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hallmark-kit/hallmark/gen/validation"
)

// meter shows on a terminal how far a validation has come, once it takes more than a second.
type meter struct {
	w     io.Writer
	on    bool
	next  time.Time
	width int
	calls int
}

func newMeter(w io.Writer, on bool) *meter {
	return &meter{w: w, on: on, next: time.Now().Add(time.Second)}
}

// Show rewrites the line, a few times a second. The clock is not asked for each of the small messages of a long
// recording.
func (m *meter) Show(s *validation.Summary) {
	if m.calls++; !m.on || m.calls%64 != 0 && m.width == 0 && s.Bytes < 1<<20 {
		return
	}
	now := time.Now()
	if now.Before(m.next) {
		return
	}
	m.next = now.Add(200 * time.Millisecond)
	line := fmt.Sprintf("%.1f MiB, %d messages, %d not valid", float64(s.Bytes)/(1<<20), s.Messages, s.Invalid)
	fmt.Fprintf(m.w, "\r%s%s", line, strings.Repeat(" ", max(0, m.width-len(line))))
	m.width = len(line)
}

// Clear takes the line away, to make room for other output.
func (m *meter) Clear() {
	if m.width > 0 {
		fmt.Fprintf(m.w, "\r%s\r", strings.Repeat(" ", m.width))
		m.width = 0
	}
}

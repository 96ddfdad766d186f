package scenario

import (
	"time"

	"github.com/hallmark-kit/hallmark/gen/wire"
)

// duration reads a length of time that the document has already checked; absent is 0.
func (l *loader) duration(at string, written wire.Opt[string]) time.Duration {
	text, ok := written.Get()
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		l.wrong(at, "a length of time such as 250ms, 1.5s or 2m is expected")
	}
	if d > time.Hour {
		l.wrong(at, "at most an hour is expected")
	}
	return d
}

package scenario

import "time"

// duration reads a length of time that the document has already checked; "" is 0.
func (l *loader) duration(at, text string) time.Duration {
	if text == "" {
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

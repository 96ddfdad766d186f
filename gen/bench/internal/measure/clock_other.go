//go:build !unix

package measure

import "time"

// clock is the time since the program started.
func clock() time.Duration { return wallClock() }

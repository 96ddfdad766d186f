package measure

import "time"

var started = time.Now()

// wallClock is the time since the program started.
func wallClock() time.Duration { return time.Since(started) }

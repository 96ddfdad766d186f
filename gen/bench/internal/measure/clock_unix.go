//go:build unix

package measure

import (
	"syscall"
	"time"
)

// clock is the processor time that this process has used, garbage collection
// included: what other processes do meanwhile is not in it.
func clock() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return wallClock()
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

package agenticdriver

import (
	"strconv"

	"github.com/hallmark-kit/hallmark/conformance/value"
)

// whole reads a whole number, in whichever way it is written.
func whole(n value.Number) (int64, bool) {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return i, true
	}
	if value.Type(n) != "integer" {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(n), 64)
	return int64(f), err == nil && f == float64(int64(f))
}

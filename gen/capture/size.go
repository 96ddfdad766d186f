package capture

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads a number of bytes with or without a unit: 1000, 500KiB, 64MiB, 1GiB (also KB, MB and GB, which are
// powers of 1000).
func ParseSize(text string) (int, error) {
	digits := strings.TrimRight(text, "KMGiB ")
	unit := strings.TrimSpace(text[len(digits):])
	scale, known := map[string]int64{
		"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 1e3, "MB": 1e6, "GB": 1e9,
	}[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n < 1 || n > math.MaxInt/scale {
		return 0, fmt.Errorf("%q is no number of bytes: write 1000, 500KiB, 64MiB or 1GiB", text)
	}
	return int(n * scale), nil
}

// Package nearest finds the known name closest to an unknown one, for error messages that suggest it.
package nearest

import "slices"

// Name returns the known name that is nearest to unknown, or "" when none is near enough to be meant. Ties go to the
// alphabetically first.
func Name(unknown string, known []string) string {
	best, bestDistance := "", max(2, len(unknown)/3)+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := distance(unknown, k); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// Suggestion is a clause to append to an error: the nearest known name, or all of them when they are few.
func Suggestion(unknown string, known []string) string {
	if n := Name(unknown, known); n != "" {
		return "; did you mean " + n + "?"
	}
	if len(known) == 0 || len(known) > 12 {
		return ""
	}
	text := "; known: "
	for i, k := range slices.Sorted(slices.Values(known)) {
		if i > 0 {
			text += ", "
		}
		text += k
	}
	return text
}

// distance is the number of bytes to insert, delete, replace or swap with their neighbour.
func distance(a, b string) int {
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}

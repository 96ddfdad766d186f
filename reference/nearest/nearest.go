// Package nearest finds the known name closest to an unknown one, for the errors of reference implementations that
// suggest it.
package nearest

import (
	"cmp"
	"slices"
)

// Of is the known name that takes the fewest changes of a letter to reach, the first of several. There must be one.
func Of(unknown string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int { return cmp.Compare(distance(unknown, a), distance(unknown, b)) })
}

// distance counts the letters to insert, remove or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

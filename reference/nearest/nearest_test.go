package nearest

import "testing"

func TestTheNearestNameIsTheFirstWithTheFewestChanges(t *testing.T) {
	known := []string{"done-twice", "delta-lost", "delta-last"}
	for unknown, want := range map[string]string{
		"delta-lots": "delta-lost", "delta-l": "delta-lost", "done-twce": "done-twice", "done--twice": "done-twice", "delta-last": "delta-last",
	} {
		if got := Of(unknown, known); got != want {
			t.Errorf("%s: got %s, want %s", unknown, got, want)
		}
	}
}

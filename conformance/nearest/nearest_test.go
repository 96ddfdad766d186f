package nearest

import "testing"

func TestNameFindsWhatWasMeant(t *testing.T) {
	known := []string{"expect", "send", "silence", "in any order", "CO-41", "CO-43"}
	for unknown, want := range map[string]string{
		"expct": "expect", "epxect": "expect", "silense": "silence", "in-any-order": "in any order",
		"CO-42": "CO-41", "banana": "", "sned": "send", "": "",
	} {
		if got := Name(unknown, known); got != want {
			t.Errorf("%q: got %q, want %q", unknown, got, want)
		}
	}
}

func TestSuggestionListsFewNamesWhenNoneIsNear(t *testing.T) {
	if got := Suggestion("banana", []string{"b", "a"}); got != "; known: a, b" {
		t.Error(got)
	}
	if got := Suggestion("sed", []string{"send"}); got != "; did you mean send?" {
		t.Error(got)
	}
}

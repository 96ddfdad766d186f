package document

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPositionsInLongLinesCountCodePoints(t *testing.T) {
	text := "{\n" + `"é": "` + strings.Repeat("é𝒳a", 2000) + `", "b": ` + strings.Repeat("[", 3) + "\n]]], \"c\": [" + strings.Repeat(`"ключ", `, 900) + "1]}"
	f, err := Parse("long.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for offset := 0; offset <= len(text); offset++ {
		if offset < len(text) && !utf8.RuneStart(text[offset]) {
			continue
		}
		before := text[:offset]
		start := strings.LastIndexByte(before, '\n') + 1
		wantLine, wantColumn := strings.Count(before, "\n")+1, utf8.RuneCountInString(before[start:])+1
		if line, column := f.Position(offset); line != wantLine || column != wantColumn {
			t.Fatalf("offset %d is at %d:%d, not %d:%d", offset, wantLine, wantColumn, line, column)
		}
	}
}

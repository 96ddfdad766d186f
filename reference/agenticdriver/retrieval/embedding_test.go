package retrieval

import (
	"math"
	"testing"
)

// The numbers were computed in JavaScript, from the description of the
// embedding.
func TestEmbeddingIsTheSameEverywhere(t *testing.T) {
	root := 1 / math.Sqrt2
	tests := []struct {
		text string
		want map[int]float64
	}{
		{"The cat sat on the mat", map[int]float64{26: 0.35355339059327373, 125: 0.7071067811865475, 133: 0.35355339059327373, 139: 0.35355339059327373, 171: 0.35355339059327373}},
		{"Größe 42, größe!", map[int]float64{103: 0.8944271909999159, 180: 0.4472135954999579}},
		{"???", map[int]float64{28: 1}},
		{"日本語 テキスト", map[int]float64{38: root, 237: root}},
	}
	for _, tt := range tests {
		for i, got := range embed(tt.text) {
			if math.Abs(got-tt.want[i]) > 1e-15 {
				t.Errorf("%q: dimension %d is %v, want %v", tt.text, i, got, tt.want[i])
			}
		}
	}
	if got := score(embed("the cat sat"), embed("the cat sat on the mat")); math.Abs(got-0.816496580927726) > 1e-15 {
		t.Errorf("got the score %v", got)
	}
	if got := score(embed("whales"), embed("whales")); got > 1 || got < 1-1e-15 {
		t.Errorf("a text resembles itself by %v", got)
	}
}

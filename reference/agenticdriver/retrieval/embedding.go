package retrieval

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
	"unicode"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

const dimensions = 256

// identity is what every search says of the embedding.
var identity = protocol.IndexIdentity{ProviderID: "fixture-embedding", Vendor: "fixture", AccountID: "fixture",
	AuthMode: protocol.IndexAuthModeNone, Model: "lexical-hash-v1", Dimensions: dimensions, Version: "1"}

// embed turns a text into a vector of length 1: each run of letters and digits
// adds one at the place that its hash names.
func embed(text string) []float64 {
	v := make([]float64, dimensions)
	text = strings.ToLower(text)
	tokens := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if len(tokens) == 0 {
		tokens = []string{text}
	}
	for _, t := range tokens {
		sum := sha256.Sum256([]byte(t))
		v[binary.BigEndian.Uint32(sum[:4])%dimensions]++
	}
	length := 0.0
	for _, x := range v {
		length += x * x
	}
	length = math.Sqrt(length)
	for i := range v {
		v[i] /= length
	}
	return v
}

// score compares two vectors: 1 for the same direction.
func score(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return max(-1, min(1, sum))
}

// Package canonical writes JSON in the one form that digests are taken of: no
// white space, members of objects sorted by UTF-16 code units, arrays in order,
// scalars as JavaScript's JSON.stringify writes them.
package canonical

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/hallmark-kit/hallmark/gen/wire"
)

// JSON gives the canonical form of a JSON text. A number whose value a double
// does not hold is rounded to one, as JavaScript does.
func JSON(text []byte) ([]byte, error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return appendValue(nil, v), nil
}

// Digest is the SHA-256 of the canonical form, in lower-case hex digits.
func Digest(text []byte) (string, error) {
	c, err := JSON(text)
	if err != nil {
		return "", err
	}
	return SHA256(c), nil
}

// SHA256 is the digest of the bytes, in lower-case hex digits.
func SHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case json.Number:
		return append(b, Number(v.String())...)
	case string:
		return wire.AppendString(b, v)
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, e)
		}
		return append(b, ']')
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.SortFunc(names, CompareUTF16)
		b = append(b, '{')
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(wire.AppendString(b, name), ':')
			b = appendValue(b, v[name])
		}
		return append(b, '}')
	}
	return b
}

// CompareUTF16 orders strings by their UTF-16 code units, as JavaScript does.
func CompareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// Number writes the double nearest to a JSON number as JavaScript prints it:
// the shortest digits that read back, with an exponent below 1e-6 and from 1e21.
func Number(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case f == 0:
		return "0"
	case err != nil && math.IsInf(f, 0):
		return "null"
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	sign := exponent[:1]
	return mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
}

package wire

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/wire/ecma"
)

const instantPattern = `^(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|(?:02)-(?:0[1-9]|1\d|2[0-8])))T(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|([+-](?:[01]\d|2[0-3]):[0-5]\d)))$`

var patternCases = []struct {
	pattern   string
	good, bad []string
}{
	{`^[a-zA-Z0-9][a-zA-Z0-9._:-]{0,127}$`, []string{"a", "run_1:x.y-z", strings.Repeat("a", 128)}, []string{"", "-a", "a b", "aé", strings.Repeat("a", 129)}},
	{`^[a-f0-9]{64}$`, []string{strings.Repeat("0f", 32)}, []string{strings.Repeat("0f", 31), strings.Repeat("0f", 33), strings.Repeat("0F", 32)}},
	{instantPattern, []string{"2026-03-14T09:26:53.589Z", "2024-02-29T00:00:00Z", "2000-02-29T23:59:59+14:00"},
		[]string{"2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-03-14T09:26:53,5Z", "2026-03-14T24:00:00Z", "2026-03-14T09:26:53.589Z\n"}},
	{`^(https|app):\/\/[^\s]+$`, []string{"https://é", "app://x"}, []string{"https://", "http://x", "https://a b", "https://a\u2003b", "https://a\ufeff"}},
	{`^[^\u0000-\u001f\u007f]*$`, []string{"", "text é 世界 🙂"}, []string{"a\x00", "\x1f", "é\x7f"}},
	{`^[^\s\0]+$`, []string{"a", "é"}, []string{"", " ", "\x00", "a\u00a0"}},
	{`^[^/\\\u0000-\u001f]+$`, []string{"name.txt", "é"}, []string{"", "a/b", `a\b`, "a\n"}},
	{`^\/`, []string{"/", "/é"}, []string{"", "a/"}},
	{`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000)$`,
		[]string{"0b4a12ef-1234-4abc-8def-0123456789ab", "00000000-0000-0000-0000-000000000000"}, []string{"0b4a12ef-1234-0abc-8def-0123456789ab"}},
	{`^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$`, []string{"0b4a12ef-1234-4abc-8def-0123456789ab"}, []string{"0b4a12ef-1234-4abc-8def"}},
	{`^\d+$`, []string{"42"}, []string{"४२", "", "4 2"}},
	{`^\w+$`, []string{"a_1"}, []string{"é"}},
	{`^\p{digit}+$`, []string{"42", "४२"}, []string{"a"}},
	{`\p{Letter}cole`, []string{"École", "l'école"}, []string{"1cole"}},
	{`^\p{Script=Greek}+$`, []string{"Ωμέγα"}, []string{"omega"}},
	{`^\P{Lu}*$`, []string{"abc"}, []string{"aBc"}},
	{`^🐲*$`, []string{"", "🐲", "🐲🐲"}, []string{"🐉"}},
	{`^.$`, []string{"🙂", "é", "a"}, []string{"", "\n", "\r", "\u2028", "\u2029", "ab"}},
	{`^[\ud83d\ude00-\ud83d\ude02]$`, []string{"😀", "😁", "😂"}, []string{"😃"}},
	{`^\u{1F600}\x41\cA\t$`, []string{"😀A\x01\t"}, []string{"😀A"}},
	{`abc`, []string{"abc", "xxabcxx"}, []string{"ab c"}},
	{`a$`, []string{"a", "ba"}, []string{"a\n", "ab"}},
	{`\bcat\b`, []string{"cat", "a cat.", "é cat"}, []string{"cats", "concat"}},
	{`^\Ba\B$`, nil, []string{"a", ""}},
	{`o\Bb`, []string{"foobar"}, []string{"foo bar"}},
	{`^(?:a|ab)(?:c|bcd)$`, []string{"ac", "abc", "abcd", "abbcd"}, []string{"ab", "abb"}},
	{`^(a+)+$`, []string{strings.Repeat("a", 5000)}, []string{strings.Repeat("a", 5000) + "b"}},
	{`(a|a?)+b`, []string{strings.Repeat("a", 5000) + "b"}, []string{strings.Repeat("a", 5000)}},
	{`^(?!.*secret)[a-z ]+$`, []string{"no such word"}, []string{"a secret here", "secret"}},
	{`^(?=.*\d)(?=.*[a-z]).{4,}$`, []string{"abc1"}, []string{"abcd", "1234", "a1"}},
	{`(?<=\$)\d+$`, []string{"$42"}, []string{"42", "€42"}},
	{`(?<!\$)\b\d+$`, []string{"42", "€42"}, []string{"$42"}},
	{`^(a|b)\1$`, []string{"aa", "bb"}, []string{"ab", "a"}},
	{`^(?<x>.)\k<x>$`, []string{"éé"}, []string{"éè"}},
	{`^[\w.-]+@[\w-]+$`, []string{"a.b@c-d"}, []string{"a b@c"}},
	{`^[]$`, nil, []string{"", "a"}},
	{`^[^]$`, []string{"a", "\n", "🙂"}, []string{"", "ab"}},
	{``, []string{"", "a"}, nil},
	{`^$`, []string{""}, []string{"a", "\n"}},
	{`a{0}b`, []string{"b", "ab"}, []string{"a"}},
	{`^x{2,3}?$`, []string{"xx", "xxx"}, []string{"x", "xxxx"}},
	{`^(?:é{2}|[a-c]{1,2}x)*$`, []string{"", "éé", "axbcx"}, []string{"é", "abcx"}},
	{`^[a-z]{0,100000}$`, []string{"", strings.Repeat("a", 100000)}, []string{strings.Repeat("a", 100001)}},
	{`^(ab|[a-z]c){0,70000}$`, []string{"", "abxc"}, []string{"a"}},
	{`^(?:(?:a{1000}){1000}){0,1000}$`, []string{""}, []string{"a"}},
	{`^(?:a|b)*a(?:a|b){14}$`, []string{"b" + "a" + strings.Repeat("b", 14)}, []string{strings.Repeat("b", 20), "a"}},
}

func TestPatternsMatchAsECMA262Says(t *testing.T) {
	for _, c := range patternCases {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, s := range c.good {
			if !p.Match([]byte(s)) {
				t.Errorf("%s does not match %.40q", c.pattern, s)
			}
		}
		for _, s := range c.bad {
			if p.Match([]byte(s)) {
				t.Errorf("%s matches %.40q", c.pattern, s)
			}
		}
	}
}

func TestRealPatternsNeedNoAutomaton(t *testing.T) {
	for _, source := range []string{
		`^[a-zA-Z0-9][a-zA-Z0-9._:-]{0,127}$`, `^[a-f0-9]{64}$`, `^[^\u0000-\u001f\u007f]*$`, `^\/`, `^https:\/\/`,
		`^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$`, `^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`, `^sha256:[0-9a-f]{64}$`,
	} {
		if p := mustRead(t, source); p.runs.Load() == noRuns {
			t.Errorf("%s is no run of classes", source)
		}
	}
	for _, source := range []string{`^[a-z]*z$`, `^a?[a-b]$`, `a$`, `^a|b$`, `^[a-z]{1,2}-?[a-z]$`} {
		if p := mustRead(t, source); p.runs.Load() != noRuns {
			t.Errorf("%s is not one run after another", source)
		}
	}
}

func mustRead(t *testing.T, source string) *Pattern {
	p, err := ParsePattern(source)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhatIsNoPatternPanicsWhenItIsNeeded(t *testing.T) {
	p := MustPattern(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	p.Match(nil)
}

// randomPattern writes a pattern; with back, one that may have
// back-references.
func randomPattern(r *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	atom := func() string {
		return pick("a", "b", "c", "-", `\d`, `\w`, `\s`, `\S`, `\W`, ".", "[ab]", "[^a]", `[a-c\d]`, "é", `\u00e9`, `\u{1F600}`,
			`[^\s\0]`, "[😀-😂]", "[]", "[^]", `\p{L}`, `[\w-]`)
	}
	if depth == 0 {
		return atom()
	}
	switch r.IntN(12) {
	case 0, 1, 2:
		return randomPattern(r, depth-1) + randomPattern(r, depth-1)
	case 3:
		return "(" + randomPattern(r, depth-1) + "|" + randomPattern(r, depth-1) + ")"
	case 4:
		return "(?:" + randomPattern(r, depth-1) + ")" + pick("*", "+", "?", "{2}", "{1,3}", "{0,2}?", "{2,}")
	case 5, 6:
		return atom() + pick("*", "+", "?", "{2}", "{1,3}", "{2,}", "+?")
	case 7:
		return pick("^", "$", `\b`, `\B`) + randomPattern(r, depth-1)
	case 8:
		return randomPattern(r, depth-1) + pick("^", "$", `\b`, `\B`)
	case 9:
		return pick("(?=", "(?!", "(?<=", "(?<!") + randomPattern(r, depth-1) + ")" + randomPattern(r, depth-1)
	}
	return atom()
}

func randomText(r *rand.Rand) []byte {
	letters := []string{"a", "b", "c", "1", "_", "-", " ", "\n", "é", "😀", "Ω", "\u00a0", "\u2028", "\x00", "."}
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString(letters[r.IntN(len(letters))])
	}
	return []byte(b.String())
}

// enginesAgree matches s by every engine that takes the pattern; the
// backtracking one is the work of others.
func enginesAgree(t *testing.T, source string, texts [][]byte) {
	p, err := ParsePattern(source)
	if err != nil {
		return
	}
	parsed, err := ecma.Parse(source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	back, err := compileBacktracking(parsed)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	nfa, err := parsed.NFA()
	if err != nil {
		return
	}
	dfa, _ := parsed.DFA(maxStates)
	for _, s := range texts {
		want := matchBacktracking(back, s)
		if got := p.Match(s); got != want {
			t.Errorf("%s on %q: pattern says %v", source, s, got)
		}
		if got := nfa.Match(s); got != want {
			t.Errorf("%s on %q: simulation says %v", source, s, got)
		}
		if dfa != nil && dfa.Match(s) != want {
			t.Errorf("%s on %q: automaton says %v", source, s, !want)
		}
	}
}

func TestEnginesAgreeOnRandomPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		source := randomPattern(r, 4)
		if r.IntN(3) == 0 {
			source = "^" + source + "$"
		}
		var texts [][]byte
		for range 10 {
			texts = append(texts, randomText(r))
		}
		enginesAgree(t, source, texts)
	}
}

func FuzzPattern(f *testing.F) {
	for _, c := range patternCases {
		if len(c.good) > 0 && len(c.good[0]) < 100 {
			f.Add(c.pattern, c.good[0])
		}
	}
	f.Fuzz(func(t *testing.T, source, text string) {
		if len(source) > 60 || len(text) > 60 {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		p, err := ecma.Parse(source)
		if err != nil {
			return
		}
		if p.Size() > 2000 || !p.Regular() {
			return
		}
		enginesAgree(t, source, [][]byte{[]byte(text), nil})
	})
}

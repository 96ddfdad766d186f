package ecma

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"
)

func dfa(t *testing.T, source string) *DFA {
	t.Helper()
	p, err := Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.DFA(10_000)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return d
}

func TestWhatEachGrammarTakes(t *testing.T) {
	for _, c := range []struct {
		pattern     string
		strict, lax bool
	}{
		{`^[a-z]+$`, true, true}, {``, true, true}, {`()`, true, true}, {`(?:)`, true, true}, {`a|`, true, true},
		{`\/\.\^\$\*\+\?\(\)\[\]\{\}\|\\`, true, true}, {`[\-]`, true, true}, {`\-`, false, true}, {`\a`, false, true}, {`\Z`, false, true},
		{`{`, false, true}, {`}`, false, true}, {`]`, false, true}, {`a{`, false, true}, {`a{,2}`, false, true}, {`a{1`, false, true},
		{`{1}`, false, false}, {`*`, false, false}, {`a**`, false, false}, {`a{2,1}`, false, false}, {`(`, false, false}, {`)`, false, false},
		{`(?`, false, false}, {`(?a)`, false, false}, {`[`, false, false}, {`[b-a]`, false, false}, {`\`, false, false}, {`[\`, false, false},
		{`\1`, false, true}, {`(a)\1`, true, true}, {`\1(a)`, true, true}, {`\0`, true, true}, {`\00`, false, true}, {`\07`, false, true},
		{`\cA`, true, true}, {`\c`, false, true}, {`\c1`, false, true}, {`[\c1]`, false, true}, {`\x4`, false, true}, {`\u12`, false, true},
		{`\u{110000}`, false, true}, {`\u{10ffff}`, true, true}, {`\u{}`, false, true},
		{`(?<n>a)\k<n>`, true, true}, {`\k<n>`, false, true}, {`(?<n>a)\k`, false, false}, {`(?<n>a)\k<m>`, false, false}, {`(?<1>a)`, false, false}, {`(?<n`, false, false},
		{`(?<é>a)`, true, true}, {`(?<\u0061b>a)\k<ab>`, true, true},
		{`(?=a)*`, false, true}, {`(?<=a)*`, false, false}, {`^*`, false, false}, {`\b+`, false, false},
		{`\p{L}`, true, true}, {`\p{Script=Grek}`, true, true}, {`\p{Foo}`, false, false}, {`\p`, false, true}, {`[\w-a]`, false, true}, {`[a-\d]`, false, true}, {`[\d-]`, true, true},
		{strings.Repeat("(", 2000) + strings.Repeat(")", 2000), false, false},
	} {
		_, strict := ParseStrict(c.pattern)
		_, lax := Parse(c.pattern)
		if (strict == nil) != c.strict || (lax == nil) != c.lax {
			t.Errorf("%.40s: strict %v, lax %v", c.pattern, strict, lax)
		}
	}
}

func TestSyntaxErrorsNameThePlace(t *testing.T) {
	_, err := Parse(`é[b-a]`)
	var e *SyntaxError
	if !errors.As(err, &e) || e.Offset != 5 || !strings.Contains(e.Error(), "out of order") {
		t.Errorf("%v", err)
	}
}

func TestLegacyEscapes(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    string
	}{
		{`^\101$`, "A"}, {`^\1$`, "\x01"}, {`^\8$`, "8"}, {`^[\101]$`, "A"}, {`^\c1$`, `\c1`}, {`^[\c1]$`, "\x11"}, {`^\x4$`, "x4"},
		{`^\u12$`, "u12"}, {`^\k$`, "k"}, {`^\-\_$`, "-_"}, {`^a{,2}$`, "a{,2}"}, {`^[\b]$`, "\b"}, {`^\377$`, "ÿ"}, {`^\400$`, " 0"},
	} {
		if !dfa(t, c.pattern).Match([]byte(c.want)) {
			t.Errorf("%s does not match %q", c.pattern, c.want)
		}
	}
}

func TestPropertiesOfECMA262(t *testing.T) {
	for name, samples := range map[string][2]string{
		"L": {"aé世", "1 "}, "Letter": {"a", "1"}, "Lu": {"AÉ", "a"}, "Uppercase_Letter": {"A", "a"}, "LC": {"aAǅ", "世"}, "Nd": {"1४", "a"}, "digit": {"4", "x"},
		"gc=Sm": {"+", "a"}, "General_Category=Punctuation": {"!", "a"}, "punct": {"!", "a"}, "Cn": {"\u0378", "a"}, "Cc": {"\n", "a"}, "C": {"\n\u200d", "a"},
		"Script=Greek": {"Ω", "a"}, "sc=Grek": {"Ω", "a"}, "scx=Cyrl": {"ж", "a"}, "Script_Extensions=Han": {"世", "a"}, "sc=Kawi": {"\U00011F04", "a"},
		"Any": {"a\U0010ffff", ""}, "ASCII": {"a", "é"}, "Assigned": {"a", "\u0378"}, "Alphabetic": {"aⅣ", "1"}, "Alpha": {"a", "1"}, "White_Space": {" \u2003", "a"},
		"Lowercase": {"aª", "A"}, "Uppercase": {"AⅣ", "a"}, "ID_Start": {"a", "1"}, "ID_Continue": {"a1_", "-"}, "Emoji": {"😀#", "a"}, "Emoji_Presentation": {"😀", "#"},
		"ExtPict": {"😀", "#"}, "Hex_Digit": {"fＦ", "g"}, "AHex": {"f", "Ｆ"}, "Dash": {"-–", "a"}, "Ideographic": {"世", "a"}, "Math": {"+", "a"}, "RI": {"🇩", "a"},
	} {
		set, ok := Property(name)
		if !ok {
			t.Errorf("%s is unknown", name)
			continue
		}
		for _, r := range samples[0] {
			if !set.Contains(r) {
				t.Errorf("%s lacks %q", name, r)
			}
		}
		for _, r := range samples[1] {
			if set.Contains(r) {
				t.Errorf("%s has %q", name, r)
			}
		}
	}
	for _, name := range []string{"", "letter", "Greek", "IsGreek", "Script=", "Script=Klingon", "gc=", "L=L", "Other_Math", "Hyphen", "In Basic Latin", "lu"} {
		if _, ok := Property(name); ok {
			t.Errorf("%q is known", name)
		}
	}
	for alias, name := range scriptAliases {
		if _, ok := unicode.Scripts[name]; !ok {
			t.Errorf("%s is said to be %s, which Go has no table of", alias, name)
		}
	}
}

func genSet() gopter.Gen {
	return gen.SliceOf(gopter.CombineGens(gen.Int32Range(0, 0x11000), gen.Int32Range(0, 0x300)).Map(func(v []any) Range {
		lo := v[0].(int32)
		return Range{lo, lo + v[1].(int32)}
	})).Map(func(r []Range) Set { return NewSet(r...) })
}

func TestSetsAreAnAlgebra(t *testing.T) {
	p := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	p.Property("twice the complement is the set", prop.ForAll(func(s Set) bool {
		return s.Complement().Complement().Equal(s)
	}, genSet()))
	p.Property("de Morgan", prop.ForAll(func(a, b Set) bool {
		return a.Union(b).Complement().Equal(a.Complement().Intersect(b.Complement()))
	}, genSet(), genSet()))
	p.Property("membership", prop.ForAll(func(a, b Set, c int32) bool {
		in := a.Contains(c)
		scalar := c < firstSurrogate || c > lastSurrogate
		return a.Intersect(b).Contains(c) == (in && b.Contains(c)) && a.Union(b).Contains(c) == (in || b.Contains(c)) &&
			(!scalar || a.Complement().Contains(c) != in)
	}, genSet(), genSet(), gen.Int32Range(0, 0x11300)))
	p.Property("counts", prop.ForAll(func(s Set) bool {
		return s.Count()+s.Complement().Count() == All().Count()
	}, genSet()))
	p.TestingRun(t)
}

func TestInclusionComesWithAWitness(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		included bool // a accepts all that b accepts
	}{
		{`^[a-z]+$`, `^[a-y]+$`, true}, {`^[a-y]+$`, `^[a-z]+$`, false}, {`a`, `aa`, true}, {`aa`, `a`, false},
		{`^\w+$`, `^[a-zA-Z0-9_]+$`, true}, {`^.*$`, `^[^]*$`, false}, {`^a{2,5}$`, `^a{3,4}$`, true}, {`^a{2,5}$`, `^a{3,6}$`, false},
		{``, `x`, true}, {`[^]`, ``, false}, {`^(?:a|b)*$`, `^(?:a*b*)*$`, true}, {`^\p{L}+$`, `^[a-zé世]+$`, true}, {`^\p{Lu}$`, `^[A-Za]$`, false},
		{`^(?!.*secret)[a-z ]*$`, `^[a-r ]*$`, true}, {`^(?!.*secret)[a-z ]*$`, `^[a-z ]*$`, false}, {`^[a-z]+$`, `^(?=a)(?!ab)[a-z]+$`, true},
		{`\bx\b`, `^x$`, true}, {`^x$`, `\bx\b`, false}, {`^[a-z0-9]{1,80}$`, `^[a-z][a-z0-9]{0,63}$`, true},
	} {
		a, b := dfa(t, c.a), dfa(t, c.b)
		w, ok := Includes(a, b)
		if ok != c.included {
			t.Errorf("%s includes %s: %v (%q)", c.a, c.b, ok, w)
			continue
		}
		if !ok && (a.Match([]byte(w)) || !b.Match([]byte(w))) {
			t.Errorf("%s, %s: %q proves nothing", c.a, c.b, w)
		}
	}
}

func TestEquivalenceAndDisjointness(t *testing.T) {
	for _, c := range []struct {
		a, b            string
		equal, disjoint bool
	}{
		{`^(?:a|b)c$`, `^[ab]c$`, true, false}, {`^\d{3}$`, `^[0-9][0-9][0-9]$`, true, false}, {`^a+$`, `^aa*$`, true, false},
		{`^a$`, `^b$`, false, true}, {`a`, `b`, false, false}, {`^[]$`, `$^x`, true, true}, {`^(?:ab)?$`, `^$|^ab$`, true, false},
	} {
		a, b := dfa(t, c.a), dfa(t, c.b)
		w, equal := Equivalent(a, b)
		v, disjoint := Disjoint(a, b)
		if equal != c.equal || disjoint != c.disjoint {
			t.Errorf("%s and %s: equal %v, disjoint %v", c.a, c.b, equal, disjoint)
		}
		if !equal && a.Match([]byte(w)) == b.Match([]byte(w)) || !disjoint && !(a.Match([]byte(v)) && b.Match([]byte(v))) {
			t.Errorf("%s and %s: witnesses %q and %q", c.a, c.b, w, v)
		}
	}
}

func TestShortestMatch(t *testing.T) {
	for pattern, want := range map[string]string{`^[a-z][0-9]{2}$`: "a00", `x|yy`: "x", ``: "", `^\u{1F600}+$`: "😀", `\d(?:b|c)`: "0b"} {
		if w, ok := dfa(t, pattern).Shortest(); !ok || w != want {
			t.Errorf("%s: %q %v", pattern, w, ok)
		}
	}
	if w, ok := dfa(t, `^[]$`).Shortest(); ok {
		t.Errorf("nothing is matched by %q", w)
	}
}

func TestAutomataCanBeWalked(t *testing.T) {
	d := dfa(t, `^ab?$`)
	s := d.Start()
	for _, r := range "ab" {
		s = d.Next(s, d.Classes().Of(r))
	}
	if !d.Accepts(s) || d.Next(s, d.Classes().Of('x')) != Dead {
		t.Errorf("state %d", s)
	}
	total := 0
	for c := range d.Classes().Len() {
		total += d.Classes().Set(c).Count()
	}
	if total != All().Count() {
		t.Errorf("the classes have %d code points", total)
	}
	if m := dfa(t, `a`); m.Next(m.Start(), m.Classes().Of('a')) != Matched || m.Len() < 2 {
		t.Error("a search that found goes on")
	}
}

func TestWhatHasNoAutomaton(t *testing.T) {
	p, err := Parse(`(a)\1`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.NFA(); !errors.Is(err, ErrNotRegular) || p.Regular() {
		t.Errorf("%v", err)
	}
	p, _ = Parse(`(?=a)b`)
	n, err := p.NFA()
	if err != nil || !p.LooksAround() {
		t.Fatal(err)
	}
	if _, err := n.DFA(100); !errors.Is(err, ErrNotRegular) {
		t.Errorf("%v", err)
	}
	p, _ = Parse(`(?:a|b)*a(?:a|b){12}`)
	n, _ = p.NFA()
	if _, err := n.DFA(1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	p, _ = Parse(`(?:a{1000}){1000}`)
	if _, err := p.NFA(); !errors.Is(err, ErrTooLarge) || p.Size() <= MaxSize {
		t.Errorf("%v, size %d", err, p.Size())
	}
}

func TestLongInputTakesLinearTime(t *testing.T) {
	long := []byte(strings.Repeat("a", 1<<20))
	for _, pattern := range []string{`(?:a|a?)+b`, `(?:a*)*b`, `(?=(?:a+)+b)a`, `(?<=b(?:a+)+)c`} {
		p, err := Parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		n, err := p.NFA()
		if err != nil {
			t.Fatal(err)
		}
		if n.Match(long) {
			t.Errorf("%s matches", pattern)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`^a(?:b|[^\d-])*?$`, `(?<n>\p{Lu})\k<n>`, `\u{1F600}{2,}`, `[\w-z]\c1\07`, `(?<=a)(?!b)\b`, `a{99999999999}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 200 {
			return
		}
		strict, err := ParseStrict(source)
		lax, laxErr := Parse(source)
		if err == nil && laxErr != nil {
			t.Fatalf("%q is legal only with the u flag: %v", source, laxErr)
		}
		if laxErr != nil || lax.Size() > 5000 {
			return
		}
		if n, err := lax.NFA(); err == nil {
			n.Match([]byte(source))
		}
		_ = strict
	})
}

func TestComplementAndIntersection(t *testing.T) {
	sources := []string{`^a+$`, `b`, `^(?:a|b)*$`, ``, `^[]$`, `^.{2,3}$`, `\bab\b`, `^\p{L}`}
	texts := []string{"", "a", "b", "ab", "aa", "aab", "x ab", "é", "1", "abab"}
	for _, x := range sources {
		a := dfa(t, x)
		not := a.Complement()
		if w, ok := Equivalent(a, not.Complement()); !ok {
			t.Errorf("%s is not its double complement: %q", x, w)
		}
		if w, ok := Disjoint(a, not); !ok {
			t.Errorf("%s and its complement have %q in common", x, w)
		}
		for _, y := range sources {
			b := dfa(t, y)
			both, err := Intersect(a, b, 1000)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range texts {
				if s := []byte(s); both.Match(s) != (a.Match(s) && b.Match(s)) || not.Match(s) == a.Match(s) {
					t.Errorf("%s and %s on %q", x, y, s)
				}
			}
		}
	}
	if _, err := Intersect(dfa(t, `^a{50}$`), dfa(t, `^[ab]{50}$`), 10); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

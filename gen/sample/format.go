package sample

import (
	"fmt"
	"strings"
)

// formatted makes a string of a format of the standard (validation, section 7.3).
func (m *maker) formatted(format string) string {
	n := m.rng.IntN
	host := func() string {
		return pick(m.rng, []string{"example.com", "a.example", "localhost", "xn--bcher-kva.example", "x-1.example.org"})
	}
	date := func() string {
		if n(6) == 0 {
			return pick(m.rng, []string{"2024-02-29", "2000-02-29", "1999-12-31", "0001-01-01", "9999-12-31"})
		}
		return fmt.Sprintf("%04d-%02d-%02d", 1900+n(200), 1+n(12), 1+n(28))
	}
	clock := func() string {
		s := fmt.Sprintf("%02d:%02d:%02d", n(24), n(60), n(60))
		if n(2) == 0 {
			s += "." + strings.Repeat("0", n(3)) + fmt.Sprint(1+n(999999))
		}
		return s + pick(m.rng, []string{"Z", "Z", "+00:00", "-23:59", "+05:30"})
	}
	path := func() string { return pick(m.rng, []string{"", "/", "/a/b", "/a%20b", "/;v=1/~x"}) }
	tail := func() string { return pick(m.rng, []string{"", "?q=1", "?", "#f", "?a=b&c=%C3%A9#x"}) }
	ipv4 := func() string { return fmt.Sprintf("%d.%d.%d.%d", n(256), n(256), n(256), n(256)) }
	uri := func() string {
		switch n(4) {
		case 0:
			return pick(m.rng, []string{"urn:a:b", "mailto:a@example.com", "a:", "http://[::1]/x", "tel:+1-2"})
		}
		return pick(m.rng, []string{"http", "https", "ws", "x+y.z-1"}) + "://" + host() + pick(m.rng, []string{"", ":1", ":8080"}) + path() + tail()
	}
	switch format {
	case "date-time":
		return date() + "T" + clock()
	case "date":
		return date()
	case "time":
		return clock()
	case "duration":
		return pick(m.rng, []string{"P1D", "PT1S", "P1Y2M3DT4H5M6S", "P4W", "PT36H", "P1M"})
	case "email", "idn-email":
		return pick(m.rng, []string{"a", "a.b", "x+y", "\"a b\""}) + "@" + host()
	case "hostname", "idn-hostname":
		return host()
	case "ipv4":
		return ipv4()
	case "ipv6":
		return pick(m.rng, []string{"::", "::1", "2001:db8::1", "fe80::1:2:3", "1:2:3:4:5:6:7:8", "::ffff:" + ipv4()})
	case "uri", "iri":
		return uri()
	case "uri-reference", "iri-reference":
		return pick(m.rng, []string{uri(), "//" + host() + path(), path() + tail(), "a/b", ""})
	case "uri-template":
		return pick(m.rng, []string{"http://example.com/{id}", "{+path}/x", "{?a,b*}", "plain", "{#f:3}"})
	case "uuid":
		return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", m.rng.Uint32(), n(1<<16), 0x4000|n(1<<12), 0x8000|n(1<<14), m.rng.Uint64()>>16)
	case "json-pointer":
		return pick(m.rng, []string{"", "/a", "/a/0", "/~0/~1", "/", "/é"})
	case "relative-json-pointer":
		return pick(m.rng, []string{"0", "1/a", "0#", "12/~0"})
	case "regex":
		return pick(m.rng, []string{"^a+$", "", "[a-z]{2,3}", `\d+|x`, "(?:a|b)*"})
	}
	return ""
}

// malformed makes strings without a format.
func (m *maker) malformed(format string) []string {
	out := []string{"not " + format + " {", "\x01", "%", "[", ""}
	for range 6 {
		s := []rune(m.formatted(format))
		if len(s) > 0 {
			i := m.rng.IntN(len(s))
			out = append(out, string(s[:i])+string(s[i+1:]), string(s[:i])+" "+string(s[i:]), string(s)+"\n")
		}
	}
	return out
}

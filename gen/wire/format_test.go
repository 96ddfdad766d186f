package wire

import (
	"strings"
	"testing"
)

// formatCases are strings that have a format, and strings that do not.
var formatCases = map[string]struct{ good, bad []string }{
	"date-time": {
		[]string{"1963-06-19T08:30:06.283185Z", "1963-06-19T08:30:06Z", "1937-01-01T12:00:27.87+00:20", "1990-12-31T15:59:50.123-08:00",
			"1998-12-31T23:59:60Z", "1998-12-31T15:59:60.123-08:00", "1963-06-19t08:30:06.283185z", "2024-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},
		[]string{"", "1990-02-31T15:59:59.123-08:00", "1990-12-31T15:59:59-24:00", "1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z",
			"06/19/1963 08:30:06 PST", "2013-350T01:01:01", "1963-6-19T08:30:06.283185Z", "1963-06-1T00:00:00Z", "1963-06-19T08:30:06.28123+01:00Z",
			"+11963-06-19T08:30:06.283185Z", "1963-06-19 08:30:06Z", "1963-06-19T24:00:00Z", "1900-02-29T00:00:00Z", "2023-02-29T00:00:00Z",
			"1963-06-19T08:30:06,5Z", "1963-06-19T08:30:06.Z", "1963-06-19T08:30:06", "1963-06-19T08:30:06+0100", "1963-06-19T08:30Z", "1963-06-1৪T00:00:00Z"},
	},
	"date": {[]string{"1963-06-19", "2020-01-31", "2020-02-29", "2021-04-30"},
		[]string{"", "06/19/1963", "2013-350", "1998-1-20", "1998-01-1", "2021-02-29", "2021-04-31", "2020-13-01", "2020-00-10", "2020-01-00", "1963-06-1৪", "20230328"}},
	"time": {[]string{"08:30:06Z", "23:59:60Z", "23:59:60+00:00", "01:29:60+01:30", "23:29:60+23:30", "15:59:60-08:00", "00:29:60-23:30", "23:20:50.52Z", "08:30:06z"},
		[]string{"", "008:030:006Z", "8:3:6Z", "8:0030:6Z", "22:59:60Z", "23:58:60Z", "23:59:60+01:00", "23:59:60-01:00", "24:00:00Z", "00:60:00Z", "00:00:61Z",
			"01:02:03+24:00", "01:02:03+00:60", "01:02:03Z+00:30", "08:30:06 PST", "01:01:01,1111", "12:00:00", "12:00:00.", "12:00:00.Z", "1২:00:00Z", "08:30:06#00:20", "ab:cd:efZ"}},
	"duration": {[]string{"P4DT12H30M5S", "P4Y", "PT0S", "P0D", "P1M", "PT1M", "PT36H", "P1DT12H", "P2W", "P1Y2M3D", "PT1H2M3S", "P1Y2M"},
		[]string{"", "PT1D", "P", "P1YT", "PT", "P2D1Y", "P1D2H", "P2S", "P1Y2W", "P1", "1D", "p1d", "P২Y", "P1Y2D", "PT1H2S", "P1DT", "P-1D", "P1.5D"}},
	"email": {[]string{"joe.bloggs@example.com", "te~st@example.com", "~test@example.com", `"joe bloggs"@example.com`, `"joe..bloggs"@example.com`,
		`"joe@bloggs"@example.com`, "joe.bloggs@[127.0.0.1]", "joe.bloggs@[IPv6:::1]", "te.s.t@example.com", "riedgar+guidelines@example.com"},
		[]string{"", "2962", ".test@example.com", "test.@example.com", "te..st@example.com", "joe.bloggs@invalid=domain.com", "joe.bloggs@[127.0.0.300]",
			"a b@example.com", "@example.com", "joe@", "joe@-x.com", `"joe@example.com`, `"a"b"@example.com`, "é@example.com", strings.Repeat("a", 65) + "@example.com", "user1@oceania.org, user2@oceania.org"}},
	"idn-email": {[]string{"실례@실례.테스트", "joe.bloggs@example.com", "é@example.com"}, []string{"2962", "@x", "x@〮실례.테스트"}},
	"hostname": {[]string{"www.example.com", "xn--4gbwdl.xn--wgbh1c", "hostname", "host-name", "h0stn4me", "1host", "hostnam3", "a", "A.b",
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk.com", strings.Repeat("a.", 126) + "b"},
		[]string{"", ".", "-a-host-name-that-starts-with--", "not_a_valid_host_name", "a" + strings.Repeat("b", 63), "-hostname", "hostname-", "_hostname", "host_name",
			".example", "example.", "a..b", "ex ample", "例.com", "XN--aa---o47jg78q", "xn--X", "xn--", "a。b", strings.Repeat("a.", 127) + "b"}},
	"idn-hostname": {[]string{"실례.테스트", "xn--ihqwcrb4cv8a8dqg056pqjye", "ßς་〇", "۽۾", "l·l", "α͵β", "א׳ב", "א״ב", "ぁ・ぁ", "ァ・ァ", "丂・丁", "ا٠ب", "۰0",
		"क्\u200dष", "क्\u200cष", "بي\u200cبي", "hostname", "a.b", "a。b", "a．b", "a｡b", "1host", "münchen.de"},
		[]string{"", ".", "〮실례.테스트", "실〮례.테스트", strings.Repeat("실", 60), "-> $1.00 --", "xn--X", "XN--aa---o47jg78q", "-hello", "hello-", "\u0903hello", "\u0300hello",
			"\u0488hello", "ـߺ", "〱〲〳〴〵〮〯〻", "a·l", "·l", "l·a", "l·", "α͵S", "α͵", "A׳ב", "׳ב", "A״ב", "״ב", "def・abc", "・", "ب٠۰", "क\u200dष", "\u200dष",
			"क\u200cष", "MÜNCHEN.de", "a。", "..", "ﬁ", "Ａ"}},
	"ipv4": {[]string{"192.168.0.1", "0.0.0.0", "255.255.255.255", "87.10.0.1"},
		[]string{"", "127.0.0.0.1", "256.256.256.256", "127.0", "0x7f000001", "2130706433", "087.10.0.1", "1২7.0.0.1", "192.168.1.0/24", "1..2.3", "1.2.3.", " 1.2.3.4", "1.2.3.4 ", "1.2.3.0004"}},
	"ipv6": {[]string{"::1", "::abef", "::", "::42:ff:1", "d6::", "1:d6::42", "1::d6:192.168.0.1", "1:2::192.168.0.1", "::ffff:192.168.0.1", "1:2:3:4:5:6:7:8",
		"1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1000:1000:1000:1000:1000:1000:255.255.255.255"},
		[]string{"", "12345::", "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1", "::laptop", ":2:3:4:5:6:7:8", "1:2:3:4:5:6:7:", ":2:3:4::8", "1::d6::42", "1::2:192.168.256.1",
			"1::2:192.168.ff.1", "::ffff:192.168.0", "1:2:3:4:5:::8", "1:2:3:4:5:6:7", "1", "127.0.0.1", "1:2:3:4:1.2.3", "  ::1", "::1  ", "fe80::/64", "fe80::a%eth1",
			"1000:1000:1000:1000:1000:255.255.255.255", "100:100:100:100:100:100:255.255.255.255.255", "1:2:3:4:5:6:7:৪", "1:2::192.16৪.0.1", "1:2:3:4:5:6:7:8::", ":"}},
	"uri": {[]string{"http://foo.bar/?baz=qux#quux", "http://foo.com/blah_(wikipedia)_blah#cite-1", "http://foo.bar/?q=Test%20URL-encoded%20stuff", "http://xn--nw2a.xn--j6w193g/",
		"http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com", "http://223.255.255.254", "ftp://ftp.is.co.za/rfc/rfc1808.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one",
		"mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "http://[v1.fe80::a]/",
		"x:", "http://a:99999999/"},
		[]string{"", "//foo.bar/?baz=qux#quux", "/abc", `\\WINDOWS\fileshare`, "abc", "http:// shouldfail.com", ":// should fail", "bar,baz:1", "https://[@example.org/test.txt",
			"https://example.org/foobar\\.txt", "https://example.org/foobar<>.txt", "https://example.org/foobar{}.txt", "https://example.org/foobar^.txt", "https://example.org/foobar`.txt",
			"https://example.org/foo bar.txt", "https://example.org/foobar|.txt", "http://a/%4", "http://a/%zz", "http://ƒøß.com", "http://[::1", "http://[::1]x", "http://a:b/", "1http://a", "http://a/#b#c", "http://a@b@c/"}},
	"uri-reference": {[]string{"http://foo.bar/?baz=qux#quux", "//foo.bar/?baz=qux#quux", "/abc", "abc", "#fragment", "", "?q", "./a:b", "unreserved~-._"},
		[]string{`\\WINDOWS\fileshare`, `#frag\ment`, "a b", "1:b", "é"}},
	"iri": {[]string{"http://ƒøø.ßår/?∂éœ=πîx#πîüx", "http://ƒøø.com/blah_(wîkïpédiå)_blah#ßité-1", "http://[2001:0db8:85a3:0000:0000:8a2e:0370:7334]", "x:?\ue000"},
		[]string{"http://2001:0db8:85a3:0000:0000:8a2e:0370:7334", "/abc", `\\WINDOWS\filëßåré`, "âππ", ":// ƒåïl", "x:\ue000", "x:\u0085"}},
	"iri-reference": {[]string{"//ƒøø.ßår/?∂éœ=πîx#πîüx", "/âππ", "âππ", "#ƒrägmênt"}, []string{`\\WINDOWS\filëßåré`, `#ƒräg\mênt`}},
	"uri-template": {[]string{"http://example.com/dictionary/{term:1}/{term}", "http://example.com/dictionary", "dictionary/{term:1}/{term}", "{+path}/here", "{?x,y,empty}", "{/list*}", "{a.b,c%20d}", "x'y"},
		[]string{"http://example.com/dictionary/{term:1}/{term", "{}", "{a:0}", "{a:10000}", "{a:}", "{a b}", "{a,}", "a b", "}", "{a..b}", "{*}", "%4", "{a:1*}", "<a>"}},
	"uuid": {[]string{"2EB8AA08-AA98-11EA-B4AA-73B441D16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "00000000-0000-0000-0000-000000000000", "99c17cbb-656f-f64a-940f-1a4568f03487"},
		[]string{"", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-73b441d16380", "2eb8aa08-aa98-11ea-b4ga-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380",
			"2eb8aa08aa98-11ea-b4aa73b441d16380", "2eb8-aa08-aa98-11ea-b4aa73b44-1d16380", "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}"}},
	"json-pointer": {[]string{"", "/foo/bar~0/baz~1/%a", "/foo//bar", "/", "/i\\j", "/~1.1", "/ "}, []string{"/foo/bar~", "/~2", "#", "#/", "a", "0", "a/a", "/~0~"}},
	"relative-json-pointer": {[]string{"1", "0/foo/bar", "2/0/baz/1/zip", "0#", "120/foo", "1+1", "1-1/a", "0+5#"},
		[]string{"", "/foo/bar", "-1/foo/bar", "+1/foo/bar", "0##", "01/a", "01#", "1+", "1+0", "a", "1a"}},
	"regex": {[]string{"([abc])+\\s+$", "", "^\\p{Letter}{2,}$", "(?<n>a)\\k<n>", "[\\w-]"}, []string{"^(abc]", "\\a", "^\\S(|(.|\\n)*\\S)\\Z", "a{", "*", "\\p{Foo}", "[b-a]", "(?<n>"}},
}

func TestFormats(t *testing.T) {
	for name, c := range formatCases {
		if !KnownFormat(name) {
			t.Errorf("%s is unknown", name)
		}
		for _, s := range c.good {
			if !Format(name, []byte(s)) {
				t.Errorf("%q is refused as %s", s, name)
			}
		}
		for _, s := range c.bad {
			if Format(name, []byte(s)) {
				t.Errorf("%q is taken for %s", s, name)
			}
		}
	}
	if len(formatCases) != 19 {
		t.Errorf("%d formats", len(formatCases))
	}
}

func TestUnknownFormatsHoldForEveryString(t *testing.T) {
	if !Format("colour", []byte("mauve")) || KnownFormat("colour") {
		t.Error("colour is no format")
	}
}

func TestPunycodeGoesBothWays(t *testing.T) {
	for unicode, ascii := range map[string]string{
		"bücher": "bcher-kva", "실례": "9n2bp8q", "他们为什么不说中文": "ihqwcrb4cv8a8dqg056pqjye", "ليهمابتكلموشعربي؟": "egbpdaj6bu4bxfgehfvwxn",
		"MajiでKoiする5秒前": "MajiKoi5-783gue6qz075azm5e", "-> $1.00 <-": "-> $1.00 <--",
	} {
		if got := string(punycode([]rune(unicode))); got != ascii {
			t.Errorf("%s: %s", unicode, got)
		}
		if got, ok := unpunycode([]byte(ascii)); !ok || string(got) != unicode {
			t.Errorf("%s: %s", ascii, string(got))
		}
	}
}

func FuzzFormat(f *testing.F) {
	for name, c := range formatCases {
		for _, s := range append(c.good[:1:1], c.bad[1]) {
			f.Add(name, s)
		}
	}
	f.Fuzz(func(t *testing.T, name, s string) {
		s = strings.ToValidUTF8(s, "?")
		ok := Format(name, []byte(s))
		switch {
		case ok && name == "uri" && !(Format("iri", []byte(s)) && Format("uri-reference", []byte(s))):
			t.Errorf("%q is a uri but no iri or no uri-reference", s)
		case ok && name == "iri" && !Format("iri-reference", []byte(s)):
			t.Errorf("%q is an iri but no iri-reference", s)
		case ok && name == "date" && !Format("date-time", []byte(s+"T00:00:00Z")):
			t.Errorf("%q is a date that no date-time has", s)
		case ok && name == "hostname" && strings.ToLower(s) == s && !strings.Contains(s, "xn--") && !Format("idn-hostname", []byte(s)):
			t.Errorf("%q is a hostname but no idn-hostname", s)
		}
	})
}

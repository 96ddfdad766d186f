package oracle

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The library reads URIs with net/url, which takes much that RFC 3986 has not:
// characters beyond ASCII, brackets in paths, two fragments. So the oracle has the
// grammar of its appendix A instead.
var uri = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:` +
	`(?://(?:(?:[\w.~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?` +
	`(?:\[(?P<literal>[^\]]*)\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)` +
	`(?::[0-9]*)?(?:/` + pchar + `*)*` +
	`|/?(?:` + pchar + `+(?:/` + pchar + `*)*)?)` +
	`(?:\?(?:` + pchar + `|[/?])*)?(?:#(?:` + pchar + `|[/?])*)?$`)

const pchar = `(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})`

var future = regexp.MustCompile(`^[vV][0-9A-Fa-f]+\.[\w.~!$&'()*+,;=:-]+$`)

var errNotURI = errors.New("no URI of RFC 3986")

func uriFormat() *jsonschema.Format {
	return &jsonschema.Format{Name: "uri", Validate: func(v any) error {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		m := uri.FindStringSubmatch(s)
		if m == nil {
			return errNotURI
		}
		if literal := m[uri.SubexpIndex("literal")]; literal != "" || strings.Contains(s, "//[]") {
			addr, err := netip.ParseAddr(literal)
			if (err != nil || !addr.Is6() || addr.Zone() != "") && !future.MatchString(literal) {
				return errNotURI
			}
		}
		return nil
	}}
}

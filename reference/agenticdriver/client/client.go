package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Version is the version of the wire protocol that this client speaks.
const Version = "1.0"

// Options configure a client.
type Options struct {
	// Token is the bearer token. It may be empty for a client that only asks for health or exchanges an invitation.
	Token string
	// TokenSource gives a token for every request, instead of Token.
	TokenSource func(context.Context) (string, error)
	// RootCAs are trusted instead of those of the system. There is no way to trust everybody.
	RootCAs *x509.CertPool
	// Fault is the id of one of Faults: the client then breaks the protocol in that way, so that a conformance suite
	// can be seen to notice it. Empty for every other use.
	Fault string
}

// Client speaks to one host. See New.
type Client struct {
	base   string // without a slash at its end
	token  func(context.Context) (string, error)
	trip   http.RoundTripper
	policy *policy
}

// New makes a client of the host at a base URL, such as https://driver.example.com or http://127.0.0.1:7433/prefix. The
// URL must be https, or http with the name localhost, 127.0.0.1 or [::1], and have no user, query or fragment:
// everything else fails with INSECURE_TRANSPORT. Nothing is sent yet.
func New(base string, o Options) (*Client, error) {
	p := newPolicy()
	if o.Fault != "" {
		if err := spoil(p, o.Fault); err != nil {
			return nil, err
		}
	}
	if err := checkBase(base); err != nil && !p.anyTarget {
		return nil, err
	}
	c := &Client{base: strings.TrimSuffix(base, "/"), token: o.TokenSource, policy: p}
	if c.token == nil {
		c.token = func(context.Context) (string, error) { return o.Token, nil }
	}
	c.trip = p.transport(newTransport(o.RootCAs))
	return c, nil
}

// newTransport makes a transport that sends every request once. A connection serves one request only: on one that is
// kept, net/http may send a request again when the host closes it.
func newTransport(roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment, // never for loopback names
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		DisableKeepAlives:      true,
		DisableCompression:     true, // bounds count the bytes that come
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// loopback are the names that may be spoken to without TLS.
var loopback = map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}

// checkBase looks at a base URL. The error does not hold it: it may name a user and a password.
func checkBase(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return fail(codeInsecure, "the base URL is no URL")
	case u.Opaque != "" || u.Hostname() == "":
		return fail(codeInsecure, "the base URL names no host")
	case u.User != nil:
		return fail(codeInsecure, "the base URL names a user; use a token")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(base, "#"):
		return fail(codeInsecure, "the base URL has a query or a fragment")
	case u.Scheme == "https", u.Scheme == "http" && loopback[strings.ToLower(u.Hostname())]:
		return nil
	case u.Scheme == "http":
		return fail(codeInsecure, "http is for localhost, 127.0.0.1 and [::1] only; use https")
	}
	return fail(codeInsecure, "the scheme of the base URL is neither https nor http")
}

// bearer gives the token for a request.
func (c *Client) bearer(ctx context.Context) (string, error) {
	token, err := c.token(ctx)
	if err != nil {
		return "", fail(codeTokenSource, "the source of tokens failed").because(err)
	}
	return token, c.checkToken(token)
}

// checkToken refuses what no host takes and what would break the header.
func (c *Client) checkToken(token string) error {
	switch {
	case c.policy.anyToken:
	case token == "":
		return fail(codeNoToken, "there is no token")
	case len(token) > maxToken:
		return fail(codeNoToken, "the token is longer than %d bytes", maxToken)
	case strings.ContainsFunc(token, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return fail(codeNoToken, "the token holds white space or a control character")
	}
	return nil
}

// errNoAnswer ends a request that has a deadline of its own.
var errNoAnswer = fmt.Errorf("no answer within %v", discoveryPatience)

// discoveryPatience bounds the requests that only ask what there is. Nothing else has a deadline but that of its
// context: runs and what belongs to them may take as long as they take.
const discoveryPatience = 10 * time.Second

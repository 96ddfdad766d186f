package tools

import (
	"context"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// startHTTP opens a session with a server over Streamable HTTP.
func startHTTP(ctx context.Context, l Launch, o Options) (Session, error) {
	client := &http.Client{Transport: &headers{base: o.Transport, values: l.Headers, host: host(l.URL)}}
	t := &mcp.StreamableClientTransport{
		Endpoint: l.URL, HTTPClient: client, MaxEventSize: -1,
		DisableStandaloneSSE: true, // nothing that a server may send unasked is used
	}
	return connect(ctx, t, o, func(context.Context) {})
}

// headers adds the launch's headers to every request to the server's own host:
// they hold secrets, and a redirect may lead elsewhere.
type headers struct {
	base   http.RoundTripper
	values map[string]string
	host   string
}

func (h *headers) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host == h.host {
		req = req.Clone(req.Context())
		for name, v := range h.values {
			req.Header.Set(name, v)
		}
	}
	return h.base.RoundTrip(req)
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

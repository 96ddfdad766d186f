package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Endpoint is where a provider is reached and how. The zero Retry makes one
// attempt only.
type Endpoint struct {
	BaseURL string
	Preset  string // the connection's preset; empty: none
	Secret  string // sent as a bearer token; empty: no Authorization header
	Client  *http.Client
	Retry   Retry
}

// dialTimeout bounds the making of a connection.
const dialTimeout = 10 * time.Second

// NewTransport makes the transport of all provider traffic. It takes nothing
// from the environment: neither proxies nor credentials.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:               nil,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        64,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     30 * time.Second,
		TLSHandshakeTimeout: dialTimeout,
	}
}

const redacted = "[redacted]"

// Scrub takes the endpoint's secret out of a text meant for others.
func (e Endpoint) Scrub(text string) string {
	if e.Secret == "" {
		return text
	}
	return strings.ReplaceAll(text, e.Secret, redacted)
}

// Get asks for path, with no retry, and decodes the JSON answer into out.
func (e Endpoint) Get(ctx context.Context, path string, out any) error {
	req, err := e.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	res, err := e.Client.Do(req)
	if err != nil {
		return TransportError(ctx, e, err)
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		return StatusError(e, res)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return TransportError(ctx, e, err)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return Errorf(Failed, "The provider's answer is not the JSON that was expected.")
	}
	return nil
}

// Post sends body as JSON to path, trying again as e.Retry says, and returns
// the answer once it is a success. The caller closes its body.
func (e Endpoint) Post(ctx context.Context, path string, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, Errorf(InvalidRequest, "The request cannot be written as JSON.")
	}
	for attempt := 0; ; attempt++ {
		req, err := e.request(ctx, http.MethodPost, path, data)
		if err != nil {
			return nil, err
		}
		var trouble error
		var asked time.Duration
		res, err := e.Client.Do(req)
		switch {
		case err != nil:
			trouble = TransportError(ctx, e, err)
			if ctx.Err() != nil {
				return nil, trouble
			}
		case res.StatusCode/100 == 2:
			return res, nil
		default:
			trouble = StatusError(e, res)
			asked = askedWait(res.Header)
			_ = res.Body.Close()
			if !retryableStatus(res.StatusCode) {
				return nil, trouble
			}
		}
		if attempt >= e.Retry.Attempts {
			return nil, trouble
		}
		if err := e.Retry.wait(ctx, attempt, asked); err != nil {
			return nil, err
		}
	}
}

func (e Endpoint) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	u, err := url.Parse(e.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, Errorf(InvalidRequest, "The connection's base URL is not an http or https URL.")
	}
	u.Path = strings.TrimRight(u.Path, "/") + path
	u.RawPath, u.Fragment = "", ""
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, Errorf(InvalidRequest, "The connection's base URL is not an http or https URL.")
	}
	if body == nil {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, text/event-stream, application/x-ndjson")
	req.Header.Set("User-Agent", "comitiva-runner")
	if e.Secret != "" {
		req.Header.Set("Authorization", "Bearer "+e.Secret)
	}
	return req, nil
}

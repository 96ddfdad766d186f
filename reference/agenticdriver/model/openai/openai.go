package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
)

// Provider is the adapter for one server.
type Provider struct {
	BaseURL string
	// Key gives the credential when a request is made; nil or an empty key: none
	// is sent.
	Key func() (string, error)
}

const (
	maxLine   = 4 << 20 // bytes of one line of a stream
	maxAnswer = 4 << 20 // bytes of a list of models, and of the text and the tool calls of one answer
)

// client follows no redirects, so that the key goes where it was meant to go
// and nowhere else, and takes no proxy from the environment.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second, MaxIdleConns: 64, MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second,
	},
}

// Models lists the server's models.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	res, err := p.do(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&list) != nil {
		return nil, failure.New("INVALID_DISCOVERY_RESPONSE", "The provider's list of models is not the JSON that was expected.")
	}
	models := []string{}
	for _, m := range list.Data {
		models = append(models, m.ID)
	}
	return models, nil
}

// Turn makes one model call.
func (p *Provider) Turn(ctx context.Context, call model.Call, sink model.Sink) (model.Turn, error) {
	body, err := json.Marshal(newRequest(call))
	if err != nil {
		return model.Turn{}, err
	}
	res, err := p.do(ctx, http.MethodPost, "/chat/completions", body)
	if err != nil {
		return model.Turn{}, err
	}
	defer res.Body.Close()
	s := stream{sink: sink}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, maxLine)
	for lines.Scan() && ctx.Err() == nil {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			if s.finish == "" {
				s.finish = "stop"
			}
			break
		}
		if err := s.chunk(data); err != nil {
			return model.Turn{}, err
		}
	}
	if err := cmp.Or(lines.Err(), ctx.Err()); err != nil {
		return model.Turn{}, trouble(ctx, err)
	}
	if s.finish == "" {
		return model.Turn{}, failure.New(protocol.ErrorCodeINVALIDPROVIDERRESPONSE, "The provider's stream ended before the answer was complete.")
	}
	return s.result()
}

func (p *Provider) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(p.BaseURL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	if p.Key != nil {
		key, err := p.Key()
		if err != nil {
			return nil, failure.New(protocol.ErrorCodeAUTHREQUIRED, "The provider's key cannot be read.")
		}
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, trouble(ctx, err)
	}
	if res.StatusCode/100 != 2 {
		_ = res.Body.Close()
		return nil, refused(res.StatusCode)
	}
	return res, nil
}

// refused is the failure that a status stands for. The provider's own words
// are not repeated: they may hold anything.
func refused(status int) error {
	switch {
	case status == http.StatusUnauthorized:
		return failure.New(protocol.ErrorCodeAUTHREQUIRED, "The provider refused the host's credentials.")
	case status == http.StatusForbidden:
		return failure.New("ACCESS_DENIED", "The provider denied access.")
	case status == http.StatusTooManyRequests:
		return failure.New(protocol.ErrorCodeRATELIMITED, "The provider limits the rate of requests.")
	case status >= 500:
		return &failure.Error{Code: "PROVIDER_UNAVAILABLE", Message: "The provider is not available.", Retryable: true}
	}
	return failure.Newf("PROVIDER_REJECTED", "The provider refused the request with status %d.", status)
}

func trouble(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, bufio.ErrTooLong) {
		return failure.New(protocol.ErrorCodeINVALIDPROVIDERRESPONSE, "The provider sent a line that is too long.")
	}
	return &failure.Error{Code: "PROVIDER_UNREACHABLE", Message: "The provider could not be reached.", Retryable: true}
}

type chunk struct {
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Delta struct {
			Content   string     `json:"content"`
			Reasoning string     `json:"reasoning_content"`
			ToolCalls []fragment `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     *int64 `json:"prompt_tokens"`
		Completion *int64 `json:"completion_tokens"`
		Input      *struct {
			Cached *int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Output *struct {
			Reasoning *int64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
}

// fragment is a piece of a tool call: pieces of one call share an index. Servers
// that know no index give every call a new id.
type fragment struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type pending struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// stream gathers one answer.
type stream struct {
	sink   model.Sink
	text   strings.Builder
	calls  []*pending
	usage  *protocol.Usage
	finish string
	size   int // bytes of text and calls
}

func (s *stream) chunk(data []byte) error {
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		return failure.New(protocol.ErrorCodeINVALIDPROVIDERRESPONSE, "The provider sent an event that is not the JSON that was expected.")
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return failure.New("PROVIDER_FAILED", "The provider reported a failure in its stream.")
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Delta.Content != "" {
			s.text.WriteString(choice.Delta.Content)
			s.sink.Text(choice.Delta.Content)
		}
		if choice.Delta.Reasoning != "" || len(choice.Delta.ToolCalls) > 0 {
			s.sink.Progress()
		}
		s.size += len(choice.Delta.Content)
		for _, f := range choice.Delta.ToolCalls {
			s.size += len(f.ID) + len(f.Function.Name) + len(f.Function.Arguments) + callSize
			s.add(f)
		}
		if s.size > maxAnswer {
			return failure.New(protocol.ErrorCodeINVALIDPROVIDERRESPONSE, "The provider's answer is too large.")
		}
		if choice.FinishReason != "" {
			s.finish = choice.FinishReason
		}
	}
	if u := c.Usage; u != nil {
		s.usage = &protocol.Usage{InputTokens: count(u.Prompt), OutputTokens: count(u.Completion)}
		if u.Input != nil {
			s.usage.CachedInputTokens = count(u.Input.Cached)
		}
		if u.Output != nil {
			s.usage.ReasoningTokens = count(u.Output.Reasoning)
		}
	}
	return nil
}

func count(n *int64) wire.Opt[int64] {
	if n == nil || *n < 0 {
		return wire.Opt[int64]{}
	}
	return wire.Some(*n)
}

// callSize stands for what the bookkeeping of a piece of a call takes, in bytes.
const callSize = 64

func (s *stream) add(f fragment) {
	var call *pending
	for _, c := range s.calls {
		if c.index == f.Index { // of several the last, see fragment
			call = c
		}
	}
	if call == nil || f.ID != "" && call.id != "" && f.ID != call.id {
		call = &pending{index: f.Index}
		s.calls = append(s.calls, call)
	}
	if call.id == "" { // some servers repeat it
		call.id = f.ID
	}
	call.name += f.Function.Name
	call.arguments.WriteString(f.Function.Arguments)
}

func (s *stream) result() (model.Turn, error) {
	t := model.Turn{Text: s.text.String(), Usage: s.usage, Length: s.finish == "length"}
	if t.Length && len(s.calls) > 0 {
		return t, failure.New(protocol.ErrorCodeTRUNCATEDTOOLCALL, "The provider's output limit cut off a tool call.")
	}
	for _, c := range s.calls {
		arguments := c.arguments.String()
		if arguments == "" {
			arguments = "{}"
		}
		t.Calls = append(t.Calls, model.ToolCall{ID: c.id, Name: c.name, Arguments: wire.Raw(arguments)})
	}
	return t, nil
}

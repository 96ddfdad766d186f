package comitiva

import (
	"unicode/utf8"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/comitiva/provider"
)

// usage sums what the model calls of a run used.
type usage struct {
	add       func(sum, call provider.Usage) provider.Usage
	sum       provider.Usage
	estimated bool
	model     string // that answered, in the provider's words
}

// count adds one model call. What the provider did not report is estimated from
// the texts; a call that failed before anything arrived is taken to have used
// nothing.
func (u *usage) count(call provider.Call, reply provider.Reply, produced int, err error) {
	if reply.Model != "" {
		u.model = reply.Model
	}
	if reply.Usage != nil {
		u.sum = u.add(u.sum, *reply.Usage)
		u.estimated = u.estimated || err != nil
		return
	}
	u.estimated = true
	if err == nil || produced > 0 {
		u.sum = u.add(u.sum, provider.Usage{Input: tokens(size(call)), Output: tokens(produced)})
	}
}

func (u *usage) event(model string) *protocol.RunUsage {
	if u.model != "" {
		model = u.model
	}
	ev := &protocol.RunUsage{InputTokens: u.sum.Input, OutputTokens: u.sum.Output, Estimated: u.estimated, Model: wire.Some(model)}
	if u.sum.CacheRead != nil {
		ev.CacheReadTokens = wire.Some(*u.sum.CacheRead)
	}
	if u.sum.CacheWrite != nil {
		ev.CacheWriteTokens = wire.Some(*u.sum.CacheWrite)
	}
	return ev
}

// charactersPerToken is a rule of thumb for the texts of language models.
const charactersPerToken = 4

func tokens(characters int) int64 {
	return int64((characters + charactersPerToken - 1) / charactersPerToken)
}

// size is how many characters the model is sent; images are not counted.
func size(call provider.Call) int {
	n := utf8.RuneCountInString(call.System)
	parts := func(parts []provider.Part) {
		for _, p := range parts {
			n += utf8.RuneCountInString(p.Text)
		}
	}
	for _, m := range call.Messages {
		parts(m.Parts)
		for _, use := range m.ToolUses {
			n += len(use.Input)
		}
		for _, r := range m.Results {
			parts(r.Parts)
		}
	}
	for _, t := range call.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

package run

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
)

// maxArtifact bounds an artifact, in bytes.
const maxArtifact = 262_144

// result makes the result out of the last turn.
func (x *execution) result(turn model.Turn) (*protocol.RunResult, error) {
	req := x.Plan.Request
	r := &protocol.RunResult{RunID: x.ID, Provider: req.Provider, Model: req.Model, Text: turn.Text, Sources: x.sources(),
		Retrieval: x.retrieval, Usage: x.usage.total, Steps: wire.Int(x.step), FinishReason: protocol.FinishReasonStop}
	if turn.Length {
		r.FinishReason = protocol.FinishReasonLength
	}
	if x.Plan.output != nil {
		text := []byte(strings.TrimSpace(turn.Text))
		isJSON := wire.Raw(text).Valid(wire.AllowRepeatedNames()) == nil
		switch policy := x.engine.Policy; {
		case isJSON && (policy.MismatchDelivered || x.Plan.output.Valid(text)):
		case !isJSON && policy.TextDelivered:
			text = wire.AppendString(nil, turn.Text)
		default:
			return nil, failure.New(protocol.ErrorCodeINVALIDOUTPUT, "The model's answer is not valid by the output schema.")
		}
		r.Output = text
	}
	if req.OutputArtifact != nil {
		artifact, err := x.artifact(r)
		if err != nil {
			return nil, err
		}
		r.Artifacts = []protocol.DraftArtifact{artifact}
	}
	if len(r.AppendJSON(nil)) > MaxFrame-frameRoom {
		return nil, failure.New(protocol.ErrorCodeOUTPUTBUFFERLIMIT, "The answer is too large.")
	}
	return r, nil
}

func (x *execution) artifact(r *protocol.RunResult) (protocol.DraftArtifact, error) {
	asked := x.Plan.Request.OutputArtifact
	content := r.Text
	if asked.MediaType == protocol.ArtifactMediaTypeApplicationJSON {
		var b bytes.Buffer
		if err := json.Compact(&b, r.Output); err != nil {
			return protocol.DraftArtifact{}, err
		}
		content = b.String()
	}
	if len(content) > maxArtifact {
		return protocol.DraftArtifact{}, failure.Newf(protocol.ErrorCodeARTIFACTTOOLARGE, "The artifact has more than %d bytes.", maxArtifact)
	}
	a := protocol.DraftArtifact{Name: asked.Name, MediaType: asked.MediaType, ID: uuid.NewString(), Content: content,
		SHA256: canonical.SHA256([]byte(content)), SourceIDs: []string{}}
	for _, s := range r.Sources {
		a.SourceIDs = append(a.SourceIDs, s.ID)
	}
	return a, nil
}

// usage adds up what the steps of a run report. A total is left out when a step
// lacks its part.
type usage struct {
	total protocol.Usage
	begun bool
}

func (u *usage) add(of *protocol.Usage) {
	var step protocol.Usage
	if of != nil {
		step = *of
		step.Extra = nil
	}
	if !u.begun {
		u.total, u.begun = step, true
		return
	}
	t := &u.total
	t.InputTokens = sum(t.InputTokens, step.InputTokens)
	t.OutputTokens = sum(t.OutputTokens, step.OutputTokens)
	t.CachedInputTokens = sum(t.CachedInputTokens, step.CachedInputTokens)
	t.ReasoningTokens = sum(t.ReasoningTokens, step.ReasoningTokens)
	t.CostUSD = sumNumbers(t.CostUSD, step.CostUSD)
	t.APIEquivalentCostUSD = sumNumbers(t.APIEquivalentCostUSD, step.APIEquivalentCostUSD)
}

func sum(a, b wire.Opt[int64]) wire.Opt[int64] {
	if !a.Set || !b.Set {
		return wire.Opt[int64]{}
	}
	return wire.Some(a.Value + b.Value)
}

func sumNumbers(a, b wire.Opt[wire.Number]) wire.Opt[wire.Number] {
	if !a.Set || !b.Set {
		return wire.Opt[wire.Number]{}
	}
	return wire.Some(wire.Float(a.Value.Float64() + b.Value.Float64()))
}

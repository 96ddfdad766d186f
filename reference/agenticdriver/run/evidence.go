package run

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
)

// gather makes the conversation that the first model call gets: history, what
// was attached, what was found, and the input.
func (x *execution) gather() error {
	req := x.Plan.Request
	for i := range x.Plan.attached {
		c := &x.Plan.attached[i]
		if c.reference == nil {
			continue
		}
		if err := c.resolve(x.engine.Config().References, x.Principal.Subject()); err != nil {
			return err
		}
		x.idle.reset()
	}
	if req.Retrieval != nil {
		if err := x.search(); err != nil {
			return err
		}
	}
	history := req.History
	if x.Turn != nil {
		history, x.native = x.Turn.History, x.Turn.Native
	}
	for _, m := range history {
		x.messages = append(x.messages, model.Message{Role: model.Role(m.Role), Content: m.Content})
	}
	x.messages = append(x.messages, x.evidence()...)
	x.messages = append(x.messages, model.Message{Role: model.User, Content: req.Input})
	return nil
}

func (x *execution) search() error {
	x.showProgress(protocol.RunProgressPhaseContext)
	x.progress = time.Time{}
	search, err := searchOf(x.Plan.Request)
	if err != nil {
		return err
	}
	if x.retrieval, err = x.engine.Retrieval.Search(x.ctx, x.Principal, search); err != nil {
		return err
	}
	if len(x.retrieval.Hits) == 0 && !x.engine.Policy.NoEvidenceRuns {
		return failure.New(protocol.ErrorCodeNORETRIEVALEVIDENCE, "Nothing was found that the run could rest on.")
	}
	x.idle.reset()
	return nil
}

// evidence is what the model is shown of attachments and passages.
func (x *execution) evidence() []model.Message {
	var text strings.Builder
	var parts []model.Part
	show := func(id, revision, title, passage string) {
		fmt.Fprintf(&text, "[source %s, revision %s", id, revision)
		if title != "" {
			fmt.Fprintf(&text, ", %s", title)
		}
		fmt.Fprintf(&text, "]\n%s\n\n", passage)
	}
	for i := range x.Plan.attached {
		c := &x.Plan.attached[i]
		if c.text() {
			show(c.manifest.ID, c.manifest.Revision, c.manifest.Title.Or(""), string(c.bytes))
			continue
		}
		parts = append(parts, model.Part{MediaType: string(c.manifest.MediaType), Data: base64.StdEncoding.EncodeToString(c.bytes)})
	}
	if x.retrieval != nil {
		for i := range x.retrieval.Hits {
			h := &x.retrieval.Hits[i]
			show(h.ChunkID, h.Source.Revision, h.Source.Title.Or(""), h.Text)
		}
	}
	if text.Len() == 0 && len(parts) == 0 {
		return nil
	}
	return []model.Message{{Role: model.User, Content: text.String(), Parts: parts}}
}

// sources lists everything that the run was given to rest on.
func (x *execution) sources() []protocol.ContextManifest {
	var list []protocol.ContextManifest
	for i := range x.Plan.attached {
		list = append(list, x.Plan.attached[i].manifest)
	}
	if x.retrieval != nil {
		for i := range x.retrieval.Hits {
			h := &x.retrieval.Hits[i]
			list = append(list, protocol.ContextManifest{ID: h.ChunkID, Revision: h.Source.Revision, Title: h.Source.Title,
				URI: h.Source.URI, Location: h.Source.Location, MediaType: "text/plain", Bytes: int64(len(h.Text)),
				SHA256: canonical.SHA256([]byte(h.Text)), Origin: protocol.ContextOriginRetrieval})
		}
	}
	return list
}

package retrieval

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// Defaults of a search.
const (
	defaultHits    = 8
	defaultContext = 65_536
)

// hit is a chunk that a query resembles.
type hit struct {
	document *document
	chunk    *protocol.Chunk
	score    float64
}

// Search finds the passages that resemble the query, best first.
func (s *Service) Search(_ context.Context, _ *config.Principal, req *protocol.RetrievalSearch) (*protocol.RetrievalResult, error) {
	query := strings.TrimSpace(req.Query)
	if query == "" && s.policy.BlankQueryAccepted {
		query = " "
	}
	if query == "" || len(query) > maxPassage || repeats(req.SourceIDs) {
		return nil, failure.New(protocol.ErrorCodeINVALIDRETRIEVAL, "The query is blank or too long, or a source is named twice.")
	}
	if s.corpora[req.Corpus] == nil {
		return nil, notFound
	}
	for _, id := range req.SourceIDs {
		if _, ok := s.revisions(req.Corpus, id); !ok {
			if s.policy.UnknownSourceTold {
				return nil, failure.New(protocol.ErrorCodeFORBIDDEN, "The source may not be used.")
			}
			return nil, notFound
		}
	}
	hits := s.rank(req, embed(query))
	result := &protocol.RetrievalResult{Corpus: req.Corpus, Index: identity, Hits: []protocol.RetrievalHit{}}
	if limit := int(req.Limit.Or(defaultHits)); len(hits) > limit && !s.policy.LimitIgnored {
		hits, result.Truncated = hits[:limit], true
	}
	left := int(req.MaxContextBytes.Or(defaultContext))
	for _, h := range hits {
		told := h.told()
		if len(told.Text) > left {
			result.Truncated = true
			if !s.policy.PassagesCut || left == 0 {
				continue
			}
			for left > 0 && !utf8.RuneStart(told.Text[left]) {
				left--
			}
			told.Text = told.Text[:left]
		}
		left -= len(told.Text)
		result.Hits = append(result.Hits, told)
	}
	return result, nil
}

// rank gives all chunks that come into question, best first.
func (s *Service) rank(req *protocol.RetrievalSearch, query []float64) []hit {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var hits []hit
	least := req.MinScore.Or(-1)
	if s.policy.MinScoreIgnored {
		least = -1
	}
	for _, d := range s.documents[req.Corpus] {
		source := &d.request.Source
		revisions, ok := s.revisions(req.Corpus, source.ID)
		if !ok || !counts(revisions, source.Revision) ||
			req.SourceIDs != nil && !slices.Contains(req.SourceIDs, source.ID) && !s.policy.SourceFilterIgnored {
			continue
		}
		for i := range d.vectors {
			if f := score(query, d.vectors[i]); f >= least {
				hits = append(hits, hit{d, &d.request.Chunks[i], f})
			}
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), canonical.CompareUTF16(a.chunk.ID, b.chunk.ID))
	})
	return hits
}

// told is the hit as callers see it: where it is in which document.
func (h *hit) told() protocol.RetrievalHit {
	source := h.document.request.Source
	location := protocol.SourceLocation{}
	if source.Location != nil {
		location = *source.Location
	}
	location.DocumentID = wire.Some(source.ID)
	if l := h.chunk.Location; l != nil {
		merge(&location.Page, l.Page)
		merge(&location.PageEnd, l.PageEnd)
		merge(&location.StartLine, l.StartLine)
		merge(&location.EndLine, l.EndLine)
		merge(&location.Section, l.Section)
		merge(&location.ThreadID, l.ThreadID)
		merge(&location.MessageID, l.MessageID)
	}
	source.Location = &location
	return protocol.RetrievalHit{ChunkID: h.chunk.ID, Ingestion: h.document.request.Ingestion, Source: source, Text: h.chunk.Text,
		Score: h.score, DocumentSHA256: h.document.digest}
}

func merge[T any](into *wire.Opt[T], from wire.Opt[T]) {
	if from.Set {
		*into = from
	}
}

func repeats(list []string) bool {
	sorted := slices.Sorted(slices.Values(list))
	return len(slices.Compact(sorted)) < len(list)
}

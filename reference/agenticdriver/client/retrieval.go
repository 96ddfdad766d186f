package client

import (
	"slices"

	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// Bounds of a search that its request does not give.
const (
	defaultHits         = 8
	defaultContextBytes = 65_536
	defaultScore        = -1
)

// bounds are those of a search.
type bounds struct {
	corpus  string
	sources []string // nil: all
	hits    int64
	bytes   int64
	score   float64
}

func boundsOfSearch(q *agenticdriver.RetrievalSearch) bounds {
	return bounds{q.Corpus, q.SourceIDs, q.Limit.Or(defaultHits), q.MaxContextBytes.Or(defaultContextBytes), q.MinScore.Or(defaultScore)}
}

func boundsOfRun(q *agenticdriver.RunRetrieval) bounds {
	return bounds{q.Corpus, q.SourceIDs, q.Limit.Or(defaultHits), q.MaxContextBytes.Or(defaultContextBytes), q.MinScore.Or(defaultScore)}
}

// hits holds what was found to the bounds of the search.
func (i insist) hits(b bounds, v *agenticdriver.RetrievalResult) error {
	total, ids := 0, make(map[string]bool)
	for n := range v.Hits {
		h := &v.Hits[n]
		total += len(h.Text)
		ids[h.ChunkID] = true
		err := first(
			i.on(RuleRetrieval, b.sources == nil || slices.Contains(b.sources, h.Source.ID), "hit %d is of a source that was not asked for", n),
			i.on(RuleRetrieval, h.Score >= b.score, "hit %d has a score below the one asked for", n),
		)
		if err == nil && h.Ingestion != nil {
			err = i.manifest(h.Ingestion)
		}
		if err != nil {
			return err
		}
	}
	return first(
		i.on(RuleRetrieval, v.Corpus == b.corpus, "the answer is about another corpus"),
		i.on(RuleRetrieval, int64(len(v.Hits)) <= b.hits, "there are %d hits, the limit is %d", len(v.Hits), b.hits),
		i.on(RuleRetrieval, int64(total) <= b.bytes, "the passages have %d bytes, the limit is %d", total, b.bytes),
		i.on(RuleRetrieval, len(ids) == len(v.Hits), "a passage was found twice"),
	)
}

// indexed holds the answer to indexing to its request.
func (i insist) indexed(q *agenticdriver.RetrievalIndexRequest, v *agenticdriver.RetrievalIndexResult) error {
	same := v.Corpus == q.Corpus && v.SourceID == q.Source.ID && v.Revision == q.Source.Revision
	err := first(
		i.on(RuleRetrieval, same, "another document was indexed"),
		i.on(RuleRetrieval, v.Chunks == int64(len(q.Chunks)), "%d chunks were indexed, %d were sent", v.Chunks, len(q.Chunks)),
	)
	if err != nil || v.Ingestion == nil {
		return err
	}
	return first(
		i.on(RuleRetrieval, v.Ingestion.Chunks == v.Chunks, "the manifest tells %d chunks, the answer %d", v.Ingestion.Chunks, v.Chunks),
		i.manifest(v.Ingestion),
	)
}

// ingested holds the answer to an ingestion to its request.
func (i insist) ingested(q *agenticdriver.IngestRequest, v *agenticdriver.IngestResult) error {
	id, revision := sourceOf(q.Document)
	return first(
		i.on(RuleRetrieval, v.Corpus == q.Corpus && v.SourceID == id && v.Revision == revision, "another document was ingested"),
		i.on(RuleRetrieval, v.Ingestion.Chunks == v.Chunks, "the manifest tells %d chunks, the answer %d", v.Ingestion.Chunks, v.Chunks),
		i.manifest(&v.Ingestion),
	)
}

func sourceOf(d agenticdriver.Document) (id, revision string) {
	switch s := d.(type) {
	case *agenticdriver.TextDocument:
		return s.Source.ID, s.Source.Revision
	case *agenticdriver.PDFDocument:
		return s.Source.ID, s.Source.Revision
	case *agenticdriver.EmailDocument:
		return s.Source.ID, s.Source.Revision
	case *agenticdriver.ReferenceDocument:
		return s.ID, s.Revision
	}
	return "", ""
}

// manifest holds what an ingestion says of itself together.
func (i insist) manifest(m *agenticdriver.IngestionManifest) error {
	return first(
		i.on(RuleRetrieval, m.IndexedTextBytes >= 1 && m.IndexedTextBytes <= m.ExtractedTextBytes, "the manifest indexes %d bytes of %d", m.IndexedTextBytes, m.ExtractedTextBytes),
		i.on(RuleRetrieval, (m.Pages != nil) == (m.Format == agenticdriver.DocumentFormatPDF), "a manifest has pages exactly for a PDF"),
		i.on(RuleRetrieval, (m.Messages != nil) == (m.Format == agenticdriver.DocumentFormatEmail), "a manifest has messages exactly for an email"),
		i.pages(m),
		i.messages(m),
	)
}

func (i insist) pages(m *agenticdriver.IngestionManifest) error {
	if m.Pages == nil {
		return i.on(RuleRetrieval, m.OCRExtractor == nil, "only pages are read by OCR")
	}
	p := m.Pages
	empty := int64(len(p.Empty))
	return first(
		i.on(RuleRetrieval, empty < p.Total && m.Chunks >= p.Total-empty, "%d pages of which %d are empty do not make %d chunks", p.Total, empty, m.Chunks),
		i.on(RuleRetrieval, numbered(p.Empty, p.Total) && numbered(p.OCR, p.Total), "a page is named twice or is not there"),
		i.on(RuleRetrieval, (m.OCRExtractor != nil) == (len(p.OCR) > 0), "a manifest names an OCR extractor exactly if pages were read by OCR"),
	)
}

// numbered tells whether numbers are unique and at most total.
func numbered(list []int64, total int64) bool {
	seen := make(map[int64]bool)
	for _, n := range list {
		if n > total || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

func (i insist) messages(m *agenticdriver.IngestionManifest) error {
	if m.Messages == nil {
		return nil
	}
	total, empty := m.Messages.Total, m.Messages.Empty
	return i.on(RuleRetrieval, empty < total && m.Chunks >= total-empty, "%d messages of which %d are empty do not make %d chunks", total, empty, m.Chunks)
}

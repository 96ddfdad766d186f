package retrieval

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/store"
)

const tables = `
CREATE TABLE IF NOT EXISTS documents (
	corpus TEXT NOT NULL, source TEXT NOT NULL, revision TEXT NOT NULL, digest TEXT NOT NULL, document TEXT NOT NULL,
	PRIMARY KEY (corpus, source, revision))`

// Bounds of the whole store.
const (
	maxStoredChunks = 20_000
	maxStoredBytes  = 134_217_728
)

// Service holds the documents of a host. They are in memory, and in the
// database for the next process.
type Service struct {
	db         *store.DB
	corpora    map[string]*config.Corpus
	references []config.Reference
	pdf        bool
	policy     *policy.Policy

	mu        sync.RWMutex
	documents map[string][]*document // by corpus
	chunks    int
	bytes     int
}

// document is a document as it is kept.
type document struct {
	request protocol.RetrievalIndexRequest
	digest  string
	vectors [][]float64
}

// NewService makes a service and reads what the database has.
func NewService(db *store.DB, doc *config.Document, pdf bool, p *policy.Policy) (*Service, error) {
	s := &Service{db: db, corpora: map[string]*config.Corpus{}, references: doc.References, pdf: pdf, policy: p, documents: map[string][]*document{}}
	for i := range doc.Corpora {
		s.corpora[doc.Corpora[i].ID] = &doc.Corpora[i]
	}
	if err := db.Create(tables); err != nil {
		return nil, err
	}
	rows, err := db.Query(`SELECT digest, document FROM documents`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var digest, text string
		if err := rows.Scan(&digest, &text); err != nil {
			return nil, err
		}
		req, err := protocol.DecodeRetrievalIndexRequest([]byte(text))
		if err != nil {
			return nil, err
		}
		s.add(newDocument(req, digest))
	}
	return s, rows.Err()
}

func newDocument(req protocol.RetrievalIndexRequest, digest string) *document {
	d := &document{request: req, digest: digest}
	for i := range req.Chunks {
		d.vectors = append(d.vectors, embed(req.Chunks[i].Text))
	}
	return d
}

func (d *document) size() (n int) {
	for i := range d.request.Chunks {
		n += len(d.request.Chunks[i].Text)
	}
	return n
}

// add keeps a document in memory.
func (s *Service) add(d *document) {
	s.documents[d.request.Corpus] = append(s.documents[d.request.Corpus], d)
	s.chunks += len(d.request.Chunks)
	s.bytes += d.size()
}

// drop forgets the documents of a source.
func (s *Service) drop(corpus, source string) {
	s.documents[corpus] = slices.DeleteFunc(s.documents[corpus], func(d *document) bool {
		if d.request.Source.ID != source {
			return false
		}
		s.chunks -= len(d.request.Chunks)
		s.bytes -= d.size()
		return true
	})
}

// find gives the document of a source; nil if there is none.
func (s *Service) find(corpus, source string) *document {
	for _, d := range s.documents[corpus] {
		if d.request.Source.ID == source {
			return d
		}
	}
	return nil
}

var notFound = failure.New(protocol.ErrorCodeCONTEXTNOTFOUND, "There is no such corpus, source or revision.")

// revisions gives the revisions of a source that count; of several names with a
// * the longest decides. ok is false for a source that may not be used.
func (s *Service) revisions(corpus, source string) (list []string, ok bool) {
	c := s.corpora[corpus]
	if c == nil {
		return nil, false
	}
	if list, ok = c.Sources[source]; ok {
		return list, true
	}
	longest := -1
	for name, revisions := range c.Sources {
		if start, wild := strings.CutSuffix(name, "*"); wild && strings.HasPrefix(source, start) && len(start) > longest {
			list, ok, longest = revisions, true, len(start)
		}
	}
	return list, ok
}

func (s *Service) mayWrite(corpus, source, revision string) error {
	list, ok := s.revisions(corpus, source)
	if !ok && s.policy.UnknownSourceTold {
		return failure.New(protocol.ErrorCodeFORBIDDEN, "The source may not be used.")
	}
	if !ok || !counts(list, revision) {
		return notFound
	}
	return nil
}

func counts(revisions []string, revision string) bool {
	return slices.Contains(revisions, "*") || slices.Contains(revisions, revision)
}

// Index keeps a document that comes in pieces.
func (s *Service) Index(req *protocol.RetrievalIndexRequest) (*protocol.RetrievalIndexResult, error) {
	if err := check(req); err != nil {
		return nil, err
	}
	if err := s.mayWrite(req.Corpus, req.Source.ID, req.Source.Revision); err != nil {
		return nil, err
	}
	return s.put(req)
}

// put keeps a document in place of the one before it.
func (s *Service) put(req *protocol.RetrievalIndexRequest) (*protocol.RetrievalIndexResult, error) {
	digest, err := s.digest(req)
	if err != nil {
		return nil, err
	}
	result := &protocol.RetrievalIndexResult{Corpus: req.Corpus, Ingestion: req.Ingestion, SourceID: req.Source.ID,
		Revision: req.Source.Revision, DocumentSHA256: digest, Chunks: int64(len(req.Chunks)), Status: protocol.IndexStatusIndexed}
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.find(req.Corpus, req.Source.ID)
	if had != nil && had.request.Source.Revision == req.Source.Revision {
		if had.digest == digest {
			result.Status = protocol.IndexStatusUnchanged
			return result, nil
		}
		if !s.policy.SourceOverwritten {
			return nil, failure.New(protocol.ErrorCodeSOURCECONFLICT, "The revision was indexed with other content.")
		}
	}
	next := newDocument(*req, digest)
	if err := s.room(next, had); err != nil {
		return nil, err
	}
	if err := s.save(next); err != nil {
		return nil, failure.New(protocol.ErrorCodeINTERNALERROR, "The document could not be kept.")
	}
	if !s.policy.RevisionsPileUp {
		s.drop(req.Corpus, req.Source.ID)
	}
	s.add(next)
	return result, nil
}

// room checks what a document would be in the way of.
func (s *Service) room(next, had *document) error {
	ids := map[string]bool{}
	for i := range next.request.Chunks {
		ids[next.request.Chunks[i].ID] = true
	}
	for _, d := range s.documents[next.request.Corpus] {
		for i := range d.request.Chunks {
			if d != had && d.request.Source.ID != next.request.Source.ID && ids[d.request.Chunks[i].ID] {
				return failure.New(protocol.ErrorCodeCHUNKCONFLICT, "Another source has a chunk of this id.")
			}
		}
	}
	chunks, size := s.chunks+len(next.request.Chunks), s.bytes+next.size()
	if had != nil {
		chunks, size = chunks-len(had.request.Chunks), size-had.size()
	}
	if chunks > maxStoredChunks || size > maxStoredBytes {
		return failure.New(protocol.ErrorCodeINDEXFULL, "The index is full.")
	}
	return nil
}

func (s *Service) save(d *document) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	_, err = tx.Exec(`DELETE FROM documents WHERE corpus = ? AND source = ?`, d.request.Corpus, d.request.Source.ID)
	if err == nil {
		_, err = tx.Exec(`INSERT INTO documents VALUES (?, ?, ?, ?, ?)`, d.request.Corpus, d.request.Source.ID,
			d.request.Source.Revision, d.digest, string(d.request.AppendJSON(nil)))
	}
	if err != nil {
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// digest is that of the document with all that is told of it.
func (s *Service) digest(req *protocol.RetrievalIndexRequest) (string, error) {
	if s.policy.DigestOfTexts {
		var all strings.Builder
		for i := range req.Chunks {
			all.WriteString(req.Chunks[i].Text)
		}
		return canonical.SHA256([]byte(all.String())), nil
	}
	var members wire.Members
	if err := json.Unmarshal(req.AppendJSON(nil), &members); err != nil {
		return "", err
	}
	members = slices.DeleteFunc(members, func(m wire.Member) bool { return m.Name == "corpus" })
	return canonical.Digest(append(wire.AppendMembers([]byte{'{'}, members), '}'))
}

// Delete forgets a document of exactly that revision.
func (s *Service) Delete(req *protocol.RetrievalDelete) (*protocol.RetrievalDeleteResult, error) {
	if err := s.mayWrite(req.Corpus, req.SourceID, req.Revision); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	result := &protocol.RetrievalDeleteResult{Corpus: req.Corpus, SourceID: req.SourceID, Revision: req.Revision}
	had := s.find(req.Corpus, req.SourceID)
	switch {
	case had == nil:
		return result, nil
	case had.request.Source.Revision != req.Revision && !s.policy.DeleteAnyRevision:
		return nil, failure.New(protocol.ErrorCodeSOURCECONFLICT, "Another revision of the source is indexed.")
	}
	if _, err := s.db.Exec(`DELETE FROM documents WHERE corpus = ? AND source = ?`, req.Corpus, req.SourceID); err != nil {
		return nil, failure.New(protocol.ErrorCodeINTERNALERROR, "The document could not be deleted.")
	}
	s.drop(req.Corpus, req.SourceID)
	result.Deleted = true
	return result, nil
}

// Bounds of texts in the index.
const (
	maxPassage = 16_384 // bytes of a chunk or a query
)

// check checks what the schema of an index request cannot say.
func check(req *protocol.RetrievalIndexRequest) error {
	invalid := func(text string) error { return failure.New(protocol.ErrorCodeINVALIDRETRIEVAL, text) }
	if err := run.CheckSource(&req.Source, protocol.ErrorCodeINVALIDRETRIEVAL); err != nil {
		return err
	}
	if other(req.Source.Location, req.Source.ID) {
		return invalid("The source's location names another document.")
	}
	ids, total := map[string]bool{}, 0
	for i := range req.Chunks {
		c := &req.Chunks[i]
		if err := run.CheckLocation(c.Location, protocol.ErrorCodeINVALIDRETRIEVAL); err != nil {
			return err
		}
		total += len(c.Text)
		switch {
		case ids[c.ID]:
			return invalid("Two chunks have the same id.")
		case blank(c.Text):
			return invalid("A chunk is blank.")
		case len(c.Text) > maxPassage:
			return invalid("A chunk is too long.")
		case other(c.Location, req.Source.ID):
			return invalid("A chunk's location names another document.")
		}
		ids[c.ID] = true
	}
	if total > maxText {
		return invalid("The document is too long.")
	}
	if m := req.Ingestion; m != nil {
		return checkManifest(m, req.Chunks, total)
	}
	return nil
}

func other(l *protocol.SourceLocation, source string) bool {
	return l != nil && l.DocumentID.Set && l.DocumentID.Value != source
}

// checkManifest checks a manifest against itself and the chunks it tells of.
func checkManifest(m *protocol.IngestionManifest, chunks []protocol.Chunk, total int) error {
	ok := m.Chunks == int64(len(chunks)) && m.IndexedTextBytes == int64(total) && m.IndexedTextBytes >= 1 &&
		m.IndexedTextBytes <= m.ExtractedTextBytes &&
		(m.Pages != nil) == (m.Format == protocol.DocumentFormatPDF) && (m.Messages != nil) == (m.Format == protocol.DocumentFormatEmail)
	for i := range chunks {
		ok = ok && int64(len(chunks[i].Text)) <= m.Chunker.MaxBytes
	}
	if ok && m.Pages != nil {
		ok = int64(len(m.Pages.Empty)) < m.Pages.Total && m.Chunks >= m.Pages.Total-int64(len(m.Pages.Empty)) &&
			distinct(m.Pages.OCR, m.Pages.Total) && distinct(m.Pages.Empty, m.Pages.Total) && (m.OCRExtractor != nil) == (len(m.Pages.OCR) > 0)
	}
	if ok && m.Messages != nil {
		ok = m.Messages.Empty < m.Messages.Total && m.Chunks >= m.Messages.Total-m.Messages.Empty
	}
	if !ok {
		return failure.New(protocol.ErrorCodeINVALIDRETRIEVAL, "The ingestion manifest does not fit the chunks or itself.")
	}
	return nil
}

func distinct(pages []int64, total int64) bool {
	seen := map[int64]bool{}
	for _, p := range pages {
		if p > total || seen[p] {
			return false
		}
		seen[p] = true
	}
	return true
}

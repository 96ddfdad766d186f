package retrieval

import (
	"context"
	"strings"
	"unicode/utf8"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// Bounds of documents.
const (
	maxChunkBytes = 2048      // of text in a chunk, unless asked for less
	maxChunks     = 256       // of a document
	maxText       = 1_048_576 // bytes of text of a document
	maxDocument   = 8 << 20   // bytes of a document
)

// extracted is a document as text.
type extracted struct {
	source   protocol.Source
	manifest protocol.IngestionManifest
	input    []byte
	segments []segment
}

// Ingest extracts, cuts and indexes a document.
func (s *Service) Ingest(ctx context.Context, p *config.Principal, req *protocol.IngestRequest) (*protocol.IngestResult, error) {
	source := sourceOf(req.Document)
	if err := s.mayWrite(req.Corpus, source.ID, source.Revision); err != nil {
		return nil, err
	}
	doc, err := s.extract(ctx, p, req.Document)
	if err != nil {
		return nil, err
	}
	maxBytes := int64(maxChunkBytes)
	if req.Chunking != nil {
		maxBytes = min(maxBytes, req.Chunking.MaxBytes)
	}
	if s.policy.MessagesMerged {
		doc.merge()
	}
	chunks := cut(doc.source.ID, doc.segments, int(maxBytes), s.policy)
	if len(chunks) == 0 && s.policy.EmptyIndexed {
		location := &protocol.SourceLocation{StartLine: wire.Some[int64](1), EndLine: wire.Some[int64](1)}
		chunks = []protocol.Chunk{{ID: chunkID(doc.source.ID, location, "(empty)", 0), Text: "(empty)", Location: location}}
	}
	switch {
	case len(chunks) == 0:
		return nil, failure.New(protocol.ErrorCodeEMPTYDOCUMENT, "There is no text in the document.")
	case len(chunks) > maxChunks:
		return nil, failure.Newf(protocol.ErrorCodeDOCUMENTLIMIT, "The document has more than %d chunks.", maxChunks)
	}
	if s.policy.SectionsUnnamed {
		for i := range chunks {
			chunks[i].Location.Section = wire.Opt[string]{}
		}
	}
	m := &doc.manifest
	m.InputSHA256, m.InputBytes = canonical.SHA256(doc.input), int64(len(doc.input))
	m.Chunker.MaxBytes, m.Chunks = maxBytes, int64(len(chunks))
	for _, seg := range doc.segments {
		m.ExtractedTextBytes += int64(len(seg.text))
	}
	for i := range chunks {
		m.IndexedTextBytes += int64(len(chunks[i].Text))
	}
	if s.policy.EmptyIndexed {
		m.ExtractedTextBytes = max(m.ExtractedTextBytes, m.IndexedTextBytes)
	}
	if err := s.mayWrite(req.Corpus, source.ID, source.Revision); err != nil {
		return nil, err
	}
	r, err := s.put(&protocol.RetrievalIndexRequest{Corpus: req.Corpus, Ingestion: m, Source: doc.source, Chunks: chunks})
	if err != nil {
		return nil, err
	}
	return &protocol.IngestResult{Corpus: r.Corpus, Ingestion: *m, SourceID: r.SourceID, Revision: r.Revision,
		DocumentSHA256: r.DocumentSHA256, Chunks: r.Chunks, Status: r.Status}, nil
}

func sourceOf(d protocol.Document) protocol.Source {
	switch d := d.(type) {
	case *protocol.TextDocument:
		return d.Source
	case *protocol.EmailDocument:
		return d.Source
	case *protocol.PDFDocument:
		return d.Source
	case *protocol.ReferenceDocument:
		return protocol.Source{ID: d.ID, Revision: d.Revision}
	}
	return protocol.Source{}
}

func (s *Service) extract(ctx context.Context, p *config.Principal, d protocol.Document) (*extracted, error) {
	doc := &extracted{source: sourceOf(d)}
	if err := run.CheckSource(&doc.source, protocol.ErrorCodeINVALIDRETRIEVAL); err != nil {
		return nil, err
	}
	switch d := d.(type) {
	case *protocol.TextDocument:
		return doc, s.extractText(doc, string(d.MediaType), d.Text)
	case *protocol.EmailDocument:
		return doc, s.extractEmail(doc, d)
	case *protocol.PDFDocument:
		data, err := run.Binary(d.Data, d.MediaType())
		if err != nil {
			return nil, failure.New(protocol.ErrorCodeINVALIDDOCUMENT, failure.Of(err).Message)
		}
		return doc, s.extractPDF(ctx, doc, data)
	case *protocol.ReferenceDocument:
		return s.extractReference(ctx, doc, p, d)
	}
	return nil, failure.New(protocol.ErrorCodeUNSUPPORTEDINGESTION, "The host does not ingest documents of this kind.")
}

// clean refuses what is no text, and gives the rest with LF as line ends.
func (s *Service) clean(text string) (string, error) {
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return "", failure.New(protocol.ErrorCodeINVALIDDOCUMENT, "The document holds what is no text.")
	}
	if len(text) > maxText {
		return "", failure.Newf(protocol.ErrorCodeDOCUMENTLIMIT, "The document has more than %d bytes of text.", maxText)
	}
	if s.policy.CarriageReturnsKept {
		return text, nil
	}
	return normalise(text), nil
}

func (s *Service) extractText(doc *extracted, mediaType, text string) error {
	clean, err := s.clean(text)
	if err != nil {
		return err
	}
	doc.input = []byte(text)
	if s.policy.DigestOfNormalised {
		doc.input = []byte(clean)
	}
	line := int64(1)
	if l := doc.source.Location; l != nil {
		line += l.StartLine.Or(1) - 1
	}
	if mediaType == "text/markdown" {
		doc.manifest.Format, doc.manifest.Extractor = protocol.DocumentFormatMarkdown, protocol.Extractor{ID: "markdown-sections", Version: "1"}
		doc.segments = sections(clean, line, protocol.SourceLocation{})
		return nil
	}
	doc.manifest.Format, doc.manifest.Extractor = protocol.DocumentFormatText, protocol.Extractor{ID: "plain-text", Version: "1"}
	doc.segments = []segment{{text: clean, line: line}}
	return nil
}

func (s *Service) extractEmail(doc *extracted, d *protocol.EmailDocument) error {
	counts := &protocol.IngestionManifestMessages{Total: int64(len(d.Messages))}
	doc.manifest.Format, doc.manifest.Extractor = protocol.DocumentFormatEmail, protocol.Extractor{ID: "email-plain-text", Version: "1"}
	doc.manifest.Messages = counts
	b := append(wire.AppendString([]byte(`{"threadId":`), d.ThreadID), `,"messages":[`...)
	total := 0
	for i := range d.Messages {
		m := &d.Messages[i]
		text, err := s.clean(m.Text)
		if err != nil {
			return err
		}
		if total += len(text); total > maxText {
			return failure.Newf(protocol.ErrorCodeDOCUMENTLIMIT, "The document has more than %d bytes of text.", maxText)
		}
		if blank(text) {
			counts.Empty++
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(append(b, `{"id":`...), m.ID), `,"text":`...)
		b = append(wire.AppendString(b, m.Text), '}')
		doc.segments = append(doc.segments, segment{text: text, line: 1,
			location: protocol.SourceLocation{ThreadID: wire.Some(d.ThreadID), MessageID: wire.Some(m.ID)}})
	}
	doc.input = append(b, "]}"...)
	return nil
}

func (s *Service) extractPDF(ctx context.Context, doc *extracted, data []byte) error {
	switch {
	case !s.pdf && s.policy.PDFAsText:
		return s.extractText(doc, "text/plain", strings.ToValidUTF8(strings.ReplaceAll(string(data), "\x00", ""), ""))
	case !s.pdf:
		return failure.New(protocol.ErrorCodePDFEXTRACTORREQUIRED, "The host extracts no text of PDF documents.")
	case len(data) > maxDocument:
		return failure.Newf(protocol.ErrorCodeDOCUMENTLIMIT, "The document has more than %d bytes.", maxDocument)
	}
	list, err := pages(ctx, data)
	if err != nil {
		return err
	}
	doc.input = data
	doc.manifest.Format, doc.manifest.Extractor = protocol.DocumentFormatPDF, protocol.Extractor{ID: "pdf-text", Version: "1"}
	doc.manifest.Pages = &protocol.IngestionManifestPages{Total: int64(len(list)), OCR: []int64{}, Empty: []int64{}}
	first := int64(1)
	if l := doc.source.Location; l != nil {
		first = l.Page.Or(1)
	}
	total := 0
	for i, page := range list {
		text, err := s.clean(strings.ReplaceAll(strings.ToValidUTF8(page, "\ufffd"), "\x00", ""))
		if err != nil {
			return err
		}
		if blank(text) {
			return failure.New(protocol.ErrorCodeOCRREQUIRED, "A page of the PDF document has no text, and the host reads no images.")
		}
		if total += len(text); total > maxText {
			return failure.Newf(protocol.ErrorCodeDOCUMENTLIMIT, "The document has more than %d bytes of text.", maxText)
		}
		number := wire.Some(first + int64(i))
		doc.segments = append(doc.segments, segment{text: text, line: 1, location: protocol.SourceLocation{Page: number, PageEnd: number}})
	}
	if len(list) == 0 {
		return failure.New(protocol.ErrorCodeEMPTYDOCUMENT, "There are no pages in the document.")
	}
	return nil
}

// extractReference extracts a document that the host has already.
func (s *Service) extractReference(ctx context.Context, doc *extracted, p *config.Principal, d *protocol.ReferenceDocument) (*extracted, error) {
	r, err := run.Resolve(s.references, p.Subject(), &protocol.ReferenceAttachment{ID: d.ID, Revision: d.Revision,
		MediaType: protocol.InputMediaType(d.MediaType)})
	if err != nil {
		return nil, err
	}
	doc.source = run.SourceOf(r)
	if d.MediaType == "application/pdf" {
		return doc, s.extractPDF(ctx, doc, r.Content())
	}
	return doc, s.extractText(doc, string(d.MediaType), string(r.Content()))
}

// merge makes one segment of all.
func (d *extracted) merge() {
	if d.manifest.Format != protocol.DocumentFormatEmail {
		return
	}
	one := d.segments[0]
	for _, s := range d.segments[1:] {
		one.text += s.text
	}
	d.segments = []segment{one}
}

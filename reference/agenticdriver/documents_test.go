package agenticdriver

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
)

func quoted(text string) string { return string(wire.AppendString(nil, text)) }

// index is the body of an index request; more are further members.
func index(source, revision string, chunks string, more ...string) string {
	return fmt.Sprintf(`{"corpus":"docs","source":{"id":%q,"revision":%q},"chunks":[%s]%s}`, source, revision, chunks, strings.Join(append([]string{""}, more...), ","))
}

// ingest is the body of an ingestion.
func ingest(document string, more ...string) string {
	return fmt.Sprintf(`{"corpus":"docs","document":%s%s}`, document, strings.Join(append([]string{""}, more...), ","))
}

func textDocument(source, mediaType, text string) string {
	return fmt.Sprintf(`{"type":"text","source":{"id":%q,"revision":"1"},"mediaType":%q,"text":%s}`, source, mediaType, quoted(text))
}

func search(h *host, token, query string, more ...string) protocol.RetrievalResult {
	h.t.Helper()
	return post(h, protocol.DecodeRetrievalResult, "/v1/retrieval/search", token,
		fmt.Sprintf(`{"corpus":"docs","query":%s%s}`, quoted(query), strings.Join(append([]string{""}, more...), ",")))
}

func hitIDs(r protocol.RetrievalResult) string {
	var ids []string
	for _, h := range r.Hits {
		ids = append(ids, h.ChunkID)
	}
	return strings.Join(ids, " ")
}

// The digest was computed in JavaScript.
func TestDigestOfADocumentCoversAllThatIsToldOfIt(t *testing.T) {
	h := start(t, Options{})
	body := "{\"corpus\":\"docs\",\"source\":{\"title\":\"T <1>\",\"revision\":\"1\",\"id\":\"guide\"},\"chunks\":[{\"text\":\"one\u2028two\",\"id\":\"c1\",\"location\":{\"endLine\":2.0,\"startLine\":1}},{\"id\":\"c2\",\"text\":\"three\"}]}"
	first := post(h, protocol.DecodeRetrievalIndexResult, "/v1/retrieval/index", alice, body)
	if first.DocumentSHA256 != "1d196c2c1f57b7b7ac0a9115a1cbff63c9aa5a03fef58d0f7be1030d45fc71c0" || first.Status != protocol.IndexStatusIndexed {
		t.Errorf("got %s", first.AppendJSON(nil))
	}
	again := post(h, protocol.DecodeRetrievalIndexResult, "/v1/retrieval/index", alice, body)
	if again.DocumentSHA256 != first.DocumentSHA256 || again.Status != protocol.IndexStatusUnchanged {
		t.Errorf("got %s", again.AppendJSON(nil))
	}
	h.refused("SOURCE_CONFLICT", "/v1/retrieval/index", alice, strings.Replace(body, "T <1>", "T <2>", 1))
}

func TestSearchRanksAndCutsOff(t *testing.T) {
	h := start(t, Options{})
	post(h, protocol.DecodeRetrievalIndexResult, "/v1/retrieval/index", alice, index("guide", "1",
		`{"id":"b","text":"alpha beta"},{"id":"a","text":"beta alpha"},{"id":"c","text":"alpha `+strings.Repeat("gamma ", 30)+`"},{"id":"d","text":"delta"}`))
	post(h, protocol.DecodeRetrievalIndexResult, "/v1/retrieval/index", alice, index("faq", "1", `{"id":"e","text":"alpha"}`))
	tests := []struct {
		name, more, want string
		truncated        bool
	}{
		{"best first, equals by id", `"limit":4`, "e a b c", true},
		{"all", `"limit":16`, "e a b c d", false},
		{"a longer passage is passed over, a shorter one after it is not", `"limit":16,"maxContextBytes":30`, "e a b d", true},
		{"least score", `"minScore":0.5`, "e a b", false},
		{"one source", `"sourceIds":["guide"],"minScore":0.5`, "a b", false},
		{"nothing", `"minScore":1,"sourceIds":["guide"]`, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := search(h, alice, " alpha ", tt.more)
			if hitIDs(r) != tt.want || r.Truncated != tt.truncated {
				t.Errorf("got %s, truncated %v", hitIDs(r), r.Truncated)
			}
		})
	}
	for _, body := range []string{`{"corpus":"docs","query":" \t"}`, `{"corpus":"docs","query":"a","limit":17}`, `{"corpus":"docs","query":"a","sourceIds":["guide","guide"]}`,
		`{"corpus":"docs","query":"` + strings.Repeat("é", 8193) + `"}`} {
		h.refused("INVALID_RETRIEVAL", "/v1/retrieval/search", alice, body)
	}
	h.refused("CONTEXT_NOT_FOUND", "/v1/retrieval/search", alice, `{"corpus":"docs","query":"a","sourceIds":["unknown"]}`)
	h.refused("FORBIDDEN", "/v1/retrieval/search", alice, `{"corpus":"private","query":"a"}`)
}

func TestANewRevisionReplacesTheOldOne(t *testing.T) {
	h := start(t, Options{})
	for _, revision := range []string{"1", "2"} {
		post(h, protocol.DecodeRetrievalIndexResult, "/v1/retrieval/index", alice, index("guide", revision, `{"id":"c","text":"text of `+revision+`"}`))
	}
	if r := search(h, alice, "text"); len(r.Hits) != 1 || r.Hits[0].Source.Revision != "2" || r.Hits[0].Source.Location.DocumentID.Value != "guide" {
		t.Errorf("got %s", r.AppendJSON(nil))
	}
	h.refused("CHUNK_CONFLICT", "/v1/retrieval/index", alice, index("faq", "1", `{"id":"c","text":"other"}`))
	h.refused("SOURCE_CONFLICT", "/v1/retrieval/delete", alice, `{"corpus":"docs","sourceId":"guide","revision":"1"}`)
	for _, want := range []bool{true, false} {
		if r := post(h, protocol.DecodeRetrievalDeleteResult, "/v1/retrieval/delete", alice, `{"corpus":"docs","sourceId":"guide","revision":"2"}`); r.Deleted != want {
			t.Errorf("deleted: %v, want %v", r.Deleted, want)
		}
	}
	h.refused("CONTEXT_NOT_FOUND", "/v1/retrieval/index", alice, index("guide", "9", `{"id":"c","text":"x"}`))
}

func TestWhatAnIndexRequestMayNotSay(t *testing.T) {
	h := start(t, Options{})
	manifest := func(text string) string {
		return `"ingestion":{"format":"text","extractor":{"id":"plain-text","version":"1"},"chunker":{"id":"source-lines-v1","maxBytes":128},"inputSha256":"` +
			strings.Repeat("0", 64) + `","inputBytes":4,` + text + `}`
	}
	good := manifest(`"extractedTextBytes":4,"indexedTextBytes":4,"chunks":1`)
	post(h, protocol.DecodeRetrievalIndexResult, "/v1/retrieval/index", alice, index("open-good", "1", `{"id":"good","text":"text"}`, good))
	for name, body := range map[string]string{
		"two chunks of one id":              index("guide", "1", `{"id":"c","text":"a"},{"id":"c","text":"b"}`),
		"a blank chunk":                     index("guide", "1", `{"id":"c","text":" \u2003\ufeff"}`),
		"a chunk that is too long":          index("guide", "1", `{"id":"c","text":"`+strings.Repeat("é", 8193)+`"}`),
		"an end without a beginning":        index("guide", "1", `{"id":"c","text":"a","location":{"endLine":2}}`),
		"an end before the beginning":       index("guide", "1", `{"id":"c","text":"a","location":{"page":3,"pageEnd":2}}`),
		"another document":                  index("guide", "1", `{"id":"c","text":"a","location":{"documentId":"faq"}}`),
		"credentials in the uri":            `{"corpus":"docs","source":{"id":"guide","revision":"1","uri":"https://user:pass@h/"},"chunks":[{"id":"c","text":"a"}]}`,
		"a relative uri":                    `{"corpus":"docs","source":{"id":"guide","revision":"1","uri":"guide.html"},"chunks":[{"id":"c","text":"a"}]}`,
		"a manifest of more chunks":         index("guide", "1", `{"id":"c","text":"text"}`, manifest(`"extractedTextBytes":4,"indexedTextBytes":4,"chunks":2`)),
		"a manifest of other bytes":         index("guide", "1", `{"id":"c","text":"text"}`, manifest(`"extractedTextBytes":4,"indexedTextBytes":3,"chunks":1`)),
		"more indexed than extracted":       index("guide", "1", `{"id":"c","text":"text"}`, manifest(`"extractedTextBytes":3,"indexedTextBytes":4,"chunks":1`)),
		"a text with pages":                 index("guide", "1", `{"id":"c","text":"text"}`, manifest(`"extractedTextBytes":4,"indexedTextBytes":4,"chunks":1,"pages":{"total":1,"ocr":[],"empty":[]}`)),
		"a chunk longer than the chunker's": index("guide", "1", `{"id":"c","text":"`+strings.Repeat("x", 129)+`"}`, manifest(`"extractedTextBytes":129,"indexedTextBytes":129,"chunks":1`)),
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.refused("INVALID_RETRIEVAL", "/v1/retrieval/index", alice, body)
		})
	}
	h.t = t
}

func TestIngestionOfText(t *testing.T) {
	h := start(t, Options{})
	text := "# One\r\nfirst\r\n# Two\r\nsecond\r\n"
	r := post(h, protocol.DecodeIngestResult, "/v1/retrieval/ingest", alice, ingest(textDocument("guide", "text/markdown", text), `"chunking":{"maxBytes":128}`))
	m := r.Ingestion
	clean := strings.ReplaceAll(text, "\r\n", "\n")
	if m.InputSHA256 != canonical.SHA256([]byte(text)) || m.InputBytes != int64(len(text)) || m.ExtractedTextBytes != int64(len(clean)) ||
		m.IndexedTextBytes != int64(len(clean)) || m.Chunks != 2 || m.Chunker.MaxBytes != 128 || m.Extractor.ID != "markdown-sections" {
		t.Errorf("got %s", m.AppendJSON(nil))
	}
	hit := search(h, alice, "second", `"limit":1`).Hits[0]
	if hit.Text != "# Two\nsecond\n" || hit.Source.Location.Section.Value != "Two" || hit.Source.Location.StartLine.Value != 3 || hit.Source.Location.EndLine.Value != 4 {
		t.Errorf("got %s", hit.AppendJSON(nil))
	}
	// The text of its chunks is that of the document with other line ends; what was put in is not.
	other := post(h, protocol.DecodeIngestResult, "/v1/retrieval/ingest", alice, ingest(textDocument("open-lf", "text/markdown", clean)))
	if other.Ingestion.InputSHA256 == m.InputSHA256 || other.Chunks != r.Chunks {
		t.Errorf("got %s", other.AppendJSON(nil))
	}
	h.refused("EMPTY_DOCUMENT", "/v1/retrieval/ingest", alice, ingest(textDocument("faq", "text/plain", " \n\t\n")))
	h.refused("INVALID_DOCUMENT", "/v1/retrieval/ingest", alice, ingest(textDocument("faq", "text/plain", "a\x00b")))
	h.refused("DOCUMENT_LIMIT", "/v1/retrieval/ingest", alice, ingest(textDocument("faq", "text/plain", strings.Repeat(strings.Repeat("x", 127)+"\n", 257)), `"chunking":{"maxBytes":128}`))
	h.refused("FORBIDDEN", "/v1/retrieval/ingest", aliceReader, ingest(textDocument("faq", "text/plain", "x")))
	if ids := hitIDs(search(h, alice, "x", `"sourceIds":["faq"]`)); ids != "" {
		t.Errorf("what was refused is in the index: %s", ids)
	}
}

// The digest was computed in JavaScript.
func TestIngestionOfMail(t *testing.T) {
	h := start(t, Options{})
	thread := func(messages string) string {
		return ingest(`{"type":"email","source":{"id":"guide","revision":"1"},"threadId":"t","messages":[` + messages + `]}`)
	}
	r := post(h, protocol.DecodeIngestResult, "/v1/retrieval/ingest", alice, thread(`{"text":"hello\r\n","id":"m1"},{"id":"m2","text":"<ok> \u2028"}`))
	if m := r.Ingestion; m.InputSHA256 != "6aff1fd731d6a268d701b5a47a73f9ff425358eedfe977d27ce8a1b1e0b7bd57" || m.InputBytes != 90 ||
		m.Messages == nil || m.Messages.Total != 2 || m.Messages.Empty != 0 || m.Chunks != 2 {
		t.Errorf("got %s", m.AppendJSON(nil))
	}
	hit := search(h, alice, "hello", `"limit":1`).Hits[0]
	if l := hit.Source.Location; hit.Text != "hello\n" || l.ThreadID.Value != "t" || l.MessageID.Value != "m1" || l.StartLine.Value != 1 {
		t.Errorf("got %s", hit.AppendJSON(nil))
	}
	h.refused("INVALID_RETRIEVAL", "/v1/retrieval/ingest", alice, thread(`{"id":"m1","text":"a"},{"id":"m1","text":"b"}`))
	h.refused("EMPTY_DOCUMENT", "/v1/retrieval/ingest", alice, thread(`{"id":"m1","text":" "}`))
}

func pdfDocument(t *testing.T, source, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("retrieval", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"type":"pdf","source":{"id":%q,"revision":"1","location":{"page":5}},"mediaType":"application/pdf","data":%q}`, source, base64.StdEncoding.EncodeToString(data))
}

func TestIngestionOfPDF(t *testing.T) {
	h := start(t, Options{})
	r := post(h, protocol.DecodeIngestResult, "/v1/retrieval/ingest", alice, ingest(pdfDocument(t, "guide", "two-pages.pdf")))
	data, err := os.ReadFile(filepath.Join("retrieval", "testdata", "two-pages.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Ingestion; m.InputSHA256 != canonical.SHA256(data) || m.InputBytes != int64(len(data)) || m.Pages == nil || m.Pages.Total != 2 || m.Chunks != 2 {
		t.Errorf("got %s", m.AppendJSON(nil))
	}
	hit := search(h, alice, "ants", `"limit":1`).Hits[0]
	if l := hit.Source.Location; !strings.Contains(hit.Text, "about ants") || l.Page.Value != 6 || l.PageEnd.Value != 6 {
		t.Errorf("got %s", hit.AppendJSON(nil))
	}
	h.refused("OCR_REQUIRED", "/v1/retrieval/ingest", alice, ingest(pdfDocument(t, "faq", "empty-page.pdf")))
	for _, data := range []string{"AAAA", "JVBERi0", "JVBERi1=", "JVBERi0xLjQK"} { // no signature, not base64, not canonical, no file
		h.refused("INVALID_DOCUMENT", "/v1/retrieval/ingest", alice,
			ingest(`{"type":"pdf","source":{"id":"faq","revision":"1"},"mediaType":"application/pdf","data":"`+data+`"}`))
	}
	without := start(t, Options{Without: []string{"pdf-ingestion"}})
	without.refused("PDF_EXTRACTOR_REQUIRED", "/v1/retrieval/ingest", alice, ingest(pdfDocument(t, "faq", "two-pages.pdf")))
}

func TestARunRestsOnWhatItFinds(t *testing.T) {
	h := start(t, Options{})
	post(h, protocol.DecodeIngestResult, "/v1/retrieval/ingest", alice, ingest(textDocument("guide", "text/plain", "Whales are large.\n")))
	r := post(h, protocol.DecodeRunResult, "/v1/runs", alice, runBody(script("", `[[{"report":"messages"}]]`), `"retrieval":{"corpus":"docs","query":"whales"}`,
		`"attachments":[{"type":"text","source":{"id":"note","revision":"7","title":"Note"},"mediaType":"text/plain","text":"é"}]`,
		`"outputArtifact":{"name":"out.txt","mediaType":"text/plain"}`))
	if len(r.Sources) != 2 || r.Sources[0].ID != "note" || r.Sources[0].Bytes != 2 || r.Sources[0].SHA256 != canonical.SHA256([]byte("é")) ||
		r.Sources[0].Origin != protocol.ContextOriginInline || r.Sources[1].ID != r.Retrieval.Hits[0].ChunkID || r.Sources[1].Origin != protocol.ContextOriginRetrieval ||
		r.Sources[1].SHA256 != canonical.SHA256([]byte("Whales are large.\n")) {
		t.Errorf("got %s", r.AppendJSON(nil))
	}
	if a := r.Artifacts; len(a) != 1 || a[0].Content != r.Text || a[0].SHA256 != canonical.SHA256([]byte(r.Text)) || strings.Join(a[0].SourceIDs, " ") != "note "+r.Sources[1].ID {
		t.Errorf("got %s", r.AppendJSON(nil))
	}
	if !strings.Contains(r.Text, "Whales are large.") || !strings.Contains(r.Text, "[source note, revision 7, Note]") {
		t.Errorf("the model was shown %s", r.Text)
	}
	h.refused("NO_RETRIEVAL_EVIDENCE", "/v1/runs", alice, runBody(script("none", `[[{"text":"a"}]]`), `"retrieval":{"corpus":"docs","query":"whales","minScore":1}`))
	if got := h.counters("none", "", 0); !strings.Contains(got, `"runs":0`) {
		t.Errorf("a run without evidence called the model: %s", got)
	}
}

func TestDocumentsOutliveTheHost(t *testing.T) {
	o := Options{State: filepath.Join(t.TempDir(), "state.db")}
	h := start(t, o)
	first := post(h, protocol.DecodeIngestResult, "/v1/retrieval/ingest", alice, ingest(textDocument("guide", "text/plain", "Whales are large.\n")))
	h.stop()
	h = start(t, o)
	if r := search(h, alice, "whales"); len(r.Hits) != 1 || r.Hits[0].DocumentSHA256 != first.DocumentSHA256 {
		t.Errorf("got %s", r.AppendJSON(nil))
	}
	if r := post(h, protocol.DecodeIngestResult, "/v1/retrieval/ingest", alice, ingest(textDocument("guide", "text/plain", "Whales are large.\n"))); r.Status != protocol.IndexStatusUnchanged {
		t.Errorf("got %s", r.AppendJSON(nil))
	}
}

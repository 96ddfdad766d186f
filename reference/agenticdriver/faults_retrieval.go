package agenticdriver

import (
	"encoding/json"
	"slices"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

const pathSearch = "/v1/retrieval/search"

// retrievalFaults are wrong ways to keep documents, and to search them.
var retrievalFaults = []fault{
	{"retrieval-dropped-without-feature", "retrieval on a host that has none", "Drops the retrieval of a run if the host has none.",
		droppedWithout(func(f *run.Features) bool { return f.Retrieval }, func(o object) { drop(o, "/retrieval") })},
	{"retrieval-grants-unchecked", "the grants of corpora", "Lets everybody search, index and delete.",
		func(e *edges) { e.policy.RetrievalGrantsUnchecked = true }},
	{"ingest-needs-search", "the grant of ingestion", "Lets everybody ingest who may search.", func(e *edges) { e.policy.IngestNeedsSearch = true }},
	{"unknown-source-told", "sources that may not be used", "Refuses sources that may not be used as FORBIDDEN.",
		func(e *edges) { e.policy.UnknownSourceTold = true }},

	{"hit-without-title", "what a hit is known by", "Leaves the title of the source out of hits.", onHits(func(hit object) { drop(hit, "/source/title") })},
	{"score-as-percentage", "scores", "Tells scores in percent.",
		onHits(func(hit object) {
			if n, ok := hit["score"].(json.Number); ok {
				if f, err := n.Float64(); err == nil {
					hit["score"] = f * 100
				}
			}
		})},
	{"hits-reversed", "the order of hits", "Tells the worst hit first.",
		onSuccess(pathSearch, func(o object) {
			if hits, ok := o["hits"].([]any); ok {
				slices.Reverse(hits)
			}
		})},
	{"never-truncated", "searches that leave something out", "Never says that there were more hits.",
		onSuccess(pathSearch, func(o object) { o["truncated"] = false })},
	{"source-filter-ignored", "sources to search", "Searches all sources of the corpus.", func(e *edges) { e.policy.SourceFilterIgnored = true }},
	{"limit-ignored", "the limit of hits", "Gives all hits.", func(e *edges) { e.policy.LimitIgnored = true }},
	{"min-score-ignored", "the least score of hits", "Gives hits of any score.", func(e *edges) { e.policy.MinScoreIgnored = true }},
	{"passages-cut", "passages that do not fit", "Cuts the first passage that does not fit.", func(e *edges) { e.policy.PassagesCut = true }},
	{"blank-query-accepted", "blank queries", "Searches for nothing.", func(e *edges) { e.policy.BlankQueryAccepted = true }},
	{"doubled-ids-merged", "sources that are named twice", "Takes sources that are named twice for one.",
		onBody(pathSearch, func(o object) {
			if ids, ok := o["sourceIds"].([]any); ok {
				o["sourceIds"] = slices.Compact(ids)
			}
		})},
	{"limit-clamped", "limits above 16", "Takes any higher limit for 16.",
		onBody(pathSearch, func(o object) {
			if n, ok := o["limit"].(json.Number); ok {
				if v, err := n.Int64(); err == nil {
					o["limit"] = min(v, 16)
				}
			}
		})},
	{"evidence-origin-inline", "the origin of evidence", "Says of passages that they came with the run.",
		onResult(func(_ *run.Run, result *protocol.RunResult) {
			for i := range result.Sources {
				result.Sources[i].Origin = protocol.ContextOriginInline
			}
		})},
	{"no-evidence-runs", "runs without evidence", "Runs although nothing was found.", func(e *edges) { e.policy.NoEvidenceRuns = true }},

	{"index-always-indexed", "documents that are there already", "Says of every document that it was indexed.",
		onSuccess("/v1/retrieval/index", func(o object) { o["status"] = "indexed" })},
	{"source-overwritten", "other content of a revision", "Takes other content for a revision that is there.",
		func(e *edges) { e.policy.SourceOverwritten = true }},
	{"revisions-pile-up", "new revisions", "Keeps the old revision beside a new one.", func(e *edges) { e.policy.RevisionsPileUp = true }},
	{"digest-of-texts", "the digest of a document", "Tells the digest of a document's texts, one after another.",
		func(e *edges) { e.policy.DigestOfTexts = true }},
	{"delete-any-revision", "deleting another revision", "Deletes whatever revision there is.", func(e *edges) { e.policy.DeleteAnyRevision = true }},
	{"delete-always-true", "deleting what is not there", "Says of everything that it was deleted.",
		onSuccess("/v1/retrieval/delete", func(o object) { o["deleted"] = true })},
}

// onHits changes the hits of searches.
func onHits(change func(hit object)) func(*edges) {
	return onSuccess(pathSearch, func(o object) { each(o, "/hits", change) })
}

// ingestionFaults are wrong ways to make passages of documents.
var ingestionFaults = []fault{
	{"line-numbers-from-zero", "the lines of a passage", "Counts lines from 0.",
		onHits(func(hit object) {
			add(hit, "/source/location/startLine", -1)
			add(hit, "/source/location/endLine", -1)
		})},
	{"sections-unnamed", "the section of a passage", "Does not name the section of a passage.", func(e *edges) { e.policy.SectionsUnnamed = true }},
	{"chunks-may-exceed", "lines that are too long", "Keeps lines whole that are longer than a passage may be.",
		func(e *edges) { e.policy.ChunksMayExceed = true }},
	{"digest-of-normalised-text", "the digest of what was ingested", "Tells the digest of a text with LF as line ends.",
		func(e *edges) { e.policy.DigestOfNormalised = true }},
	{"carriage-returns-kept", "line ends in passages", "Keeps carriage returns in passages.", func(e *edges) { e.policy.CarriageReturnsKept = true }},
	{"messages-merged", "messages of a thread", "Makes passages across messages.", func(e *edges) { e.policy.MessagesMerged = true }},
	{"empty-document-indexed", "documents without text", "Indexes a document without text.", func(e *edges) { e.policy.EmptyIndexed = true }},
	{"pdf-as-text", "PDF documents on a host that reads none", "Reads a PDF document as text if the host reads none.",
		func(e *edges) { e.policy.PDFAsText = true }},
}

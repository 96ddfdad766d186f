package client

import (
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

// result holds the result of a run to its request. What is only about its form the document says.
func (i insist) result(q *agenticdriver.RunRequest, v *agenticdriver.RunResult, run string) error {
	return first(
		i.on(RuleResult, v.RunID == run && run != "", "the result is of another run"),
		i.on(RuleResult, v.Provider == q.Provider && v.Model == q.Model, "the result names another provider or model"),
		i.turn(q.Session, v.Session),
		i.evidence(q, v),
		i.artifacts(v),
	)
}

// turn holds the session of a result to the one that the run was a turn of.
func (i insist) turn(asked *agenticdriver.SessionHandle, got *agenticdriver.SessionInfo) error {
	if asked == nil || got == nil {
		return i.on(RuleTurn, (asked == nil) == (got == nil), "the result has a session: %t; the run was a turn of one: %t", got != nil, asked != nil)
	}
	return first(
		i.on(RuleTurn, got.ID == asked.ID, "the result has another session"),
		i.on(RuleTurn, got.Revision == asked.Revision+1, "the revision of the session is %d, expected %d", got.Revision, asked.Revision+1),
		i.on(RuleTurn, got.State == agenticdriver.SessionStateReady, "the session of the result is not ready"),
		i.session(got),
	)
}

// evidence holds what a run retrieved to what it was asked to, and its sources to the hits.
func (i insist) evidence(q *agenticdriver.RunRequest, v *agenticdriver.RunResult) error {
	ids := make(map[string]bool)
	fromHits := make(map[string]*agenticdriver.ContextManifest)
	for n := range v.Sources {
		s := &v.Sources[n]
		if err := i.on(RuleEvidence, !ids[s.ID], "a source is listed twice"); err != nil {
			return err
		}
		ids[s.ID] = true
		if s.Origin == agenticdriver.ContextOriginRetrieval {
			fromHits[s.ID] = s
		}
	}
	if err := i.on(RuleEvidence, (q.Retrieval == nil) == (v.Retrieval == nil), "the result retrieved: %t; the run was asked to: %t", v.Retrieval != nil, q.Retrieval != nil); err != nil {
		return err
	}
	var hits []agenticdriver.RetrievalHit
	if q.Retrieval != nil && v.Retrieval != nil {
		hits = v.Retrieval.Hits
		if err := i.hits(boundsOfRun(q.Retrieval), v.Retrieval); err != nil {
			return err
		}
	}
	if err := i.on(RuleEvidence, len(fromHits) == len(hits), "%d sources were retrieved and there are %d hits", len(fromHits), len(hits)); err != nil {
		return err
	}
	for n := range hits {
		h := &hits[n]
		s := fromHits[h.ChunkID]
		same := s != nil && s.Revision == h.Source.Revision && s.Bytes == int64(len(h.Text)) &&
			s.Location != nil && s.Location.DocumentID.Value == h.Source.ID
		if err := i.on(RuleEvidence, same, "hit %d has no source that fits it", n); err != nil {
			return err
		}
	}
	return nil
}

// artifacts holds the drafts of a result to its sources.
func (i insist) artifacts(v *agenticdriver.RunResult) error {
	sources := make(map[string]bool)
	for n := range v.Sources {
		sources[v.Sources[n].ID] = true
	}
	for n := range v.Artifacts {
		a := &v.Artifacts[n]
		if err := i.on(RuleArtifacts, a.Name != "." && a.Name != "..", "an artifact has the name of a directory"); err != nil {
			return err
		}
		for _, id := range a.SourceIDs {
			if err := i.on(RuleArtifacts, sources[id], "an artifact names a source that the result does not list"); err != nil {
				return err
			}
		}
	}
	return nil
}

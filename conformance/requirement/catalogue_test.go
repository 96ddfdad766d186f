package requirement

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hallmark-kit/hallmark/conformance/comitiva"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/schemas"
)

func load(t *testing.T, text string) (*Catalogue, error) {
	t.Helper()
	p, err := comitiva.Protocol()
	if err != nil {
		t.Fatal(err)
	}
	return Load(fstest.MapFS{"r.yaml": {Data: []byte(text)}}, "r.yaml", "r.yaml", schemas.FS, p)
}

const standing = `
  - { id: CO-02, level: MUST, role: runner, sentence: S, basis: { kind: prose } }
  - { id: CO-04, level: MUST, role: runner, sentence: S, basis: { kind: document, source: "RunnerRequest.json#/oneOf/0" } }
  - { id: CO-31, level: SHOULD, role: runner, feature: runs, sentence: S, basis: { kind: prose } }
  - { id: CO-36, level: MUST, role: runner, sentence: S, basis: { kind: observed } }
  - { id: CO-48, level: MUST, role: runner, sentence: S, basis: { kind: prose, inferred: true } }
  - { id: CO-79, level: MAY, role: shell, sentence: S, basis: { kind: prose } }
  - { id: CO-112, level: MUST, role: runner, sentence: S, basis: { kind: observed } }
`

func TestLoadReadsACatalogue(t *testing.T) {
	c, err := load(t, "protocol: comitiva\nfeatures: { runs: It runs. }\nrequirements:"+standing)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.IDs(), " "); got != "CO-02 CO-04 CO-31 CO-36 CO-48 CO-79 CO-112" {
		t.Error(got)
	}
	if c.Get("CO-31").Feature.Value != "runs" || c.Get("CO-99") != nil {
		t.Error("get")
	}
}

func TestLoadRefusesWithPlaceAndReason(t *testing.T) {
	for text, want := range map[string]string{
		"protocol: nylorun\nfeatures: { runs: R }\nrequirements:" + standing:                                                                                                   "r.yaml:1:11: the protocol comitiva is expected",
		"protocol: comitiva\nrequirements:" + standing:                                                                                                                         "r.yaml:5:56: runs is not among the features of this file",
		"protocol: comitiva\nfeatures: { runs: R }\nrequirements:" + strings.Replace(standing, "CO-04", "CO-02", 1):                                                            "r.yaml:5:11: CO-02 is declared twice",
		"protocol: comitiva\nfeatures: { runs: R }\nrequirements:" + strings.Replace(standing, "role: shell", "role: sell", 1):                                                 "r.yaml:9:36: the protocol has no role sell; did you mean shell?",
		"protocol: comitiva\nfeatures: { runs: R }\nrequirements:" + strings.Replace(standing, "CO-36", "CO-37", 1):                                                            "CO-36 is missing: every conversation with a runner is held to it",
		"protocol: comitiva\nfeatures: { runs: R }\nrequirements:" + strings.Replace(standing, "MAY", "MIGHT", 1):                                                              `r.yaml:9:25: one of "MUST", "SHOULD", "MAY" is expected`,
		"protocol: comitiva\nfeatures: { runs: R }\nrequirements:" + strings.Replace(standing, "oneOf/0", "oneOf/99", 1):                                                       "r.yaml:5:91: nothing stands at /oneOf/99 of RunnerRequest.json",
		"protocol: comitiva\nfeatures: { runs: R }\nrequirements:" + strings.Replace(standing, "Request.json#", "Requests.json#", 1):                                           "r.yaml:5:91: the protocol has no document RunnerRequests.json",
		"protocol: comitiva\nfeatures: { runs: R }\nrequirements:" + strings.Replace(standing, "sentence: S, basis: { kind: prose", "sentence: S, basis: { kind: document", 1): "r.yaml:4:65: a place in a document is expected",
		"protocol: comitiva\nrequirements: []\n": "r.yaml:2:15: at least 1 element is expected",
	} {
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestBindingFollowsLevelAndBasis(t *testing.T) {
	for _, c := range []struct {
		level             hallmark.Level
		kind              hallmark.BasisKind
		inferred          bool
		binding, strictly bool
	}{
		{hallmark.LevelMUST, hallmark.BasisKindDocument, false, true, true},
		{hallmark.LevelMUST, hallmark.BasisKindProse, false, true, true},
		{hallmark.LevelMUST, hallmark.BasisKindObserved, false, false, false},
		{hallmark.LevelMUST, hallmark.BasisKindProse, true, false, false},
		{hallmark.LevelSHOULD, hallmark.BasisKindProse, false, false, true},
		{hallmark.LevelSHOULD, hallmark.BasisKindObserved, false, false, false},
		{hallmark.LevelMAY, hallmark.BasisKindDocument, false, false, false},
	} {
		r := Requirement{Level: c.level, Basis: hallmark.Basis{Kind: c.kind, Inferred: wire.Some(c.inferred)}}
		if r.Binding(false) != c.binding || r.Binding(true) != c.strictly {
			t.Errorf("%+v: %v %v", c, r.Binding(false), r.Binding(true))
		}
	}
}

package drift

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Added reports on a document of which there is no old version.
func Added(new Input, options Options) (*Report, error) {
	return single(new, options, "new")
}

// Removed reports on a document of which there is no new version.
func Removed(old Input, options Options) (*Report, error) {
	return single(old, options, "old")
}

func single(in Input, options Options, label string) (*Report, error) {
	s, err := read(in, label, nil)
	if err != nil {
		return nil, err
	}
	nothing := sha256.Sum256(nil)
	missing := Document{File: in.Name, SHA256: hex.EncodeToString(nothing[:]), Kind: s.file.Form.String()}
	r := &Report{Level: cmp.Or(options.Level, Wire), Upgrade: cmp.Or(options.Upgrade, HostFirst), Old: missing, New: s.document()}
	f := Finding{
		Rule: "document-added", Class: Compatible, New: s.place(s.file, ""),
		Summary: fmt.Sprintf("the document %s is new", in.Name), Reason: "nobody relies on it yet",
		Reach: Reach{1, []string{in.Name}},
	}
	if label == "old" {
		r.Old, r.New = s.document(), missing
		f.Rule, f.Class, f.Old, f.New = "document-removed", Breaking, f.New, nil
		f.Summary, f.Reason = fmt.Sprintf("the document %s is gone", in.Name), "peers of the old version still send what it describes, or wait for it"
		f.Witness = &Witness{Message: in.Name, In: in.Name, AcceptedBy: "old", RefusedBy: "new", Keyword: "document", Explanation: "the new version has no such document"}
	}
	f.Hits = []Hit{{Peers: (&comparer{options: options}).peers(true), Breaks: f.Class == Breaking, Words: f.Reason}}
	f.ID = fingerprint(&f)
	r.Add(f)
	return r, nil
}

package drift

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Merge puts the reports on several documents into one.
func Merge(reports []*Report) *Report {
	if len(reports) == 1 {
		return reports[0]
	}
	m := &Report{Findings: []Finding{}}
	var old, new []Document
	for _, r := range reports {
		m.Level, m.Upgrade = r.Level, r.Upgrade
		m.Messages += r.Messages
		m.Findings = append(m.Findings, r.Findings...)
		for _, note := range r.Notes {
			m.Notes = append(m.Notes, r.New.File+": "+note)
		}
		old, new = append(old, r.Old), append(new, r.New)
	}
	m.Old, m.New = mergeDocuments(old), mergeDocuments(new)
	m.finish()
	return m
}

func mergeDocuments(list []Document) Document {
	var names []string
	sum := sha256.New()
	for _, d := range list {
		names = append(names, d.File)
		fmt.Fprintln(sum, d.SHA256)
	}
	if len(names) > 3 {
		names = append(names[:3:3], fmt.Sprintf("%d more", len(names)-3))
	}
	return Document{File: strings.Join(names, ", "), SHA256: hex.EncodeToString(sum.Sum(nil)), Kind: fmt.Sprintf("%d documents", len(list))}
}

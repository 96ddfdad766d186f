package drift

import "fmt"

// SourceFinding is a finding about an exported name of the Go bindings: old and
// new are its declarations, had and has whether there is one.
func SourceFinding(name, old, new string, had, has bool, where string) Finding {
	f := Finding{Class: Breaking, Keyword: "go", Reach: Reach{1, []string{where}}}
	use := fmt.Sprintf("%s // %s", name, old)
	switch {
	case !has:
		f.Rule, f.Summary, f.Reason = "go-api-removed", fmt.Sprintf("%s is gone from the Go bindings", name), "programs that use it do not compile"
		f.Witness = &Witness{Message: use, In: where, AcceptedBy: "old", RefusedBy: "new", Keyword: "go", Explanation: "undefined: " + name}
	case !had:
		f.Rule, f.Class, f.Summary, f.Reason = "go-api-added", Compatible, fmt.Sprintf("the Go bindings have a new %s", name), "nothing uses it yet"
	default:
		f.Rule, f.Summary, f.Reason = "go-api-changed", fmt.Sprintf("%s was declared as %s and is %s now", name, old, new), "programs that use it may not compile"
		f.Witness = &Witness{Message: use, In: where, AcceptedBy: "old", RefusedBy: "new", Keyword: "go", Explanation: "it is declared as " + new}
	}
	f.Hits = []Hit{{Peers: "programs on the Go bindings", Breaks: f.Class == Breaking, Words: f.Reason}}
	f.ID = fingerprint(&f)
	return f
}

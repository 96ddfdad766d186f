package drift

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/drift/inclusion"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// Upgrade says which end runs the new version first.
type Upgrade string

// The orders. Hosts are few and clients many, so that a host is usually new
// while most of its clients are old.
const (
	HostFirst   Upgrade = "host"
	ClientFirst Upgrade = "client"
	AnyOrder    Upgrade = "any"
)

// Options choose what is compared and how strictly.
type Options struct {
	Level     Level     // "" is Wire
	Upgrade   Upgrade   // "" is HostFirst
	Direction Direction // of a bare schema or event; "" is what the document says, else Both
	Schema    string    // only the schema at this pointer, or of this name
	Messages  []Message // who sends what, where the document does not say
	Host      string    // the role among those of Messages that is the host
}

// comparer compares two versions.
type comparer struct {
	options  Options
	formats  bool
	old, new *side
	roots    []*root
	found    []Finding
	merged   map[string]int // findings by their edit
	twins    map[string]int // findings by what their edit says, wherever it is made

	labels      *inclusion.Labels // with annotations
	plainLabels *inclusion.Labels
	plain       *inclusion.Solver // all that is valid
	usual       *inclusion.Solver // no names that the other side alone knows
	align       *aligner
	equal       map[nodes]bool
	harmless    [2]map[*pair]bool // by way round: pairs of which nothing below breaks
	samplings   int               // how many more times messages are tried where nothing can be decided
}

// Compare judges what the change from one version of a document to another
// breaks. Errors in a document are *document.Error: file, line, column, reason.
func Compare(old, new Input, options Options) (*Report, error) {
	options.Level = cmp.Or(options.Level, Wire)
	options.Upgrade = cmp.Or(options.Upgrade, HostFirst)
	c := &comparer{options: options, formats: options.Level == Strict, merged: map[string]int{}, twins: map[string]int{}, equal: map[nodes]bool{}}
	if err := c.read(old, new); err != nil {
		return nil, err
	}
	report := &Report{Level: options.Level, Upgrade: options.Upgrade, Old: c.old.document(), New: c.new.document(), Findings: []Finding{}}
	if !c.same() {
		if err := c.compare(); err != nil {
			return nil, err
		}
	}
	report.Messages = len(c.roots)
	report.Findings = append(report.Findings, c.found...)
	report.finish()
	c.unmoved(report)
	return report, nil
}

// read reads both versions, at the same time. What the new one has in common with
// the old one is held against the metaschema once.
func (c *comparer) read(old, new Input) error {
	var oldErr, newErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.old, oldErr = read(old, "old", nil)
	}()
	c.new, newErr = read(new, "new", func(n *schema.Node) bool {
		<-done
		if oldErr != nil {
			return false
		}
		o := c.old.at[n.Pointer]
		return o != nil && o.Value != nil && o.Resource.Dialect == n.Resource.Dialect && bytes.Equal(o.Value.Raw(), n.Value.Raw())
	})
	<-done
	if err := cmp.Or(oldErr, newErr); err != nil {
		return err
	}
	if o, n := c.old.file, c.new.file; o.Form != n.Form {
		return n.Errorf(n.Root, "", "%s is %s and %s is %s; compare two documents of one kind", o.Name, article(o.Form.String()), n.Name, article(n.Form.String()))
	}
	// An object without a keyword accepts everything, so a wrong file would look like a schema that lost its rules.
	if o, n := c.old.speechless(), c.new.speechless(); o != n && c.options.Schema == "" {
		s := c.old
		if n {
			s = c.new
		}
		return s.file.Errorf(s.file.Root, "", "no member of this object is a keyword of JSON Schema; compare two schemas, or name the one in it by its pointer")
	}
	return nil
}

// same tells whether the versions are one text that refers to nothing else.
func (c *comparer) same() bool {
	if c.old.file.SHA256 != c.new.file.SHA256 {
		return false
	}
	for _, s := range []*side{c.old, c.new} {
		if s.graph != nil && len(s.graph.Files()) > 1 {
			return false
		}
	}
	return true
}

func (c *comparer) compare() error {
	c.labels, c.plainLabels = inclusion.NewLabels(true, true), inclusion.NewLabels(c.formats, false)
	c.plain = inclusion.New(inclusion.Options{Formats: c.formats})
	c.usual = inclusion.New(inclusion.Options{Formats: c.formats, Conventional: true})
	c.align = &aligner{c: c, labels: c.labels, pairs: map[nodes]*pair{}}
	var err error
	switch c.old.file.Form {
	case document.OpenAPI:
		err = c.operations()
	case document.EventDefinition:
		err = c.eventRoots()
	default:
		err = c.schemaRoots()
	}
	if err != nil {
		return err
	}
	c.judge()
	return nil
}

func (c *comparer) addRoot(r *root) {
	if r.client == "" {
		r.client, r.host = "client", "host"
	}
	c.roots = append(c.roots, r)
}

// other gives the other side.
func (c *comparer) other(s *side) *side {
	if s == c.old {
		return c.new
	}
	return c.old
}

// equivalent tells whether two schemas accept the same values for certain.
func (c *comparer) equivalent(o, n *schema.Node) bool {
	if c.plainLabels.Of(o) == c.plainLabels.Of(n) {
		return true
	}
	key := nodes{o, n}
	equal, known := c.equal[key]
	if !known {
		equal = c.plain.Quick(o, n).Status == inclusion.None && c.plain.Quick(n, o).Status == inclusion.None
		c.equal[key] = equal
	}
	return equal
}

// smallest makes a small valid message of a schema, "" when none is found.
func (c *comparer) smallest(n *schema.Node) string {
	a := c.plain.Solve(inclusion.Literal{Node: n})
	if a.Status != inclusion.Found {
		return ""
	}
	return string(inclusion.AppendJSON(nil, a.Value))
}

// peers names the two ends of different age: the usual way round, or the other.
func (c *comparer) peers(usual bool) string {
	first := c.options.Upgrade != ClientFirst
	if first == usual {
		return "old client with new host"
	}
	return "new client with old host"
}

// report adds a finding; one edit that several operations share is one finding.
func (c *comparer) report(f Finding) {
	f.ID = fingerprint(&f)
	if i, known := c.merged[f.ID]; known {
		have := &c.found[i]
		for _, name := range f.Reach.First {
			if !slices.Contains(have.Reach.First, name) {
				have.Reach.Count++
				if len(have.Reach.First) < maxNamed {
					have.Reach.First = append(have.Reach.First, name)
				}
			}
		}
		if f.Class.rank() < have.Class.rank() {
			f.Reach = have.Reach
			c.found[i] = f
		}
		return
	}
	c.merged[f.ID] = len(c.found)
	c.found = append(c.found, f)
}

// reportEdit adds a finding about a change of a schema. Where the document writes
// a schema out more than once, the same change of each copy is one finding.
func (c *comparer) reportEdit(f Finding, p *pair, ch *change) {
	x, y := c.labels.Of(p.old), c.labels.Of(p.new)
	key := fmt.Sprintf("%s %s %s %s %x %x %s %s", f.Rule, f.Class, ch.keyword, ch.detail, x, y, f.Old.Text, f.New.Text)
	i, known := c.twins[key]
	if !known {
		c.twins[key] = len(c.found)
		c.report(f)
		return
	}
	have := &c.found[i]
	if f.New != nil {
		have.Also = append(have.Also, *f.New)
	} else {
		have.Also = append(have.Also, *f.Old)
	}
	for _, name := range f.Reach.First {
		if !slices.Contains(have.Reach.First, name) {
			have.Reach.Count++
			if len(have.Reach.First) < maxNamed {
				have.Reach.First = append(have.Reach.First, name)
			}
		}
	}
}

// maxNamed is how many operations a finding names.
const maxNamed = 5

// fingerprint depends on the edit alone: its rule, its places, what is written there.
func fingerprint(f *Finding) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00", f.Rule)
	for _, p := range []*Place{f.Old, f.New} {
		if p != nil {
			fmt.Fprintf(h, "%s\x00%s\x00", p.name(), p.Text)
		}
	}
	if f.Old == nil || f.New == nil || f.Old.Text == f.New.Text {
		fmt.Fprint(h, f.Summary)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// unmoved says so when something breaks and the version did not move. Of an event
// definition, where the version is on the wire, that is a finding; else a note.
func (c *comparer) unmoved(r *Report) {
	if r.Counts.Breaking == 0 || r.Old.Version == "" || r.Old.Version != r.New.Version {
		return
	}
	if c.old.file.Form != document.EventDefinition {
		r.Notes = append(r.Notes, fmt.Sprintf("breaking change inside version %s: peers cannot tell the two versions of the document apart", r.Old.Version))
		return
	}
	const pointer = "/version"
	f := Finding{
		Rule: "version-not-moved", Class: Risky, Keyword: "version",
		Summary: "breaking change inside version " + r.Old.Version,
		Reason:  "peers cannot tell the two versions apart: both call themselves " + r.Old.Version,
		Old:     c.old.place(c.old.file, pointer), New: c.new.place(c.new.file, pointer),
		Hits:  []Hit{{Peers: c.peers(true), Breaks: false, Words: "cannot find out before it is too late"}},
		Reach: Reach{First: []string{}},
	}
	f.ID = fingerprint(&f)
	r.Add(f)
}

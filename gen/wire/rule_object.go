package wire

import "math/bits"

// RequiredRule is a list of members that a schema demands.
type RequiredRule struct {
	Place
	First    int // the bit of the first of them in the set of seen members
	Required []string
}

// CountRule is what a schema demands of the number of an object's members.
type CountRule struct {
	Place
	MinProperties int
	MaxProperties int  // only if Limited
	Limited       bool // there is a MaxProperties
}

// Missing records each required member whose bit is not set in seen (bit i of the set is bit i%64 of seen[i/64]). The
// object starts at offset at.
func (r *Reader) Missing(at int, rule *RequiredRule, seen ...uint64) bool {
	for i, name := range rule.Required {
		bit := rule.First + i
		if seen[bit/64]&(1<<(bit%64)) == 0 && !r.broken(at, &rule.Place, "required", func() string { return "the member " + Quoted(name) }) {
			return false
		}
	}
	return true
}

// Known notes that the current member, which has the given bit, has come. A second time is an error of the text.
func (r *Reader) Known(seen *uint64, bit uint64) bool {
	if *seen&bit != 0 && !r.Repeated() {
		return false
	}
	*seen |= bit
	return true
}

// Seen is the number of members in a set of seen ones, see [Reader.Known].
func Seen(set ...uint64) int {
	n := 0
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// Ignore consumes the value of a member that the schema does not name and does not refuse.
func (r *Reader) Ignore(frame int) bool { return r.Unique(frame) && r.Skip() }

// Keep consumes the value of a member that the schema does not name, and keeps both.
func (r *Reader) Keep(frame int, extra *Members) bool {
	if !r.Unique(frame) {
		return false
	}
	return r.KeepNamed(r.NameString(), extra)
}

// KeepNamed is [Reader.Keep] for a member whose name is known, and known to come once.
func (r *Reader) KeepNamed(name string, extra *Members) bool {
	raw, ok := r.Raw()
	if !ok {
		return false
	}
	if *extra == nil {
		*extra = make(Members, 0, 1) // mostly there is just one, and append would take longer to find room for it
	}
	*extra = append(*extra, Member{Name: name, Value: raw})
	return true
}

// Undeclared records a member that a closed object does not name, and skips its value.
func (r *Reader) Undeclared(frame int, p *Place) bool {
	return r.Unique(frame) && r.Refused(p, "additionalProperties", "no member beside the declared ones")
}

// HoldCount holds the number of members n of the object at offset at against the rule.
func (r *Reader) HoldCount(at, n int, rule *CountRule) bool {
	if n < rule.MinProperties && !r.broken(at, &rule.Place, "minProperties", func() string { return "at least " + plural(rule.MinProperties, "member") }) {
		return false
	}
	if rule.Limited && n > rule.MaxProperties && !r.broken(at, &rule.Place, "maxProperties", func() string { return "at most " + plural(rule.MaxProperties, "member") }) {
		return false
	}
	return true
}

// Next appends a comma if b ends within an object that has a member already.
func Next(b []byte) []byte {
	if b[len(b)-1] == '{' {
		return b
	}
	return append(b, ',')
}

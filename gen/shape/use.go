package shape

import (
	"math"
	"math/big"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// use decides how a value of n is held where it is used. With inner set the outermost type is not made into a named
// type of its own (the caller is making it).
func (b *builder) use(n *schema.Node, c candidate, inner bool) *Use {
	t := n.Target()
	u := &Use{Node: t}
	if rest, ok := withoutNull(t); ok {
		if rest != t {
			if u := b.use(rest, c, inner); u.Kind != UseRaw && !u.Nullable {
				u.Nullable, u.Node = true, t
				return u
			}
			u.Complex = true
			return u
		}
		u.Nullable = true
	}
	switch kinds := kindsBesideNull(t); {
	case t.Always != nil && *t.Always || isLibrary(t) && onlyRules(t):
		u.Node = nil
		return u
	case t.Always != nil:
		u.Complex = true
		return u
	case !inner && (b.isStruct(t) || b.isUnion(t) || isEnum(t)):
		u.Kind, u.Type = UseNamed, b.named(n, c)
		u.Complex = u.Nullable && mayRefuseNull(t)
		return u
	case !inner && b.defs[t] != "" && b.isEmptyObject(t):
		u.Kind, u.Type = UseNamed, b.named(n, c)
		return u
	case !inner && kinds == schema.TypeArray && listsItself(t):
		u.Kind, u.Type = UseNamed, b.named(n, c)
		return u
	case kinds == schema.TypeString:
		u.Kind = UseText
		u.Complex = !onlyRules(t, "type", "minLength", "maxLength", "pattern", "format")
	case kinds == schema.TypeBoolean:
		u.Kind = UseBool
		u.Complex = !onlyRules(t, "type")
	case kinds&^numberKinds == 0 && wholeNumber(t):
		u.Kind, u.Complex = UseInt, true
	case kinds == schema.TypeInteger:
		u.Kind = UseNumber
		if fitsInt64(t) {
			u.Kind = UseInt
		}
		u.Complex = !onlyRules(t, "type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
	case kinds == numberKinds && t.Types != 0:
		u.Kind = UseNumber
		if (t.Minimum != nil || t.ExclusiveMinimum != nil) && (t.Maximum != nil || t.ExclusiveMaximum != nil) && fitsFloat64(t) {
			u.Kind = UseFloat
		}
		u.Complex = !onlyRules(t, "type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
	case kinds == schema.TypeArray && len(t.PrefixItems) == 0 && len(t.OneOf)+len(t.AnyOf) == 0 && (t.Items != nil || len(t.AllOf) == 0 && t.Ref == nil):
		u.Kind = UseList
		u.Complex = !onlyRules(t, "type", "items", "minItems", "maxItems", "uniqueItems")
		if t.Items == nil {
			u.Elem = &Use{}
		} else {
			u.Elem = b.use(t.Items, c.ofElement(), false)
		}
	case kinds == schema.TypeObject && !acceptsAll(t.AdditionalProperties) && t.AdditionalProperties.Always == nil && len(t.PatternProperties) == 0 && !listsItself(t) &&
		len(viewOf(t).names) == 0 && len(t.OneOf)+len(t.AnyOf) == 0:
		u.Kind = UseMap
		u.Complex = !onlyRules(t, "type", "additionalProperties", "propertyNames", "minProperties", "maxProperties") || !trivialNames(t.PropertyNames)
		u.Elem = b.use(t.AdditionalProperties, c.ofElement(), false)
	default:
		u.Complex, u.Nullable = !(t.Types == schema.TypeObject && onlyRules(t, "type")), false
	}
	return u
}

// listsItself tells a list or map that has itself among its elements, through lists and maps alone: it needs a name to
// be written down at all.
func listsItself(n *schema.Node) bool {
	seen := map[*schema.Node]bool{}
	for at := n; at != nil && !seen[at]; {
		seen[at] = true
		var elem *schema.Node
		switch kinds := kindsBesideNull(at); {
		case kinds == schema.TypeArray:
			elem = at.Items
		case kinds == schema.TypeObject && len(viewOf(at).names) == 0:
			elem = at.AdditionalProperties
		}
		if elem == nil {
			return false
		}
		if at = elem.Target(); at == n {
			return true
		}
		if inner, ok := withoutNull(at); ok {
			if at = inner.Target(); at == n {
				return true
			}
		}
	}
	return false
}

// trivialNames tells a propertyNames that every member name fulfils.
func trivialNames(n *schema.Node) bool {
	return acceptsAll(n) || n.Target().Types.Has(schema.TypeString) && onlyRules(n.Target(), "type")
}

// withoutNull returns the schema of the values beside null, where the schema is "this or null": the other branch of an
// anyOf or oneOf, or n itself where null stands in its type list or its enum.
func withoutNull(n *schema.Node) (*schema.Node, bool) {
	if nullByItself(n) {
		return n, true
	}
	for _, branches := range [][]*schema.Node{n.AnyOf, n.OneOf} {
		if len(branches) != 2 || !onlyRules(n, "anyOf", "oneOf") {
			continue
		}
		for i, branch := range branches {
			if branch.Target().Types == schema.TypeNull && onlyRules(branch.Target(), "type") && kindsOf(branches[1-i])&schema.TypeNull == 0 {
				return branches[1-i], true
			}
		}
	}
	return nil, false
}

// nullByItself tells a schema that names null beside other kinds: in its type list, in its enum, or among the constants
// of its oneOf or anyOf.
func nullByItself(n *schema.Node) bool {
	kinds := kindsOf(n)
	if kinds&schema.TypeNull == 0 || kinds&^schema.TypeNull == 0 || n.Const != nil || len(n.AllOf) > 0 || n.Ref != nil {
		return false
	}
	if len(n.AnyOf)+len(n.OneOf) == 0 {
		return n.Types&schema.TypeNull != 0 || n.Enum != nil
	}
	if n.Enum != nil || len(n.AnyOf) > 0 && len(n.OneOf) > 0 {
		return false
	}
	_, branches := Choice(n)
	values, null := choiceValues(branches)
	return null && len(values) >= 2
}

// mayRefuseNull tells a schema that names null, and may refuse it by another rule all the same.
func mayRefuseNull(n *schema.Node) bool { return Any(Rules(n), "not", "if", "$dynamicRef") }

// kindsBesideNull returns the kinds of n without a null that n names itself.
func kindsBesideNull(n *schema.Node) schema.Types {
	kinds := kindsOf(n)
	if nullByItself(n) {
		kinds &^= schema.TypeNull
	}
	return kinds
}

func fitsInt64(n *schema.Node) bool {
	lo, hi := n.Minimum, n.Maximum
	if lo == nil {
		lo = n.ExclusiveMinimum
	}
	if hi == nil {
		hi = n.ExclusiveMaximum
	}
	return lo != nil && hi != nil && inRange(lo.Text, math.MinInt64, math.MaxInt64) && inRange(hi.Text, math.MinInt64, math.MaxInt64)
}

func fitsFloat64(n *schema.Node) bool {
	for _, v := range []*document.Value{n.Minimum, n.Maximum, n.ExclusiveMinimum, n.ExclusiveMaximum} {
		if v != nil && !inRange(v.Text, -math.MaxFloat64, math.MaxFloat64) {
			return false
		}
	}
	return true
}

func inRange(text string, lo, hi float64) bool {
	f, _, err := big.ParseFloat(text, 10, 256, big.ToNearestEven)
	return err == nil && f.Cmp(big.NewFloat(lo)) >= 0 && f.Cmp(big.NewFloat(hi)) < 0
}

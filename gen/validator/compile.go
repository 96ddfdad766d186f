package validator

import (
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/shape"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// compile makes the check of a schema that has none yet. It consumes exactly one value whenever it returns true.
func (c *compiler) compile(n *schema.Node) check {
	if scalar := c.scalar(n); scalar != nil {
		return scalar
	}
	if o, ok := shape.Fuse(n); ok && (len(o.Parts) > 1 || o.Closed != nil) {
		return c.fused(n, o)
	}
	if branches, keyword, ok := c.fold(n); ok {
		return c.choice(n, keyword, branches)
	}
	passes := c.passes(n)
	own := shape.Any(shape.Rules(n), ownKeywords...)
	switch {
	case own && len(passes) == 0:
		return c.own(n)
	case !own && len(passes) == 1 && passes[0].alone != nil:
		return passes[0].alone
	case len(passes) == 0:
		return (*wire.Reader).Skip
	}
	// Several rules look at the same value: each reads it again from the start.
	first := check((*wire.Reader).Skip)
	if own {
		first = c.own(n)
	}
	looks := make([]look, len(passes))
	for i, p := range passes {
		looks[i] = p.look()
	}
	return func(r *wire.Reader) bool {
		start := r.Mark()
		if !first(r) {
			return false
		}
		end := r.Mark()
		for _, look := range looks {
			if !look(r, start) {
				return false
			}
		}
		r.Reset(end)
		return true
	}
}

// fused is the check of an object that several schemas describe, in one pass.
func (c *compiler) fused(n *schema.Node, o *shape.Object) check {
	typed := o.Typed()
	at, object := place(typed), c.object(o)
	return func(r *wire.Reader) bool {
		if r.Kind() != wire.KindObject {
			return r.Mismatch(at, "an object")
		}
		return object.check(r)
	}
}

var (
	objectKeywords = []string{"properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties", "maxProperties", "dependentRequired"}
	arrayKeywords  = []string{"prefixItems", "items", "contains", "uniqueItems", "minItems", "maxItems"}
)

// ownKeywords are decided in one pass over the value.
var ownKeywords = append(append(append(append([]string{}, objectKeywords...), arrayKeywords...), textKeywords...), numberKeywords...)

// own is the pass over the value itself: the type, then what belongs to its kind.
func (c *compiler) own(n *schema.Node) check {
	rules := shape.Rules(n)
	var byKind [wire.KindObject + 1]check
	if shape.Any(rules, objectKeywords...) && allows(n, schema.TypeObject) {
		byKind[wire.KindObject] = c.object(&shape.Object{Parts: []*schema.Node{n}, Names: shape.PropertyNames(n)}).check
	}
	if shape.Any(rules, arrayKeywords...) && allows(n, schema.TypeArray) {
		byKind[wire.KindArray] = c.array(n)
	}
	if shape.Any(rules, textKeywords[1:]...) && allows(n, schema.TypeString) {
		rule := c.textRule(n)
		byKind[wire.KindString] = func(r *wire.Reader) bool { return r.CheckText(rule) }
	}
	const numbers = schema.TypeInteger | schema.TypeNumber
	if (shape.Any(rules, numberKeywords[1:]...) || n.Types&numbers == schema.TypeInteger) && (n.Types == 0 || n.Types&numbers != 0) {
		rule := numberRule(n, n.Types)
		byKind[wire.KindNumber] = func(r *wire.Reader) bool { return r.CheckNumber(rule) }
	}
	if n.Types != 0 {
		at, want := place(n), shape.WantTypes(n.Types)
		for _, k := range kinds {
			if n.Types&k.types == 0 {
				byKind[k.kind] = func(r *wire.Reader) bool { return r.Mismatch(at, want) }
			}
		}
	}
	return func(r *wire.Reader) bool {
		if check := byKind[r.Kind()]; check != nil {
			return check(r)
		}
		return r.Skip()
	}
}

// kinds are the kinds of value in the order of the standard's type names.
var kinds = []struct {
	kind  wire.Kind
	types schema.Types // the types that admit a value of the kind
	key   schema.Types // the type by which a decision knows the kind
	want  string
}{
	{wire.KindNull, schema.TypeNull, schema.TypeNull, "null"},
	{wire.KindBool, schema.TypeBoolean, schema.TypeBoolean, "a boolean"},
	{wire.KindNumber, schema.TypeInteger | schema.TypeNumber, schema.TypeNumber, "a number"},
	{wire.KindString, schema.TypeString, schema.TypeString, "a string"},
	{wire.KindArray, schema.TypeArray, schema.TypeArray, "an array"},
	{wire.KindObject, schema.TypeObject, schema.TypeObject, "an object"},
}

// all makes one check of several that hold for the same value; nil where there is none.
func all(checks []check) check {
	switch len(checks) {
	case 0:
		return nil
	case 1:
		return checks[0]
	}
	return func(r *wire.Reader) bool {
		value := r.Mark()
		for i, check := range checks {
			if i > 0 {
				r.Reset(value)
			}
			if !check(r) {
				return false
			}
		}
		return true
	}
}

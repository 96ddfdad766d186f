package schema

import (
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// metaschemaOf compiles the metaschemas of the drafts, each once. jsonschema/v6 carries them.
var metaschemaOf = func() map[*draft]func() (*jsonschema.Schema, error) {
	all := map[*draft]func() (*jsonschema.Schema, error){}
	for _, d := range drafts {
		all[d] = sync.OnceValues(func() (*jsonschema.Schema, error) { return jsonschema.NewCompiler().Compile(d.uri) })
	}
	return all
}()

// checkMeta holds a schema against the metaschema of its draft. The reader has
// refused most of what is wrong already, in plainer words; this is the net below.
// Resources of another dialect inside it are left to a check of their own.
func (b *builder) checkMeta(n *Node) {
	d := n.Resource.dialect
	if d.custom {
		return // of a dialect that may use our keywords differently
	}
	meta, err := metaschemaOf[d.draft]()
	if err != nil {
		panic(fmt.Sprintf("the metaschema that jsonschema/v6 carries does not compile: %v", err))
	}
	err = meta.Validate(b.without(n.Value, d))
	if err == nil {
		return
	}
	invalid, ok := err.(*jsonschema.ValidationError)
	if !ok {
		panic(n.errorf("", "the schema cannot be checked against the metaschema: %v", err))
	}
	// The error furthest down says most.
	var pointer, reason string
	for _, unit := range invalid.BasicOutput().Errors {
		if unit.Error == nil || (reason != "" && strings.Count(unit.InstanceLocation, "/") <= strings.Count(pointer, "/")) {
			continue
		}
		pointer, reason = unit.InstanceLocation, unit.Error.String()
	}
	v := n.Value.Lookup(pointer)
	if v == nil {
		v, pointer = n.Value, ""
	}
	panic(n.File.Errorf(v, n.Pointer+pointer, "not a schema of %s: %s", d.name, reason))
}

// without gives a schema as package encoding/json would read it, with an empty schema in place of every resource of
// another dialect.
func (b *builder) without(v *document.Value, d *dialect) any {
	others := map[*document.Value]bool{}
	for _, res := range b.resources {
		if res.dialect != d && res.value != v && res.Root != nil {
			others[res.value] = true
		}
	}
	if len(others) == 0 {
		return v.Any()
	}
	return v.AnyBut(func(v *document.Value) (any, bool) { return map[string]any{}, others[v] })
}

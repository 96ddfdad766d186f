package schema

import (
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// metaschema is the compiled metaschema of 2020-12. jsonschema/v6 carries it.
var metaschema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.NewCompiler().Compile(draft2020)
})

// checkMeta holds a schema against the metaschema of 2020-12. The reader has
// refused most of what is wrong already, in plainer words; this is the net below.
func (b *builder) checkMeta(n *Node) {
	if d := n.Resource.dialect; d.vocabularies != nil {
		return // of a dialect that may use our keywords differently
	}
	meta, err := metaschema()
	if err != nil {
		panic(fmt.Sprintf("the metaschema that jsonschema/v6 carries does not compile: %v", err))
	}
	err = meta.Validate(n.Value.Any())
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
	panic(n.File.Errorf(v, n.Pointer+pointer, "not a schema of 2020-12: %s", reason))
}

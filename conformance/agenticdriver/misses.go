package agenticdriver

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"sync"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/sample"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/schemas"
)

// largest bounds a generated body, in bytes: a host refuses a body beyond 1,000,000 for its length alone.
const largest = 900_000

// graph is the graph of the published document.
var graph = sync.OnceValues(func() (*schema.Graph, error) {
	const name = "openapi.json"
	data, err := fs.ReadFile(schemas.FS, path.Join("agenticdriver", name))
	if err != nil {
		return nil, err
	}
	file, err := document.Parse(name, data)
	if err != nil {
		return nil, err
	}
	return schema.Build(document.NewSet(file))
})

// made keeps near misses, as making them takes a while.
var made sync.Map // of operation id and seed to *made

type makings struct {
	once   sync.Once
	misses []protocol.Miss
	rules  int
	err    error
}

// misses makes near misses of the body of an operation.
func misses(o *wire.Operation, seed uint64) ([]protocol.Miss, int, error) {
	v, _ := made.LoadOrStore(o.ID+" "+strconv.FormatUint(seed, 10), &makings{})
	m := v.(*makings)
	m.once.Do(func() { m.misses, m.rules, m.err = makeMisses(o, seed) })
	return m.misses, m.rules, m.err
}

func makeMisses(o *wire.Operation, seed uint64) ([]protocol.Miss, int, error) {
	g, err := graph()
	if err != nil {
		return nil, 0, err
	}
	media := o.Body.As("application/json")
	if media == nil {
		return nil, 0, fmt.Errorf("%s takes no JSON", o.ID)
	}
	node, err := g.At(media.Schema.Document + "#" + media.Schema.Pointer)
	if err != nil {
		return nil, 0, err
	}
	if target := node.Target(); target != nil {
		node = target
	}
	check := protocol.Of(media.Schema)
	rules := make(map[protocol.Rule]bool)
	known := func(r sample.Rule) protocol.Rule {
		rule := protocol.Rule{Keyword: r.Keyword, Pointer: r.InstancePointer, Schema: r.Document + "#" + r.SchemaPointer}
		rules[protocol.Rule{Keyword: rule.Keyword, Schema: rule.Schema}] = true
		return rule
	}
	var out []protocol.Miss
	tried := make(map[protocol.Rule]bool)
	for miss := range sample.NearMisses(node, sample.Seed(seed), sample.GaveUp(func(s sample.Skipped) { known(s.Rule) })) {
		rule := known(miss.Rule)
		same := protocol.Rule{Keyword: rule.Keyword, Schema: rule.Schema}
		violations := check(miss.JSON)
		if tried[same] || len(miss.JSON) > largest || len(violations) == 0 {
			continue
		}
		tried[same] = true
		first := violations[0]
		out = append(out, protocol.Miss{Rule: rule, Body: miss.JSON, Shrinks: func(body []byte) bool {
			now := check(body)
			return len(now) > 0 && now[0].Keyword == first.Keyword && now[0].Rule == first.Rule
		}})
	}
	return out, len(rules), nil
}

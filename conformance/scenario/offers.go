package scenario

import (
	"strings"

	"github.com/hallmark-kit/hallmark/conformance/nearest"
	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// Offers is what stand-ins say of themselves, by reference ("model", "tools.clock"): what $standin.… reads.
type Offers map[string]*value.Object

// Add enters the facts of a stand-in and what the protocol makes of them.
func (o Offers) Add(p *protocol.Protocol, in StandIn, facts *value.Object) {
	all := &value.Object{Members: append([]value.Member{}, facts.Members...)}
	if p.Shape != nil {
		all.Members = append(all.Members, p.Shape(in.Kind, in.Name, facts).Members...)
	}
	o[in.Ref] = all
}

// Lookup follows the path of a placeholder after "standin."; reason says why there is nothing.
func (o Offers) Lookup(path []string) (v any, reason string) {
	for n := 1; n <= min(2, len(path)); n++ {
		ref := strings.Join(path[:n], ".")
		offer, ok := o[ref]
		if !ok {
			continue
		}
		if v, ok := value.Walk(offer, path[n:]); ok {
			return v, ""
		}
		hint := ""
		if n < len(path) {
			hint = nearest.Suggestion(path[n], offer.Names())
		}
		return nil, "the stand-in " + ref + " offers no such value" + hint
	}
	refs := make([]string, 0, len(o))
	for ref := range o {
		refs = append(refs, ref)
	}
	return nil, "this scenario has no such stand-in" + nearest.Suggestion(strings.Join(path[:min(2, len(path))], "."), refs)
}

// sampleFacts are what a stand-in might say, before it is started.
func sampleFacts(in StandIn) *value.Object {
	switch in.Kind {
	case KindTools:
		return value.Of("command", "/hallmark", "args", value.List{"stand-in", "tool-server"})
	case KindAgent:
		return value.Of("path", "/hallmark/"+in.Name)
	}
	script, _ := in.Script.(*value.Object)
	if in.Kind == KindHost {
		return value.Of("url", "http://127.0.0.1:1", "ca", "")
	}
	dialect, _ := script.Get("dialect")
	return value.Of("dialect", dialect, "url", "http://127.0.0.1:1", "baseUrl", "http://127.0.0.1:1/v1")
}

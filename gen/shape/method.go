package shape

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// MethodConfig says what a document of parameters and results does not: which methods there are, and who calls them.
type MethodConfig struct {
	Name        string
	From, To    string // roles
	Message     bool   // it is not answered
	Params      string // "FILE#/pointer"; empty: the definition NAME.params
	Result      string // "FILE#/pointer"; empty: the definition NAME.result, unless Message is set
	Description string
	Notes       string
}

// Method is a method with the types of its parameters and its result.
type Method struct {
	MethodConfig
	GoName         string
	Params, Result *Type // Result is nil for a message
}

// methodSuffixes end the names of definitions that belong to methods.
var methodSuffixes = []string{".params", ".result"}

// readMethods finds the types of the methods. Every definition named NAME.params or NAME.result must belong to one.
func (b *builder) readMethods(cfg Config) error {
	if len(cfg.Methods) == 0 {
		return nil
	}
	places := map[string]string{} // definition -> place
	used := map[string]bool{}
	for _, def := range b.graph.Defs {
		for _, suffix := range methodSuffixes {
			if strings.HasSuffix(def.Name, suffix) {
				places[def.Name] = def.Node.Location()
			}
		}
	}
	seen := map[string]bool{}
	for _, m := range cfg.Methods {
		switch {
		case m.Name == "":
			return fmt.Errorf("a method of the configuration has no name")
		case seen[m.Name]:
			return fmt.Errorf("the method %q is given twice", m.Name)
		case m.From == "" || m.To == "":
			return fmt.Errorf("the method %q does not say from whom to whom: give \"from\" and \"to\"", m.Name)
		case m.Message && m.Result != "":
			return fmt.Errorf("the method %q is a message, which has no result", m.Name)
		}
		seen[m.Name] = true
		out := &Method{MethodConfig: m, GoName: GoName(m.Name)}
		for _, part := range []struct {
			suffix string
			place  string
			to     **Type
		}{{".params", m.Params, &out.Params}, {".result", m.Result, &out.Result}} {
			place, exists := places[m.Name+part.suffix]
			switch {
			case part.suffix == ".result" && m.Message:
				continue
			case part.place != "":
				place = part.place
			case !exists:
				return fmt.Errorf("the method %q has no definition %s%s: add it to a document, or say where its schema is", m.Name, m.Name, part.suffix)
			default:
				used[m.Name+part.suffix] = true
			}
			n, err := b.graph.At(place)
			if err != nil {
				return fmt.Errorf("the method %q: %w", m.Name, err)
			}
			*part.to = b.named(n, candidate{rank: rankTitle, text: m.Name + part.suffix})
		}
		b.protocol.Methods = append(b.protocol.Methods, out)
	}
	unused := make([]string, 0)
	for name := range places {
		if !used[name] {
			unused = append(unused, name)
		}
	}
	if len(unused) > 0 {
		sort.Strings(unused)
		file, pointer, _ := strings.Cut(places[unused[0]], "#")
		for _, f := range b.graph.Files() {
			if f.Name == file {
				return f.Errorf(f.Root.Lookup(pointer), pointer, "the definition belongs to no method of the configuration (%d such: %s)", len(unused), strings.Join(unused, ", "))
			}
		}
	}
	sort.Slice(b.protocol.Methods, func(i, j int) bool { return b.protocol.Methods[i].Name < b.protocol.Methods[j].Name })
	return nil
}

// Topic is an event definition with the type of its payload.
type Topic struct {
	*document.Event
	GoName  string
	File    *document.File
	Payload *Type
}

// readTopics finds the event definitions.
func (b *builder) readTopics() {
	for _, f := range b.graph.Files() {
		root := b.graph.Roots[f.Name+"#"]
		if f.Form != document.EventDefinition || root == nil {
			continue
		}
		b.protocol.Topics = append(b.protocol.Topics, &Topic{Event: f.Event, GoName: GoName(topicName(f.Event)), File: f,
			Payload: b.named(root, candidate{rank: rankTitle, text: rootName(root)})})
	}
	sort.Slice(b.protocol.Topics, func(i, j int) bool {
		x, y := b.protocol.Topics[i], b.protocol.Topics[j]
		return x.Topic < y.Topic || x.Topic == y.Topic && x.Version < y.Version
	})
}

// topicName names a topic: versions after the first say which they are, so that a new one renames nothing.
func topicName(e *document.Event) string {
	if e.Version == 1 {
		return e.Topic
	}
	return fmt.Sprintf("%s.v%d", e.Topic, e.Version)
}

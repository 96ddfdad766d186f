package agenticdriver

import (
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/fixtures"
	"github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

func TestMessagesAreValidOrBreakTheRuleOfTheIndex(t *testing.T) {
	data, err := fixtures.FS.ReadFile("agenticdriver/messages/index.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var index struct {
		Valid, Invalid []struct{ File, Type, Breaks string }
	}
	if err := yaml.Unmarshal(data, &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Valid) == 0 || len(index.Invalid) == 0 {
		t.Fatal("the index names no messages")
	}
	for _, m := range append(index.Valid, index.Invalid...) {
		text, err := fixtures.FS.ReadFile("agenticdriver/messages/" + m.File)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if v := protocol.Of(agenticdriver.Types[m.Type])(text); len(v) > 0 {
			got = v[0].Keyword + " at " + v[0].Pointer
			if v[0].Pointer == "" {
				got += "(root)"
			}
			if len(v) > 1 {
				t.Errorf("%s breaks more than one rule: %v", m.File, v)
			}
		}
		if got != m.Breaks {
			t.Errorf("%s breaks %q, the index says %q", m.File, got, m.Breaks)
		}
	}
}

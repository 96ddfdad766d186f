package tools

import "testing"

func TestGate(t *testing.T) {
	tests := []struct {
		name     string
		policy   Policy
		always   []string
		readOnly bool
		want     Verdict
	}{
		{"a read-only tool runs under ask", Ask, nil, true, Run},
		{"a read-only tool runs under read-only", ReadOnly, nil, true, Run},
		{"another tool is asked for under ask", Ask, nil, false, AskFor},
		{"another tool runs under allow-writes", AllowWrites, nil, false, Run},
		{"another tool is refused under read-only", ReadOnly, nil, false, Refuse},
		{"a recorded tool runs under ask", Ask, []string{"s:t"}, false, Run},
		{"a record does not help under read-only", ReadOnly, []string{"s:t"}, false, Refuse},
		{"a record of another tool does not help", Ask, []string{"s:u", "r:t", "t"}, false, AskFor},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := NewGate(tt.policy, tt.always)
			if got := g.Check("s", "t", tt.readOnly); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if got, want := g.Offers(tt.readOnly), tt.want != Refuse; got != want || g.Knows(tt.readOnly) != want {
				t.Errorf("offered %v, want %v", got, want)
			}
		})
	}
}

func TestAllowCoversOneToolOfOneServer(t *testing.T) {
	g := NewGate(Ask, nil)
	g.Allow("s", "t")
	for _, tt := range []struct {
		server, tool string
		want         Verdict
	}{{"s", "t", Run}, {"s", "u", AskFor}, {"r", "t", AskFor}} {
		if got := g.Check(tt.server, tt.tool, false); got != tt.want {
			t.Errorf("%s:%s: got %v, want %v", tt.server, tt.tool, got, tt.want)
		}
	}
}

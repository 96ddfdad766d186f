package protocol_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/gen/protocol"
)

func TestEveryGeneratedPackageIsListed(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != "testdata" {
			want = append(want, entry.Name())
		}
	}
	if diff := cmp.Diff(want, protocol.Names()); diff != "" {
		t.Errorf("registry.go does not list the folders here (-folders +listed):\n%s", diff)
	}
	for _, name := range protocol.Names() {
		if types, ok := protocol.Types(name); !ok || len(types) == 0 {
			t.Errorf("%s has no types", name)
		}
	}
	if _, ok := protocol.Types("unknown"); ok {
		t.Error("types of a package that does not exist")
	}
}

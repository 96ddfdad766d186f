package document_test

import (
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
)

func TestAPlaceKnowsItsPointer(t *testing.T) {
	f, err := document.Parse("dir/a.json", []byte(`{"a/b":[10,{"c":true}]}`))
	if err != nil {
		t.Fatal(err)
	}
	at := f.Top().Member("a/b").Item(1).Member("c")
	if at.Location() != "dir/a.json#/a~1b/1/c" || at.Value != f.Root.Lookup(at.Pointer) || at.File() != f {
		t.Errorf("%s is %v", at.Location(), at.Value)
	}
	if got := at.Errorf("no %s", "way").Error(); got != "dir/a.json:1:17: at /a~1b/1/c: no way" {
		t.Error(got)
	}
	for name, member := range f.Top().Members() {
		if name != "a/b" || member != f.Top().Member("a/b") {
			t.Errorf("%q is at %s", name, member.Pointer)
		}
	}
	if none := f.Top().Member("x").Item(0); none.Value != nil || none.Pointer != "/x/0" {
		t.Errorf("nothing is %v at %s", none.Value, none.Pointer)
	}
}

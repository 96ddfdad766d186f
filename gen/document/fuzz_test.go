package document_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
)

// FuzzParse: no panic; whatever is accepted is JSON for encoding/json too, keeps
// its bytes, and is equal to its canonical text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":["string","null"],"minLength":1}`,
		`{"topic":"t","version":1,"payloadSchema":true}`, `{"openapi":"3.1.0"}`,
		`[1e5,-0.5,"\ud83d\ude00\u0000",null,true,false,{"a":{"b":[[]]}}]`, `{"a":1,"a":2}`, `"\ud800"`, "\ufeff1", `1e999999999`,
		"\"\xed\xa0\x80\"", `[[[[`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := document.Parse("f", data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatal("accepted, but not JSON")
		}
		if !bytes.Equal(bytes.TrimSpace(data), file.Root.Raw()) {
			t.Fatal("the root is not the whole document")
		}
		again, err := document.Parse("f", []byte(file.Root.Canonical()))
		if err != nil {
			t.Fatalf("canonical text: %v", err)
		}
		if !again.Root.Equal(file.Root) {
			t.Fatal("the canonical text is another value")
		}
		for pointer, v := range file.Root.All() {
			if file.Root.Lookup(pointer) != v {
				t.Fatalf("%s leads elsewhere", pointer)
			}
		}
	})
}

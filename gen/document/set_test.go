package document_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
)

func TestResolveURI(t *testing.T) {
	for _, test := range []struct{ base, ref, uri, fragment string }{
		{"https://a.example/b/c.json", "d.json", "https://a.example/b/d.json", ""},
		{"https://a.example/b/c.json", "../d.json#/x", "https://a.example/d.json", "/x"},
		{"https://a.example/b/c.json", "#x", "https://a.example/b/c.json", "x"},
		{"https://a.example/b/c.json", "", "https://a.example/b/c.json", ""},
		{"https://a.example/b/c.json", "//z.example/y#/a%20b", "https://z.example/y", "/a b"},
		{"dir/a.json", "b.json#/c", "dir/b.json", "/c"},
		{"dir/a.json", "../b%20c.json", "b c.json", ""},
		{"dir/a.json", "../../b.json", "../b.json", ""},
		{"../a.json", "../b.json", "../../b.json", ""},
		{"/abs/a.json", "b.json", "/abs/b.json", ""},
		{"dir/a.json", "/abs/b.json", "/abs/b.json", ""},
		{"dir/a.json", "https://a.example/b", "https://a.example/b", ""},
		{"urn:x:y", "#z", "urn:x:y", "z"},
		{"dir/a.json", "urn:x:y#z", "urn:x:y", "z"},
		{"C:/dir/a.json", "b.json", "C:/dir/b.json", ""},
	} {
		uri, fragment, err := document.ResolveURI(test.base, test.ref)
		if err != nil || uri != test.uri || fragment != test.fragment {
			t.Errorf("%s against %s: %q, %q, %v", test.ref, test.base, uri, fragment, err)
		}
	}
	for _, test := range [][2]string{{"urn:x:y", "z"}, {"a", "http://[::1"}, {"a", "%zz"}} {
		if _, _, err := document.ResolveURI(test[0], test[1]); err == nil {
			t.Errorf("%s against %s gives no error", test[1], test[0])
		}
	}
}

func TestSetOpensByNameOrLoads(t *testing.T) {
	f, err := document.Parse(`.\dir\a.json`, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	set := document.NewSet(f)
	if got, err := set.Open("dir/a.json"); got != f || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := set.Open("b.json"); !errors.Is(err, document.ErrNotHeld) {
		t.Errorf("without a Loader: %v", err)
	}
	loads := 0
	set.Loader = func(uri string) ([]byte, error) {
		loads++
		switch uri {
		case "b.json":
			return []byte(`{"title":"b"}`), nil
		case "broken.json":
			return []byte(`{`), nil
		}
		return nil, fs.ErrNotExist
	}
	for range 2 {
		if got, err := set.Open("b.json"); err != nil || got.Root.StringMember("title") != "b" {
			t.Errorf("%v, %v", got, err)
		}
	}
	if loads != 1 || len(set.Files()) != 2 {
		t.Errorf("%d loads, %d files", loads, len(set.Files()))
	}
	var broken *document.Error
	if _, err := set.Open("broken.json"); !errors.As(err, &broken) || broken.File != "broken.json" {
		t.Errorf("broken: %v", err)
	}
	if _, err := set.Open("none.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if err := set.Add(f); err == nil {
		t.Error("one name twice is accepted")
	}
}

func TestShortNamesTellFilesApart(t *testing.T) {
	for _, names := range [][2]string{
		{"api/openapi.json a.json", "openapi.json a.json"},
		{"a.json users/a.json ../users/a.json groups/a.json", "a.json users/a.json ../users/a.json groups/a.json"},
		{"v1/users/get.json v1/groups/get.json v1/groups/put.json", "users/get.json groups/get.json put.json"},
		{"v1/users/get.json v2/users/get.json get.json", "v1/users/get.json v2/users/get.json get.json"},
	} {
		var files []*document.File
		for _, name := range strings.Fields(names[0]) {
			f, err := document.Parse(name, []byte("true"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		var got []string
		short := document.ShortNames(files)
		for _, f := range files {
			got = append(got, short[f.Name])
		}
		if strings.Join(got, " ") != names[1] {
			t.Errorf("%s are %s, want %s", names[0], got, names[1])
		}
	}
}

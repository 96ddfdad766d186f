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

func TestADescriptionHasTheURIThatItGivesItself(t *testing.T) {
	for _, test := range []struct{ rule, text, want string }{
		{"an absolute one", `{"openapi":"3.2.0","$self":"https://a.example/api"}`, "https://a.example/api"},
		{"one relative to where it lies", `{"openapi":"3.2.1","$self":"../b.json"}`, "b.json"},
		{"none", `{"openapi":"3.2.0"}`, "dir/a.json"},
		{"none before 3.2", `{"openapi":"3.1.1","$self":"https://a.example/api"}`, "dir/a.json"},
		{"none of a schema", `{"$self":"https://a.example/api"}`, "dir/a.json"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			f, err := document.Parse("dir/a.json", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if f.Base() != test.want {
				t.Errorf("base %s, want %s", f.Base(), test.want)
			}
			set := document.NewSet(f)
			for _, uri := range []string{f.Base(), "dir/a.json"} {
				if got, err := set.Open(uri); got != f {
					t.Errorf("%s opens %v, %v", uri, got, err)
				}
			}
		})
	}
}

func TestADescriptionThatIsFoundUnderTwoNamesIsOne(t *testing.T) {
	text := []byte(`{"openapi":"3.2.0","$self":"https://a.example/api"}`)
	f, err := document.Parse("a.json", text)
	if err != nil {
		t.Fatal(err)
	}
	set := document.NewSet(f)
	set.Loader = func(string) ([]byte, error) { return text, nil }
	if got, err := set.Open("copy.json"); got != f || err != nil || len(set.Files()) != 1 {
		t.Errorf("%v, %v, %d files", got, err, len(set.Files()))
	}
}

func TestTwoDescriptionsCannotHaveOneURI(t *testing.T) {
	own := `{"openapi":"3.2.0","$self":"https://a.example/api"}`
	for _, test := range []struct{ rule, name, text, want string }{
		{"both by $self", "b.json", own, "b.json: a.json and this document are both https://a.example/api, by name or by $self"},
		{"one by its name", "https://a.example/api", `{}`, "https://a.example/api: a.json and this document are both https://a.example/api, by name or by $self"},
		{"one by the other's name", "b.json", `{"openapi":"3.2.0","$self":"a.json"}`, "b.json: a.json and this document are both a.json, by name or by $self"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			a, err := document.Parse("a.json", []byte(own))
			if err != nil {
				t.Fatal(err)
			}
			set := document.NewSet(a)
			b, err := document.Parse(test.name, []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if err := set.Add(b); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestTheEditionOfADescriptionIsItsVersionWithoutThePatch(t *testing.T) {
	for text, want := range map[string]document.Edition{
		`{"openapi":"3.0.3"}`: document.OpenAPI30, `{"openapi":"3.1.1"}`: document.OpenAPI31, `{"openapi":"3.2.0"}`: document.OpenAPI32,
		`{"openapi":"3.3.0"}`: 0, `{"openapi":"3.20.0"}`: 0, `{"type":"object"}`: 0,
	} {
		f, err := document.Parse("a.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if f.Edition() != want {
			t.Errorf("%s: edition %d, want %d", text, f.Edition(), want)
		}
	}
}

package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/project"
)

// write makes files in a new folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestConfigurationIsReadStrictly(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"unknown setting":   {"package: x\nfolder: y\n", ":2:1: at /folder: there is no such setting; known are package, title, out, documents, root and names"},
		"wrong kind":        {"package: x\ndocuments:\n  - a.json\n  - 1\n", ":4:5: at /documents/1: a string was expected"},
		"not a name":        {"names:\n  \"a.json#/x\": lower\n", ":2:16: at /names/a.json#~1x: a string matching ^[A-Z][A-Za-z0-9]*$ was expected"},
		"given twice":       {"package: x\ntitle: a\npackage: y\n", ":3:1: "},
		"not YAML":          {"package: [x\n", ":1:1: this is not YAML: "},
		"two documents":     {"package: x\n---\npackage: y\n", ":3:1: one YAML document was expected; another begins here"},
		"a number":          {"package: 1\n", ":1:10: at /package: a string"},
		"a key of no text":  {"1: x\n", ":1:1: at /1: there is no such setting"},
		"the whole is text": {"just text\n", ":1:1: an object was expected"},
	} {
		file := filepath.Join(write(t, map[string]string{"hallmark.yaml": test.text}), "hallmark.yaml")
		_, err := project.ReadConfig(file)
		if err == nil || !strings.HasPrefix(err.Error(), file+test.want) {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
	file := filepath.Join(write(t, map[string]string{"hallmark.yaml": "# nothing yet\n"}), "hallmark.yaml")
	if _, err := project.ReadConfig(file); err != nil {
		t.Errorf("an empty configuration: %v", err)
	}
}

func TestFlagsComeBeforeTheConfiguration(t *testing.T) {
	dir := write(t, map[string]string{"conf/hallmark.yaml": "package: x\ntitle: X\nout: made\ndocuments: [../a.json]\nnames: {\"../a.json#\": Thing}\n", "a.json": "true", "b.json": "true"})
	config := filepath.Join(dir, "conf", "hallmark.yaml")
	plan, err := (&project.Request{Config: config}).Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{plan.Shape.Package, plan.Shape.Title, plan.Out, plan.Shape.Names["../a.json#"], plan.Documents.Set.Files()[0].Name}
	if diff := cmp.Diff([]string{"x", "X", filepath.Join(dir, "conf", "made"), "Thing", "../a.json"}, got); diff != "" {
		t.Errorf("by configuration (-want +got):\n%s", diff)
	}
	plan, err = (&project.Request{Config: config, Package: "y", Out: "here", Documents: []string{filepath.Join(dir, "b.json")}}).Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	got = []string{plan.Shape.Package, plan.Out, plan.Documents.Set.Files()[0].Name}
	if diff := cmp.Diff([]string{"y", "here", "../b.json"}, got); diff != "" {
		t.Errorf("by flags (-want +got):\n%s", diff)
	}
}

func TestRequestsThatCannotBeMet(t *testing.T) {
	dir := write(t, map[string]string{"a.json": "true", "empty.yaml": "package: x\n", "d.yaml": "type: [\n", "list.json": "[1]", "x.json": "true"})
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, test := range map[string]struct {
		request project.Request
		want    string
	}{
		"no package":        {project.Request{Documents: []string{at("a.json")}}, "give --package NAME"},
		"a keyword":         {project.Request{Documents: []string{at("a.json")}, Package: "type"}, `"type" cannot be the name of a Go package`},
		"a program":         {project.Request{Documents: []string{at("a.json")}, Package: "main"}, `"main" cannot be the name of a Go package`},
		"no documents":      {project.Request{Config: at("empty.yaml")}, "lists no documents"},
		"no such file":      {project.Request{Documents: []string{at("no.json")}, Package: "x"}, "no.json"},
		"a broken document": {project.Request{Documents: []string{at("d.yaml")}, Package: "x"}, "d.yaml:1:1: this is not YAML: "},
		"given twice":       {project.Request{Documents: []string{at("a.json"), at("a.json")}, Package: "x"}, "two documents of one set have this name"},
	} {
		if _, err := test.request.Plan(nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
}

func TestNothingIsFetchedFromANetwork(t *testing.T) {
	for ref, want := range map[string]string{
		"https://example.com/x.json": "references are not followed over the network: download https://example.com/x.json",
		"//example.com/x.json":       "references lead to files by relative paths only",
		"/etc/passwd":                "references lead to files by relative paths only",
		"file:///etc/passwd":         "references are not followed over the network",
		"missing.json":               "missing.json",
	} {
		docs, err := project.Open("", []string{project.Stdin}, strings.NewReader(`{"properties":{"a":{"$ref":"`+ref+`"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = docs.Graph()
		var placed *document.Error
		if !errors.As(err, &placed) || placed.Pointer != "/properties/a/$ref" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", ref, err, want)
		}
	}
}

// Documents that were published under one address may be kept in one folder, whatever the address.
func TestAReferenceByAddressIsFoundBesideTheDocument(t *testing.T) {
	dir := write(t, map[string]string{
		"a.json": `{"$id":"https://example.com/v1/a.json","properties":{"b":{"$ref":"b.json"}}}`,
		"b.json": `{"$id":"https://example.com/v1/b.json","type":"string"}`,
	})
	docs, err := project.Open("", []string{filepath.Join(dir, "a.json")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := docs.Graph(); err != nil {
		t.Error(err)
	}
}

func TestErrorsNameThePathFromWhereTheCommandWasStarted(t *testing.T) {
	dir := write(t, map[string]string{"in/a.json": `{"$ref":"../b.json"}`, "b.json": `{"type":"strin"}`, "in/c.json": "{"})
	for file, want := range map[string]string{"in/a.json": filepath.Join(dir, "b.json") + ":1:9: at /type: ", "in/c.json": filepath.Join(dir, "in", "c.json") + ":1:2: "} {
		docs, err := project.Open("", []string{filepath.Join(dir, filepath.FromSlash(file))}, nil)
		if err == nil {
			_, err = docs.Graph()
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", file, err, want)
		}
	}
}

func TestSchemasAreFoundByNameAndPointer(t *testing.T) {
	dir := write(t, map[string]string{
		"a.json":     `{"$defs":{"A":{"$anchor":"here"},"Twice":{"$defs":{"Twice":{}}}},"properties":{"p":{"$ref":"sub/b.json"}}}`,
		"sub/b.json": `{"$defs":{"B":{}}}`,
		"api.json":   `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"components":{"schemas":{"Pet":{"type":"object"}}}}`,
	})
	for text, want := range map[string]string{
		"": "a.json#", "#": "a.json#", "A": "a.json#/$defs/A", "/$defs/A": "a.json#/$defs/A", "#/properties/p": "a.json#/properties/p",
		"here": "a.json#/$defs/A", "#here": "a.json#/$defs/A", "B": "sub/b.json#/$defs/B", "sub/b.json#/$defs/B": "sub/b.json#/$defs/B",
		"Nobody": `error: no definition is called "Nobody"; there are: A, B, Twice`,
		"Twice":  `error: 2 definitions are called "Twice"; give the pointer of one: a.json#/$defs/Twice, a.json#/$defs/Twice/$defs/Twice`,
		"/nope":  "error: a.json#/nope: no schema there: nothing is at /nope in a.json#",
	} {
		if got := find(t, filepath.Join(dir, "a.json"), text); !strings.HasPrefix(strings.ReplaceAll(got, filepath.ToSlash(dir)+"/", ""), want) {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	if got := find(t, filepath.Join(dir, "api.json"), "Pet"); got != "api.json#/components/schemas/Pet" {
		t.Error(got)
	}
	if got := find(t, filepath.Join(dir, "api.json"), ""); !strings.Contains(got, "name one of its schemas: Pet") {
		t.Error(got)
	}
}

func find(t *testing.T, file, text string) string {
	t.Helper()
	docs, err := project.Open("", []string{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := docs.Graph()
	if err != nil {
		t.Fatal(err)
	}
	n, err := docs.Find(g, text)
	if err != nil {
		return "error: " + err.Error()
	}
	return n.Location()
}

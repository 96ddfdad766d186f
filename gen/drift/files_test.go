package drift_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/gen/drift"
)

// spread is the files of a description of which every object that may be a reference lies in a file of its own.
type spread map[string][]byte

// spreadOut spreads a description in JSON over the files of a folder.
func spreadOut(t *testing.T, folder, text string) drift.Input {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	s := spread{}
	each(root["paths"], s.pathItem)
	each(root["webhooks"], s.pathItem)
	components := member(root, "components")
	each(components["parameters"], s.move)
	each(components["securitySchemes"], s.move)
	each(components["callbacks"], s.callback)
	each(components["pathItems"], s.pathItem)
	s["api.json"] = marshal(root)
	return drift.Input{Name: path.Join(folder, "api.json"), Data: s["api.json"], Loader: func(uri string) ([]byte, error) {
		if data, ok := s[strings.TrimPrefix(uri, folder+"/")]; ok {
			return data, nil
		}
		return nil, fs.ErrNotExist
	}}
}

func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func member(v any, name string) map[string]any {
	o, _ := v.(map[string]any)
	m, _ := o[name].(map[string]any)
	return m
}

// each replaces the members or elements of a value.
func each(v any, with func(any) any) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = with(value)
		}
	case []any:
		for i, value := range v {
			v[i] = with(value)
		}
	}
}

// move puts an object into a file and gives the reference to it.
func (s spread) move(v any) any {
	name := fmt.Sprintf("part%d.json", len(s))
	s[name] = bytes.ReplaceAll(marshal(v), []byte(`"$ref":"#/`), []byte(`"$ref":"api.json#/`))
	return map[string]any{"$ref": name}
}

func (s spread) pathItem(v any) any {
	each(v.(map[string]any)["parameters"], s.move)
	for method := range v.(map[string]any) {
		o := member(v, method)
		each(o["parameters"], s.move)
		each(o["callbacks"], s.callback)
		each(o["responses"], func(r any) any {
			each(member(r, "headers"), s.move)
			return s.move(r)
		})
		if o["requestBody"] != nil {
			o["requestBody"] = s.move(o["requestBody"])
		}
	}
	return s.move(v)
}

func (s spread) callback(v any) any {
	if v.(map[string]any)["$ref"] == nil {
		each(v, s.pathItem)
	}
	return s.move(v)
}

// How a description is cut into files does not matter: every change is found in files as it is in one.
func TestChangesAreFoundInDescriptionsOverSeveralFiles(t *testing.T) {
	for _, c := range operationChanges {
		t.Run(c.name, func(t *testing.T) {
			r, err := drift.Compare(spreadOut(t, "v1", api+c.old+"}"), spreadOut(t, "v2", api+c.new+"}"), drift.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c.held(t, r)
		})
	}
}

// Files may be alike, pointers and all: what is found in the one is not what is found in the other.
func TestEqualEditsOfTwoFilesAreTwoFindings(t *testing.T) {
	version := func(folder, item string) drift.Input {
		text := api + `"paths": {"/a": {"$ref": "paths/a.json"}, "/b": {"$ref": "paths/b.json"}}}`
		return drift.Input{Name: folder + "/api.json", Data: []byte(text), Loader: func(string) ([]byte, error) { return []byte(item), nil }}
	}
	r, err := drift.Compare(version("v1", `{"get": {`+ok+`}}`), version("v2", `{"get": {"deprecated": true, `+ok+`}}`), drift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, f := range r.Findings {
		places = append(places, f.Old.File+f.Old.Pointer+" "+f.New.File+f.New.Pointer)
	}
	slices.Sort(places)
	want := []string{"v1/paths/a.json/get v2/paths/a.json/get", "v1/paths/b.json/get v2/paths/b.json/get"}
	if !slices.Equal(places, want) {
		t.Fatalf("found at %v, want %v\n%s", places, want, findings(r))
	}
	list, err := drift.ParseIgnores("ignore.yaml", []byte(`[{rule: operation-deprecated, pointer: "paths/a.json#/get", reason: r, expires: 2999-01-01}]`))
	if err != nil {
		t.Fatal(err)
	}
	if problems := r.Ignore(list, time.Unix(0, 0)); len(problems) > 0 || (r.Findings[0].Ignored == nil) == (r.Findings[1].Ignored == nil) {
		t.Errorf("the entry for a file is about %+v; %v", r.Findings, problems)
	}
}

// A message shows an edit by the refusal at the edit, though another file has an edit at the same pointer and whatever
// the old version accepts is refused for both.
func TestAWitnessShowsTheEditOfItsFile(t *testing.T) {
	version := func(folder, user, group string) drift.Input {
		files := map[string]string{
			"user.json":  `{"type": "object", "required": ["id", "group"], "properties": {"id": {"type": "string", ` + user + `}, "group": {"$ref": "group.json"}}}`,
			"group.json": `{"type": "object", "required": ["id"], "properties": {"id": {"type": "string", ` + group + `}}}`,
		}
		text := api + `"paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "user.json"}}}}, ` + ok + `}}}}`
		return drift.Input{Name: folder + "/api.json", Data: []byte(text), Loader: func(uri string) ([]byte, error) {
			return []byte(files[strings.TrimPrefix(uri, folder+"/")]), nil
		}}
	}
	r, err := drift.Compare(version("v1", `"minLength": 5`, `"minLength": 6`), version("v2", `"minLength": 5, "maxLength": 3`, `"minLength": 6, "maxLength": 4`), drift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		want := map[string]string{"v2/user.json": "/id", "v2/group.json": "/group/id"}[f.New.File]
		if f.Witness == nil || f.Witness.Instance != want || f.Witness.Schema != "/properties/id" {
			t.Errorf("%s in %s is shown by %+v", f.Rule, f.New.File, f.Witness)
		}
	}
	if len(r.Findings) != 2 {
		t.Error(findings(r))
	}
}

func TestVersionsWhoseFilesAreIncompleteAreRefused(t *testing.T) {
	text := api + `"paths": {"/a": {"$ref": "a.json"}}}`
	_, err := drift.Compare(drift.Input{Name: "old.json", Data: []byte(text)}, drift.Input{Name: "new.json", Data: []byte(text + " ")}, drift.Options{})
	if err == nil || !strings.Contains(err.Error(), `at /paths/~1a/$ref: $ref "a.json" cannot be resolved: no such document: a.json`) {
		t.Errorf("error %v", err)
	}
}

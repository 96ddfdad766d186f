package reference_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/document/reference"
)

func TestWhat32BringsDoesNotCountBefore(t *testing.T) {
	_, now := set(t, `{"openapi":"3.2.0"}`, nil)
	_, before := set(t, `{"openapi":"3.1.1"}`, nil)
	for _, member := range []struct {
		object reference.Kind
		name   string
	}{
		{reference.PathItem, "query"}, {reference.PathItem, "additionalOperations"}, {reference.Components, "mediaTypes"},
		{reference.Media, "itemSchema"}, {reference.Media, "prefixEncoding"}, {reference.Media, "itemEncoding"},
		{reference.Encoding, "encoding"}, {reference.Response, "summary"}, {reference.Scheme, "deprecated"},
	} {
		if _, ok := reference.LayoutOf(now).PartOf(member.object, member.name); !ok {
			t.Errorf("3.2 has no %s of a %s", member.name, member.object)
		}
		if _, ok := reference.LayoutOf(before).PartOf(member.object, member.name); ok {
			t.Errorf("3.1 has %s of a %s", member.name, member.object)
		}
	}
	if !reference.LayoutOf(now).MayRefer(reference.Media) || reference.LayoutOf(before).MayRefer(reference.Media) {
		t.Error("media types may be references as of 3.2")
	}
}

func TestAFileIsLaidOutAsItsOwnVersionSays(t *testing.T) {
	_, now := set(t, `{"openapi":"3.2.0"}`, nil)
	_, before := set(t, `{"openapi":"3.1.1"}`, nil)
	_, part := set(t, `{"get":{}}`, nil)
	if got := reference.LayoutOf(now).In(before); got != reference.LayoutOf(before) {
		t.Errorf("a description of 3.1 is read as %v", got)
	}
	if got := reference.LayoutOf(now).In(part); got != reference.LayoutOf(now) {
		t.Errorf("a part of a description of 3.2 is read as %v", got)
	}
}

func TestAPathItemHasOperationsOfFixedAndOfOtherMethods(t *testing.T) {
	item := `{"summary":"","query":{},"additionalOperations":{"COPY":{},"get":{},"M-SEARCH":{}},"x-get":{},"get":{}}`
	for version, want := range map[string][]string{
		"3.2.0": {"QUERY /query", "COPY /additionalOperations/COPY", "get /additionalOperations/get", "M-SEARCH /additionalOperations/M-SEARCH", "GET /get"},
		"3.1.0": {"GET /get"},
	} {
		_, f := set(t, `{"openapi":"`+version+`","item":`+item+`}`, nil)
		operations, err := reference.LayoutOf(f).Operations(f.Top().Member("item"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range operations {
			got = append(got, o.Method+" "+o.At.Pointer[len("/item"):])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

func TestAKeyOfAdditionalOperationsIsTheNameOfAnotherMethod(t *testing.T) {
	for key, want := range map[string]string{
		"POST":  `additionalOperations cannot have the method POST; the path item has it under "post"`,
		"QUERY": `additionalOperations cannot have the method QUERY; the path item has it under "query"`,
		"A B":   `the key of an additional operation must be the name of an HTTP method, not "A B"`,
		"":      `the key of an additional operation must be the name of an HTTP method, not ""`,
	} {
		_, f := set(t, `{"openapi":"3.2.0","item":{"additionalOperations":{"`+key+`":{}}}}`, nil)
		_, err := reference.LayoutOf(f).Operations(f.Top().Member("item"))
		var e *document.Error
		if !errors.As(err, &e) || e.Reason != want || e.Pointer != "/item/additionalOperations/"+key || e.Line != 1 {
			t.Errorf("%q: %v, want %s", key, err, want)
		}
	}
}

func TestASecurityRequirementNamesASchemeOrRefersToOne(t *testing.T) {
	files := map[string]string{"api/auth.json": `{"components":{"securitySchemes":{"Key":{"type":"apiKey"}},"headers":{"H":{"schema":{}}}}}`, "api/token": `{"type":"http"}`}
	for name, test := range map[string]struct{ version, key, at, component, wrong string }{
		"a name":                       {"3.2.0", "token", "api/main.json#/components/securitySchemes/token", "token", ""},
		"a name before 3.2":            {"3.1.0", "token", "api/main.json#/components/securitySchemes/token", "token", ""},
		"a file that a name hides":     {"3.2.0", "./token", "api/token#", "", ""},
		"a pointer to a component":     {"3.2.0", "#/components/securitySchemes/token", "api/main.json#/components/securitySchemes/token", "token", ""},
		"a scheme of another file":     {"3.2.0", "auth.json#/components/securitySchemes/Key", "api/auth.json#/components/securitySchemes/Key", "", ""},
		"a pointer before 3.2":         {"3.1.0", "#/components/securitySchemes/token", "", "", `components/securitySchemes has no "#/components/securitySchemes/token"`},
		"what is nowhere":              {"3.2.0", "other", "", "", `components/securitySchemes has no "other", and as a URI reference it leads to none: "other" cannot be resolved: no such document: api/other (file does not exist)`},
		"something else than a scheme": {"3.2.0", "auth.json#/components/headers/H", "", "", `components/securitySchemes has no "auth.json#/components/headers/H", and as a URI reference it leads to none: "auth.json#/components/headers/H" must lead to a scheme, but api/auth.json#/components/headers/H is a header`},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := set(t, `{"openapi":"`+test.version+`","security":[{"`+test.key+`":[]}],"components":{"securitySchemes":{"token":{"type":"http"}}}}`, files)
			member := f.Top().Member("security").Item(0).Member(test.key)
			at, component, err := reference.LayoutOf(f).SchemeOf(s, f, member, test.key)
			if test.wrong != "" {
				var e *document.Error
				if !errors.As(err, &e) || e.Reason != test.wrong || e.Pointer != member.Pointer {
					t.Errorf("got  %v\nwant %s", err, test.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if at.Location() != test.at || component != test.component {
				t.Errorf("it is %s, component %q", at.Location(), component)
			}
		})
	}
}

package agenticdriver

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func TestEveryFaultIsDescribedOnceAndChangesAnEdge(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range table() {
		if !kebab.MatchString(f.id) || seen[f.id] {
			t.Errorf("%q is no id, or comes twice", f.id)
		}
		seen[f.id] = true
		if f.title == "" || !strings.HasSuffix(f.does, ".") {
			t.Errorf("%s: want a title, and a sentence that says what the host does", f.id)
		}
		e := &edges{}
		f.apply(e)
		if reflect.ValueOf(*e).IsZero() {
			t.Errorf("%s changes nothing", f.id)
		}
	}
}

// A policy value that no fault sets is dead.
func TestEveryPolicyValueIsSetByAFault(t *testing.T) {
	set := map[string]bool{}
	for _, f := range table() {
		e := &edges{}
		f.apply(e)
		for name, v := range policyValues(&e.policy) {
			set[name] = set[name] || !v.IsZero()
		}
	}
	for name, is := range set {
		if !is {
			t.Errorf("no fault sets the policy value %s", name)
		}
	}
}

// policyValues are the values of all groups, by name.
func policyValues(policy any) map[string]reflect.Value {
	values := map[string]reflect.Value{}
	groups := reflect.ValueOf(policy).Elem()
	for i := range groups.NumField() {
		group := groups.Field(i)
		for j := range group.NumField() {
			values[group.Type().Field(j).Name] = group.Field(j)
		}
	}
	return values
}

func TestUnknownFaultIsRefusedWithTheNearestOne(t *testing.T) {
	if _, err := newEdges("cachable"); err == nil || !strings.Contains(err.Error(), `"cacheable"`) {
		t.Errorf("got %v", err)
	}
}

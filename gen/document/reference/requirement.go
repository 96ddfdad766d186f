package reference

import "github.com/hallmark-kit/hallmark/gen/document"

// SchemeOf gives the security scheme that a member of a security requirement names: the one of the name in the
// components of the description, else, as of 3.2, the one that the name leads to as a URI reference (OpenAPI 3.2.0,
// Security Requirement Object). component is its name there, in whichever way it was named, "" where it stands elsewhere.
func (l Layout) SchemeOf(set *document.Set, api *document.File, member document.Place, name string) (at document.Place, component string, err error) {
	own := api.Top().Member("components").Member("securitySchemes")
	if at = own.Member(name); at.Value == nil {
		if !l.In(member.File()).Has(document.OpenAPI32) {
			return document.Place{}, "", member.Errorf("components/securitySchemes has no %q", name)
		}
		var why error
		if at, why = l.target(set, member.File(), "", name, Scheme); why != nil {
			return document.Place{}, "", member.Errorf("components/securitySchemes has no %q, and as a URI reference it leads to none: %v", name, why)
		}
	}
	for name, place := range own.Members() {
		if place.Value == at.Value {
			return at, name, nil
		}
	}
	return at, "", nil
}

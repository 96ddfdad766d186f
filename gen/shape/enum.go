package shape

import (
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/schema"
)

// isEnum tells a closed list of two or more strings. (One string is a constant, not an enum.)
func isEnum(n *schema.Node) bool {
	return len(enumStrings(n)) >= 2 && kindsBesideNull(n) == schema.TypeString && len(n.AllOf)+len(n.AnyOf)+len(n.OneOf) == 0
}

// enumStrings returns the strings of an enum.
func enumStrings(n *schema.Node) []string {
	var texts []string
	for _, v := range n.Enum {
		if v.Kind == document.String {
			texts = append(texts, v.Text)
		}
	}
	return texts
}

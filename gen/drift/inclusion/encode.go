package inclusion

import (
	"strconv"

	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// AppendJSON writes a value as JSON, members in their order.
func AppendJSON(b []byte, v *document.Value) []byte {
	switch v.Kind {
	case document.Bool:
		return strconv.AppendBool(b, v.Bool)
	case document.Number:
		return append(b, v.Text...)
	case document.String:
		return wire.AppendString(b, v.Text)
	case document.Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendJSON(b, item)
		}
		return append(b, ']')
	case document.Object:
		b = append(b, '{')
		for i, m := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(wire.AppendString(b, m.Name), ':')
			b = AppendJSON(b, m.Value)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

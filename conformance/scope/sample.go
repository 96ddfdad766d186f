package scope

import "github.com/hallmark-kit/hallmark/conformance/value"

// Sample stands for a value that does not exist before the scenario runs: something captured, or a value of a target
// file. It occurs only in what Expand returns while loading; Strip removes it.
type Sample struct{}

// SampleText is what Strip puts in place of a sample.
const SampleText = "sample"

// Strip replaces samples by a text and returns the pointers of all of them.
func Strip(v any) (plain any, pointers []string) {
	plain = strip(v, "", &pointers)
	return plain, pointers
}

func strip(v any, at string, pointers *[]string) any {
	switch v := v.(type) {
	case Sample:
		*pointers = append(*pointers, at)
		return SampleText
	case value.List:
		list := make(value.List, len(v))
		for i, item := range v {
			list[i] = strip(item, value.JoinIndex(at, i), pointers)
		}
		return list
	case *value.Object:
		o := &value.Object{Members: make([]value.Member, len(v.Members))}
		for i, m := range v.Members {
			o.Members[i] = value.Member{Name: m.Name, Value: strip(m.Value, value.Join(at, m.Name), pointers)}
		}
		return o
	default:
		return v
	}
}

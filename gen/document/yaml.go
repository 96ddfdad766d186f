package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds on documents in YAML, whose aliases can make much out of little.
const (
	maxYAML     = 64 << 20 // bytes of JSON that a document may stand for
	maxAliased  = 200_000  // values that aliases may stand for
	maxBrackets = 4 * MaxDepth
)

// isYAML tells by its name whether a document is written in YAML.
func isYAML(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml":
		return true
	}
	return false
}

// placed says where in the text as written something stands that begins at an offset of the JSON made of it.
type placed struct{ offset, line, column int }

// position looks up the place of an offset: that of the last thing that begins there or before.
func (f *File) position(offset int) (line, column int) {
	i := sort.Search(len(f.places), func(i int) bool { return f.places[i].offset > offset })
	if i == 0 {
		return 1, 1
	}
	return f.places[i-1].line, f.places[i-1].column
}

// readYAML turns a document in YAML 1.2 (core schema) into JSON and remembers where everything stood. Aliases and merge
// keys are replaced by what they stand for. What JSON cannot say is an error.
func (f *File) readYAML(text []byte) (err error) {
	w := &yamlReader{file: f, anchors: map[string]ast.Node{}, open: map[string]bool{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		default: // the library is allowed to be wrong about hostile texts
			err = &Error{File: f.Name, Reason: fmt.Sprintf("this cannot be read as YAML (%v)", r)}
		}
	}()
	w.checkText(text)
	file, parseErr := yamlparser.ParseBytes(text, 0)
	if parseErr != nil {
		panic(f.syntaxError(parseErr))
	}
	bodies := slices.DeleteFunc(slices.Clone(file.Docs), func(d *ast.DocumentNode) bool { return d.Body == nil })
	switch {
	case len(bodies) == 0:
		return &Error{File: f.Name, Line: 1, Column: 1, Reason: "the document is empty; a YAML value was expected"}
	case len(bodies) > 1:
		panic(w.errorf(bodies[1].Body, "", "one YAML document was expected, not %d", len(bodies)))
	}
	w.value(bodies[0].Body, "", 0)
	f.Data = w.out
	return nil
}

func (f *File) syntaxError(err error) *Error {
	e := &Error{File: f.Name, Reason: "this is not YAML: " + err.Error()}
	if y, ok := err.(yaml.Error); ok {
		e.Reason = "this is not YAML: " + y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
		}
	}
	return e
}

// yamlReader writes a YAML tree as JSON. Errors travel as panics of *Error.
type yamlReader struct {
	file    *File
	out     []byte
	anchors map[string]ast.Node
	open    map[string]bool // anchors that are being written: one inside itself has no end
	inAlias int             // aliases that are being written
	aliased int             // values written for aliases
}

func (w *yamlReader) errorf(n ast.Node, pointer, format string, args ...any) *Error {
	line, column := yamlPosition(n)
	return &Error{File: w.file.Name, Line: line, Column: column, Pointer: pointer, Reason: fmt.Sprintf(format, args...)}
}

// yamlPosition is where a person sees a node begin: for a mapping that is its first key, not the colon.
func yamlPosition(n ast.Node) (line, column int) {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return yamlPosition(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return yamlPosition(m.Key)
	case *ast.AnchorNode:
		return yamlPosition(m.Value)
	case *ast.TagNode:
		return m.Start.Position.Line, m.Start.Position.Column
	}
	if n != nil {
		if t := n.GetToken(); t != nil && t.Position != nil {
			return t.Position.Line, t.Position.Column
		}
	}
	return 1, 1
}

// checkText refuses what the library would take long to refuse. Brackets within quotes and comments count, which the
// bound allows for.
func (w *yamlReader) checkText(text []byte) {
	fail := func(at int, format string, args ...any) {
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		column := 1 + utf8.RuneCount(text[bytes.LastIndexByte(text[:at], '\n')+1:at])
		panic(&Error{File: w.file.Name, Line: line, Column: column, Reason: fmt.Sprintf(format, args...)})
	}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		fail(0, "the document begins with a byte order mark; write it as UTF-8 without one")
	}
	depth, dashes := 0, 0
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		switch {
		case r == utf8.RuneError && n == 1:
			fail(at, "invalid UTF-8")
		case r < ' ' && r != '\t' && r != '\r' && r != '\n' || r == 0x7f:
			fail(at, "a control character (U+%04X) is not allowed here", r)
		case r == '[' || r == '{':
			if depth++; depth > maxBrackets {
				fail(at, "nested deeper than %d levels", MaxDepth)
			}
		case (r == ']' || r == '}') && depth > 0:
			depth--
		}
		switch r {
		case '-', '?', ':': // each may open a level within a line
			if dashes++; dashes > maxBrackets {
				fail(at, "nested deeper than %d levels", MaxDepth)
			}
		case ' ', '\t':
		default:
			dashes = 0
		}
		at += n
	}
}

// begin notes that what is written next stands where n does.
func (w *yamlReader) begin(n ast.Node) {
	line, column := yamlPosition(n)
	w.file.places = append(w.file.places, placed{len(w.out), line, column})
}

func (w *yamlReader) value(n ast.Node, pointer string, depth int) {
	if depth > MaxDepth {
		panic(w.errorf(n, pointer, "nested deeper than %d levels", MaxDepth))
	}
	if w.inAlias > 0 {
		w.aliased++
	}
	switch {
	case len(w.out) > maxYAML:
		panic(w.errorf(n, pointer, "the document stands for more than %d MiB of JSON", maxYAML>>20))
	case w.aliased > maxAliased:
		panic(w.errorf(n, pointer, "the aliases of the document stand for more than %d values", maxAliased))
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		name := n.Name.GetToken().Value
		w.anchors[name] = n.Value
		w.within(n, name, n.Value, pointer, depth)
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		w.inAlias++
		w.within(n, name, w.anchored(n, pointer), pointer, depth)
		w.inAlias--
	case *ast.TagNode:
		w.tagged(n, pointer, depth)
	case *ast.MappingNode:
		w.object(n, n.Values, pointer, depth)
	case *ast.MappingValueNode:
		w.object(n, []*ast.MappingValueNode{n}, pointer, depth)
	case *ast.SequenceNode:
		w.begin(n)
		w.out = append(w.out, '[')
		for i, item := range n.Values {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.value(item, indexPointer(pointer, i), depth+1)
		}
		w.out = append(w.out, ']')
	case *ast.LiteralNode:
		w.begin(n)
		w.text(n, n.Value.Value, pointer)
	case ast.ScalarNode:
		w.begin(n)
		w.scalar(n, pointer)
	default:
		panic(w.errorf(n, pointer, "a mapping, a sequence, text, a number, true, false or null was expected"))
	}
}

// within writes what has an anchor, where the anchor is given or where it is used.
func (w *yamlReader) within(n ast.Node, name string, value ast.Node, pointer string, depth int) {
	if w.open[name] {
		panic(w.errorf(n, pointer, "the anchor %q is used inside what it names, which has no end", name))
	}
	w.open[name] = true
	w.value(value, pointer, depth)
	delete(w.open, name)
}

func (w *yamlReader) anchored(n *ast.AliasNode, pointer string) ast.Node {
	value := w.anchors[n.Value.GetToken().Value]
	if value == nil {
		panic(w.errorf(n, pointer, "there is no anchor %q before this", n.Value.GetToken().Value))
	}
	return value
}

// tagged writes a value with a tag of the core schema: text that is not to be taken for anything else, or what the
// value is anyway.
func (w *yamlReader) tagged(n *ast.TagNode, pointer string, depth int) {
	start := len(w.out)
	switch tag := n.Start.Value; {
	case tag == "!!str" && isScalar(n.Value):
		w.begin(n)
		w.text(n.Value, n.Value.GetToken().Value, pointer)
	case slices.Contains([]string{"!!map", "!!seq", "!!int", "!!float", "!!bool", "!!null", "!!str"}, tag):
		w.value(n.Value, pointer, depth)
		kinds := map[string]string{"!!map": "{", "!!seq": "[", "!!int": "-0123456789", "!!float": "-0123456789", "!!bool": "tf", "!!null": "n", "!!str": `"`}
		if !strings.Contains(kinds[tag], string(w.out[start])) {
			panic(w.errorf(n, pointer, "the value is not what the tag %s says", tag))
		}
	default:
		panic(w.errorf(n, pointer, "the tag %s has no meaning in JSON", tag))
	}
}

func isScalar(n ast.Node) bool {
	_, literal := n.(*ast.LiteralNode)
	_, scalar := n.(ast.ScalarNode)
	return scalar && !literal
}

// object writes a mapping, and behind its own members those that merge keys (<<) add.
func (w *yamlReader) object(n ast.Node, members []*ast.MappingValueNode, pointer string, depth int) {
	w.begin(n)
	w.out = append(w.out, '{')
	seen := map[string]bool{}
	merges := w.members(members, pointer, depth, seen, true)
	for len(merges) > 0 {
		var next []ast.Node
		for _, m := range merges {
			next = append(next, w.merge(m, pointer, depth, seen)...)
		}
		if depth++; depth > MaxDepth {
			panic(w.errorf(n, pointer, "merge keys nested deeper than %d levels", MaxDepth))
		}
		merges = next
	}
	w.out = append(w.out, '}')
}

// members writes those members whose names have not been seen, and gives the values of merge keys among them.
func (w *yamlReader) members(members []*ast.MappingValueNode, pointer string, depth int, seen map[string]bool, own bool) (merges []ast.Node) {
	for _, m := range members {
		if _, merge := m.Key.(*ast.MergeKeyNode); merge {
			merges = append(merges, m.Value)
			continue
		}
		name := w.key(m.Key, pointer)
		at := pointer + "/" + EscapeToken(name)
		if seen[name] {
			if own {
				panic(w.errorf(m.Key, at, "the key %q is given twice", name))
			}
			continue
		}
		seen[name] = true
		if w.out[len(w.out)-1] != '{' {
			w.out = append(w.out, ',')
		}
		w.begin(m.Key)
		w.text(m.Key, name, pointer)
		w.out = append(w.out, ':')
		w.value(m.Value, at, depth+1)
	}
	return merges
}

// merge writes the members that the value of a merge key adds: those of a mapping, or of a list of them.
func (w *yamlReader) merge(n ast.Node, pointer string, depth int, seen map[string]bool) []ast.Node {
	switch n := n.(type) {
	case *ast.AliasNode:
		return w.merge(w.anchored(n, pointer), pointer, depth, seen)
	case *ast.MappingNode:
		return w.members(n.Values, pointer, depth, seen, false)
	case *ast.MappingValueNode:
		return w.members([]*ast.MappingValueNode{n}, pointer, depth, seen, false)
	case *ast.SequenceNode:
		var merges []ast.Node
		for _, item := range n.Values {
			merges = append(merges, w.merge(item, pointer, depth, seen)...)
		}
		return merges
	}
	panic(w.errorf(n, pointer, "a merge key takes a mapping, or a list of mappings"))
}

// key gives the name that a key stands for: scalars are taken as they are written, so that 200 and "200" are one.
func (w *yamlReader) key(n ast.Node, pointer string) string {
	switch k := n.(type) {
	case *ast.MappingKeyNode:
		return w.key(k.Value, pointer)
	case *ast.AnchorNode:
		w.anchors[k.Name.GetToken().Value] = k.Value
		return w.key(k.Value, pointer)
	case *ast.AliasNode:
		return w.key(w.anchored(k, pointer), pointer)
	case *ast.LiteralNode:
		return k.Value.Value
	case *ast.TagNode:
		if k.Start.Value == "!!str" {
			return w.key(k.Value, pointer)
		}
	case *ast.StringNode:
		return k.Value
	case ast.ScalarNode:
		return strings.TrimSpace(k.GetToken().Value)
	}
	panic(w.errorf(n, pointer, "a key must be text or another scalar"))
}

func (w *yamlReader) text(n ast.Node, s, pointer string) {
	if !utf8.ValidString(s) {
		panic(w.errorf(n, pointer, "the text is not valid Unicode"))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(w.errorf(n, pointer, "%v", err))
	}
	w.out = append(w.out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// Plain scalars of the core schema of YAML 1.2 (section 10.3.2), but for those that JSON has no number for.
var (
	yamlNull    = regexp.MustCompile(`^(null|Null|NULL|~|)$`)
	yamlTrue    = regexp.MustCompile(`^(true|True|TRUE)$`)
	yamlFalse   = regexp.MustCompile(`^(false|False|FALSE)$`)
	yamlInteger = regexp.MustCompile(`^[-+]?[0-9]+$`)
	yamlBased   = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
	yamlFloat   = regexp.MustCompile(`^([-+]?)(\.[0-9]+|[0-9]+(?:\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	yamlNoJSON  = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// scalar writes a scalar. What is not quoted is what the core schema makes of it, whatever the library thinks.
func (w *yamlReader) scalar(n ast.ScalarNode, pointer string) {
	t := n.GetToken()
	text, plain := "", true
	switch s := n.(type) {
	case *ast.StringNode:
		text = s.Value
		plain = t.Type != token.SingleQuoteType && t.Type != token.DoubleQuoteType
	case *ast.NullNode:
	default:
		text = strings.TrimSpace(t.Value)
	}
	switch {
	case !plain:
		w.text(n, text, pointer)
	case yamlNull.MatchString(text):
		w.out = append(w.out, "null"...)
	case yamlTrue.MatchString(text):
		w.out = append(w.out, "true"...)
	case yamlFalse.MatchString(text):
		w.out = append(w.out, "false"...)
	case yamlInteger.MatchString(text), yamlFloat.MatchString(text):
		w.out = append(w.out, yamlNumber(text)...)
	case yamlBased.MatchString(text):
		i, _ := new(big.Int).SetString(text, 0)
		w.out = i.Append(w.out, 10)
	case yamlNoJSON.MatchString(text):
		panic(w.errorf(n, pointer, "JSON has no number %s", text))
	default:
		w.text(n, text, pointer)
	}
}

// yamlNumber writes a number as JSON does: no plus sign, no leading zeros, digits on both sides of the point.
func yamlNumber(text string) string {
	parts := yamlFloat.FindStringSubmatch(text)
	sign, digits, exponent := strings.TrimPrefix(parts[1], "+"), parts[2], parts[3]
	whole, fraction, point := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if point && fraction != "" {
		whole += "." + fraction
	}
	return sign + whole + exponent
}

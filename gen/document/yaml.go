package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Bounds on documents in YAML, whose aliases can make much out of little.
const (
	maxYAML    = 64 << 20 // bytes of JSON that a document may stand for
	maxAliased = 200_000  // values that aliases may stand for
)

// IsYAML tells by its name whether a document is written in YAML.
func IsYAML(name string) bool {
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
	w := &yamlReader{file: f, open: map[*yaml.Node]bool{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		default: // the library is allowed to be wrong about hostile texts
			err = &Error{File: f.Name, Line: 1, Column: 1, Reason: fmt.Sprintf("this cannot be read as YAML (%v)", r)}
		}
	}()
	w.checkText(text)
	in := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := in.Decode(&document); {
	case errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0:
		return &Error{File: f.Name, Line: 1, Column: 1, Reason: "the document is empty; a YAML value was expected"}
	case err != nil:
		return f.syntaxError(err)
	}
	switch err := in.Decode(&second); {
	case err == nil && len(second.Content) > 0:
		panic(w.errorf(second.Content[0], "", "one YAML document was expected; another begins here"))
	case err != nil && !errors.Is(err, io.EOF):
		return f.syntaxError(err)
	}
	w.value(document.Content[0], "", 0)
	f.Data = w.out
	return nil
}

// yamlError is how the library says where: "yaml: line 3: ...".
var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

func (f *File) syntaxError(err error) *Error {
	parts := yamlError.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	if parts == nil {
		return &Error{File: f.Name, Line: 1, Column: 1, Reason: "this is not YAML: " + err.Error()}
	}
	line, _ := strconv.Atoi(parts[1])
	return &Error{File: f.Name, Line: max(line, 1), Column: 1, Reason: "this is not YAML: " + parts[2]}
}

// yamlReader writes a YAML tree as JSON. Errors travel as panics of *Error.
type yamlReader struct {
	file    *File
	out     []byte
	open    map[*yaml.Node]bool // what is being written: an alias of it inside has no end
	inAlias int                 // aliases that are being written
	aliased int                 // values written for aliases
}

func (w *yamlReader) errorf(n *yaml.Node, pointer, format string, args ...any) *Error {
	return &Error{File: w.file.Name, Line: n.Line, Column: n.Column, Pointer: pointer, Reason: fmt.Sprintf(format, args...)}
}

// checkText refuses what no document has, in plainer words than the library's.
func (w *yamlReader) checkText(text []byte) {
	fail := func(at int, format string, args ...any) {
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		column := 1 + utf8.RuneCount(text[bytes.LastIndexByte(text[:at], '\n')+1:at])
		panic(&Error{File: w.file.Name, Line: line, Column: column, Reason: fmt.Sprintf(format, args...)})
	}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		fail(0, "the document begins with a byte order mark; write it as UTF-8 without one")
	}
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		switch {
		case r == utf8.RuneError && n == 1:
			fail(at, "invalid UTF-8")
		case r < ' ' && r != '\t' && r != '\r' && r != '\n' || r == 0x7f:
			fail(at, "a control character (U+%04X) is not allowed here", r)
		}
		at += n
	}
}

// begin notes that what is written next stands where n does.
func (w *yamlReader) begin(n *yaml.Node) {
	w.file.places = append(w.file.places, placed{len(w.out), max(n.Line, 1), max(n.Column, 1)})
}

func (w *yamlReader) value(n *yaml.Node, pointer string, depth int) {
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
	case n.Kind == yaml.AliasNode && w.open[n.Alias]:
		panic(w.errorf(n, pointer, "the anchor %q is used inside what it names, which has no end", n.Value))
	}
	start := len(w.out)
	w.open[n] = true
	switch n.Kind {
	case yaml.AliasNode:
		w.inAlias++
		w.value(n.Alias, pointer, depth)
		w.inAlias--
	case yaml.MappingNode:
		w.object(n, pointer, depth)
	case yaml.SequenceNode:
		w.begin(n)
		w.out = append(w.out, '[')
		for i, item := range n.Content {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.value(item, indexPointer(pointer, i), depth+1)
		}
		w.out = append(w.out, ']')
	case yaml.ScalarNode:
		w.begin(n)
		w.scalar(n, pointer)
	default:
		panic(w.errorf(n, pointer, "a mapping, a sequence, text, a number, true, false or null was expected"))
	}
	delete(w.open, n)
	if n.Style&yaml.TaggedStyle != 0 {
		w.checkTag(n, w.out[start], pointer)
	}
}

// tagged says what JSON may begin with for the tags of the core schema.
var tagged = map[string]string{"!!map": "{", "!!seq": "[", "!!int": "-0123456789", "!!float": "-0123456789", "!!bool": "tf", "!!null": "n", "!!str": `"`}

// checkTag refuses tags that have no meaning in JSON, or another than the value.
func (w *yamlReader) checkTag(n *yaml.Node, first byte, pointer string) {
	may, known := tagged[n.ShortTag()]
	switch {
	case !known:
		panic(w.errorf(n, pointer, "the tag %s has no meaning in JSON", n.ShortTag()))
	case strings.IndexByte(may, first) < 0:
		panic(w.errorf(n, pointer, "the value is not what the tag %s says", n.ShortTag()))
	}
}

// object writes a mapping, and behind its own members those that merge keys (<<) add.
func (w *yamlReader) object(n *yaml.Node, pointer string, depth int) {
	w.begin(n)
	w.out = append(w.out, '{')
	seen := map[string]bool{}
	merges := w.members(n, pointer, depth, seen, true)
	for len(merges) > 0 {
		var next []*yaml.Node
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

// members writes those members of a mapping whose names have not been seen, and gives the values of merge keys among
// them.
func (w *yamlReader) members(n *yaml.Node, pointer string, depth int, seen map[string]bool, own bool) (merges []*yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isPlain(key) && key.Value == "<<" {
			merges = append(merges, value)
			continue
		}
		name := w.key(key, pointer)
		at := pointer + "/" + EscapeToken(name)
		if seen[name] {
			if own {
				panic(w.errorf(key, at, "the key %q is given twice", name))
			}
			continue
		}
		seen[name] = true
		if w.out[len(w.out)-1] != '{' {
			w.out = append(w.out, ',')
		}
		w.begin(key)
		w.text(key, name, pointer)
		w.out = append(w.out, ':')
		w.value(value, at, depth+1)
	}
	return merges
}

// merge writes the members that the value of a merge key adds: those of a mapping, or of a list of them.
func (w *yamlReader) merge(n *yaml.Node, pointer string, depth int, seen map[string]bool) []*yaml.Node {
	if w.aliased++; w.aliased > maxAliased {
		panic(w.errorf(n, pointer, "the merge keys of the document stand for more than %d values", maxAliased))
	}
	switch n.Kind {
	case yaml.AliasNode:
		return w.merge(n.Alias, pointer, depth, seen)
	case yaml.MappingNode:
		w.inAlias++
		defer func() { w.inAlias-- }()
		return w.members(n, pointer, depth, seen, false)
	case yaml.SequenceNode:
		var merges []*yaml.Node
		for _, item := range n.Content {
			if item.Kind == yaml.SequenceNode {
				break
			}
			merges = append(merges, w.merge(item, pointer, depth, seen)...)
		}
		return merges
	}
	panic(w.errorf(n, pointer, "a merge key takes a mapping, or a list of mappings"))
}

// key gives the name that a key stands for: scalars are taken as they are written, so that 200 and "200" are one.
func (w *yamlReader) key(n *yaml.Node, pointer string) string {
	switch n.Kind {
	case yaml.AliasNode:
		return w.key(n.Alias, pointer)
	case yaml.ScalarNode:
		return n.Value
	}
	panic(w.errorf(n, pointer, "a key must be text or another scalar"))
}

func (w *yamlReader) text(n *yaml.Node, s, pointer string) {
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

// isPlain tells a scalar without quotes, which may stand for something else than text.
func isPlain(n *yaml.Node) bool {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Kind == yaml.ScalarNode && n.Style&quoted == 0
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
func (w *yamlReader) scalar(n *yaml.Node, pointer string) {
	text := n.Value
	forced := n.Style&yaml.TaggedStyle != 0 && slices.Contains([]string{"!!str", "!"}, n.ShortTag())
	switch {
	case !isPlain(n) || forced:
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

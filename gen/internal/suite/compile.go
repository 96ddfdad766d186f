package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

const module = "github.com/hallmark-kit/hallmark"

// folder is where the generated packages appear to the compiler. They exist only in an overlay, so that nothing is
// written into the checkout.
const folder = "gen/internal/suiterun"

// runGroups generates, compiles and runs all groups.
func runGroups(groups []*group, load func(string) ([]byte, error)) (*result, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "hallmark-suite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)

	reasons := map[int]string{} // group -> why it has no validator
	packages := map[int]*gen.Package{}
	for i, g := range groups {
		pkg, err := generate(i, g, load)
		if err != nil {
			reasons[i] = err.Error()
			continue
		}
		packages[i] = pkg
	}
	program, err := build(root, work, groups, packages, reasons)
	if err != nil {
		return nil, err
	}
	return verdicts(program, work, groups, reasons)
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("run the command inside the checkout of %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func packageName(i int) string { return fmt.Sprintf("g%04d", i) }

func generate(i int, g *group, load func(string) ([]byte, error)) (*gen.Package, error) {
	f, err := document.Parse("schema.json", g.Schema)
	if err != nil {
		return nil, err
	}
	set := document.NewSet(f)
	set.Loader = load
	return gen.Build(set, shape.Config{Package: packageName(i), Root: "SuiteRoot"})
}

// build compiles the packages into one program. A package that does not compile is left out, with the compiler's word.
func build(root, work string, groups []*group, packages map[int]*gen.Package, reasons map[int]string) (string, error) {
	program := filepath.Join(work, "suiterun")
	for {
		overlay := map[string]string{}
		put := func(name string, data []byte) error {
			file := filepath.Join(work, strings.ReplaceAll(name, "/", "_"))
			overlay[filepath.Join(root, filepath.FromSlash(folder), filepath.FromSlash(name))] = file
			return os.WriteFile(file, data, 0o600)
		}
		for i, pkg := range packages {
			for name, data := range pkg.Files {
				if err := put(packageName(i)+"/"+name, data); err != nil {
					return "", err
				}
			}
		}
		if err := put("main.go", mainSource(groups, packages)); err != nil {
			return "", err
		}
		data, err := json.Marshal(map[string]any{"Replace": overlay})
		if err != nil {
			return "", err
		}
		overlayFile := filepath.Join(work, "overlay.json")
		if err := os.WriteFile(overlayFile, data, 0o600); err != nil {
			return "", err
		}
		cmd := exec.Command("go", "build", "-gcflags=-l -N", "-overlay", overlayFile, "-o", program, "./"+folder)
		cmd.Dir = root
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err = cmd.Run(); err == nil {
			return program, nil
		}
		if !dropBroken(stderr.String(), packages, reasons) {
			return "", fmt.Errorf("compiling the generated packages: %w\n%s", err, stderr.String())
		}
	}
}

var brokenPackage = regexp.MustCompile(`g(\d{4})[/_].*\.go:\d+:\d+: (.*)`)

func dropBroken(output string, packages map[int]*gen.Package, reasons map[int]string) bool {
	dropped := false
	for _, m := range brokenPackage.FindAllStringSubmatch(output, -1) {
		i, _ := strconv.Atoi(m[1])
		if packages[i] != nil {
			delete(packages, i)
			reasons[i] = "the generated code does not compile: " + m[2]
			dropped = true
		}
	}
	return dropped
}

// mainSource is the program that holds all validators: it reads cases and prints verdicts, both as JSON lines.
func mainSource(groups []*group, packages map[int]*gen.Package) []byte {
	var b bytes.Buffer
	b.WriteString("package main\n\nimport (\n\t\"encoding/json\"\n\t\"os\"\n\n")
	for i := range groups {
		if packages[i] != nil {
			fmt.Fprintf(&b, "\t%q\n", module+"/"+folder+"/"+packageName(i))
		}
	}
	fmt.Fprintf(&b, "\t%q\n)\n", module+"/gen/wire")
	b.WriteString(`
type one struct {
	validate func([]byte, ...wire.Option) error
	decode   func([]byte, ...wire.Option) error
}

var groups = map[int]one{
`)
	for i := range groups {
		if packages[i] != nil {
			fmt.Fprintf(&b, "\t%d: {%[2]s.ValidateSuiteRoot, func(data []byte, opts ...wire.Option) error {\n\t\t_, err := %[2]s.DecodeSuiteRoot(data, opts...)\n\t\treturn err\n\t}},\n", i, packageName(i))
		}
	}
	b.WriteString(`}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for in.More() {
		var c struct {
			Group  int
			Format bool
			Data   json.RawMessage
		}
		if err := in.Decode(&c); err != nil {
			panic(err)
		}
		var opts []wire.Option
		if c.Format {
			opts = append(opts, wire.AssertFormats())
		}
		g := groups[c.Group]
		validated, decoded := g.validate(c.Data, opts...), g.decode(c.Data, opts...)
		var v struct {
			Valid, Differ bool
			Why           string
		}
		v.Valid = validated == nil
		v.Differ = (validated == nil) != (decoded == nil)
		if validated != nil {
			v.Why = validated.Error()
		} else if decoded != nil {
			v.Why = decoded.Error()
		}
		if err := out.Encode(v); err != nil {
			panic(err)
		}
	}
}
`)
	return b.Bytes()
}

// verdicts runs every case that has a validator.
func verdicts(program, work string, groups []*group, reasons map[int]string) (*result, error) {
	var in, out bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for i, g := range groups {
		if reasons[i] != "" {
			continue
		}
		for _, c := range g.Tests {
			if err := enc.Encode(map[string]any{"Group": i, "Format": strings.Contains(g.File, "optional/format/"), "Data": c.Data}); err != nil {
				return nil, err
			}
		}
	}
	cmd := exec.Command(program)
	cmd.Dir = work
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("running the generated validators: %w", err)
	}
	res := &result{Failed: []failure{}}
	dec := json.NewDecoder(&out)
	for i, g := range groups {
		for _, c := range g.Tests {
			f := failure{File: g.File, Group: g.Description, Case: c.Description, Want: c.Valid, Reason: reasons[i]}
			if f.Reason == "" {
				var v struct {
					Valid, Differ bool
					Why           string
				}
				if err := dec.Decode(&v); err != nil {
					return nil, errors.Join(errors.New("the generated validators stopped early"), err)
				}
				if v.Valid == c.Valid && !v.Differ {
					res.Passed++
					continue
				}
				f.Reason = v.Why
				if v.Differ {
					f.Reason = "Validate and Decode disagree: " + v.Why
				}
			}
			res.Failed = append(res.Failed, f)
		}
	}
	return res, nil
}

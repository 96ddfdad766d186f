// Package goapi compares the exported API of two versions of a generated Go
// package: what programs that use the bindings see of a change.
package goapi

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strings"

	"github.com/hallmark-kit/hallmark/gen/drift"
)

// Exported lists what a package exports: names as they are used (T, T.Field,
// T.Method, Function, Constant) with their declarations. files are the sources by
// file name.
func Exported(files map[string][]byte) (map[string]string, error) {
	api := map[string]string{}
	set := token.NewFileSet()
	for name, source := range files {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		l := lister{set: set, api: api}
		for _, d := range f.Decls {
			l.declaration(d)
		}
	}
	return api, nil
}

type lister struct {
	set *token.FileSet
	api map[string]string
}

func (l *lister) text(node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, l.set, node); err != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (l *lister) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return
		}
		name := d.Name.Name
		if d.Recv != nil {
			receiver := strings.TrimPrefix(l.text(d.Recv.List[0].Type), "*")
			if !token.IsExported(receiver) {
				return
			}
			name = receiver + "." + name
		}
		l.api[name] = l.text(d.Type)
	case *ast.GenDecl:
		var last ast.Expr
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					l.typeSpec(s)
				}
			case *ast.ValueSpec:
				if s.Type != nil {
					last = s.Type
				}
				for i, n := range s.Names {
					if !n.IsExported() {
						continue
					}
					text := d.Tok.String()
					if last != nil {
						text += " " + l.text(last)
					}
					if d.Tok == token.CONST && i < len(s.Values) {
						text += " = " + l.text(s.Values[i])
					}
					l.api[n.Name] = text
				}
			}
		}
	}
}

// typeSpec lists a type, and its fields and methods one by one.
func (l *lister) typeSpec(s *ast.TypeSpec) {
	name := s.Name.Name
	switch t := s.Type.(type) {
	case *ast.StructType:
		l.api[name] = "struct"
		for _, f := range t.Fields.List {
			for _, n := range f.Names {
				if n.IsExported() {
					l.api[name+"."+n.Name] = l.text(f.Type)
				}
			}
			if len(f.Names) == 0 {
				l.api[name+"."+strings.TrimPrefix(l.text(f.Type), "*")] = "embedded"
			}
		}
	case *ast.InterfaceType:
		l.api[name] = "interface"
		for _, m := range t.Methods.List {
			for _, n := range m.Names {
				l.api[name+"."+n.Name] = l.text(m.Type)
			}
			if len(m.Names) == 0 {
				l.api[name+"."+l.text(m.Type)] = "embedded"
			}
		}
	default:
		l.api[name] = l.text(s.Type)
	}
}

// Compare reports what a change of a package means for programs that use it.
// Where names the package, for people.
func Compare(old, new map[string]string, where string) []drift.Finding {
	names := map[string]bool{}
	for _, api := range []map[string]string{old, new} {
		for name := range api {
			names[name] = true
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var findings []drift.Finding
	for _, name := range sorted {
		x, had := old[name]
		y, has := new[name]
		if had && has && x == y {
			continue
		}
		// Of a type that came or went its fields and methods need not be told.
		if owner, _, part := strings.Cut(name, "."); part {
			_, hadOwner := old[owner]
			_, hasOwner := new[owner]
			if hadOwner != hasOwner {
				continue
			}
		}
		f := drift.SourceFinding(name, x, y, had, has, where)
		findings = append(findings, f)
	}
	return findings
}

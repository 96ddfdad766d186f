package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/hallmark-kit/hallmark/gen"
	"github.com/hallmark-kit/hallmark/gen/account"
	"github.com/hallmark-kit/hallmark/gen/document"
	"github.com/hallmark-kit/hallmark/gen/project"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/shape"
)

// accounts collects the accounts of packages and prints them in a format.
type accounts struct {
	format string
	text   func(name string, documents []*account.Document) error
	all    hallmark.Account
}

func (p *program) newAccounts(format string) (*accounts, error) {
	if format != "text" && format != "json" {
		return nil, &failure{exitUsage, fmt.Errorf("there is no format %q for a report on keywords: choose text or json", format)}
	}
	return &accounts{format: format, all: hallmark.Account{Packages: []hallmark.AccountPackage{}},
		text: func(name string, documents []*account.Document) error {
			return account.WriteText(p.stdout, name, documents)
		}}, nil
}

func (a *accounts) add(set *document.Set, cfg shape.Config) error {
	graph, shapes, err := gen.Shapes(set, cfg)
	if err != nil {
		return err
	}
	documents := account.Of(graph, shapes)
	if a.format == "text" {
		return a.text(cfg.Package, documents)
	}
	a.all.Packages = append(a.all.Packages, account.JSON(cfg.Package, documents))
	return nil
}

// end prints what has been collected.
func (p *program) endAccounts(a *accounts) error {
	if a.format == "text" {
		_, err := fmt.Fprint(p.stdout, account.Legend)
		return err
	}
	out := json.NewEncoder(p.stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(&a.all)
}

// reportProtocols accounts for the keywords of protocols' documents.
func (p *program) reportProtocols(names []string, f genFlags) error {
	all, err := p.newAccounts(f.format)
	if err != nil {
		return err
	}
	for _, name := range names {
		set, cfg, err := gen.Read(os.DirFS(f.schemas), name)
		if err != nil {
			return protocolFailure(err, f.schemas)
		}
		if err := all.add(set, cfg); err != nil {
			return &failure{exitUsage, err}
		}
	}
	return p.endAccounts(all)
}

// reportDocuments accounts for the keywords of documents that are not ours.
func (p *program) reportDocuments(plan *project.Plan, format string) error {
	all, err := p.newAccounts(format)
	if err != nil {
		return err
	}
	if err := all.add(plan.Documents.Set, plan.Shape); err != nil {
		return &failure{exitUsage, plan.Placed(err)}
	}
	return p.endAccounts(all)
}

// Command bench measures the generated bindings beside what else a Go
// programmer can pick, all in one run, and tells the ratios.
//
//	go run .                           # a table
//	go run . -short                    # a quick look, rough numbers
//	go run . -readme ../../README.md   # writes the table into a file, between its markers
//	go run . -json FILE                # everything, for machines
//	go run . -run 'decode/(hallmark|ogen)/' -cpuprofile FILE
//
// It has ogen and easyjson write their code first, into the folder build, and
// then has a few programs measure in turns, all on the same core. With -node,
// ajv under Node takes part; npm fetches it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/hallmark-kit/hallmark/gen/bench/internal/peers"
	"github.com/hallmark-kit/hallmark/gen/bench/internal/report"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	var o options
	readme := flag.String("readme", "", "write the table into `file`, between its markers")
	jsonFile := flag.String("json", "", "write everything to `file`")
	flag.BoolVar(&o.short, "short", false, "fewer and shorter rounds")
	flag.BoolVar(&o.node, "node", false, "measure ajv under Node too")
	flag.BoolVar(&o.code, "code", true, "measure generators and compilers too")
	flag.IntVar(&o.core, "core", -1, "the core to run on; -1 is the last one")
	flag.StringVar(&o.only, "run", "", "only cells whose task/peer/message matches the `pattern`")
	flag.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of one long round to `file`; leaves ogen and jsonschema out")
	flag.Parse()
	if *readme != "" && (o.only != "" || o.short || !o.code) {
		return errors.New("-readme wants a whole run: without -run, -short and -code=false")
	}

	built, err := peers.Prepare(progress)
	if err != nil {
		return err
	}
	r, err := measureAll(built, o)
	if err != nil {
		return err
	}
	fmt.Print(r.Text())
	if *jsonFile != "" {
		if err := r.WriteJSON(*jsonFile); err != nil {
			return err
		}
	}
	if *readme != "" {
		return report.Insert(*readme, r.Markdown())
	}
	return nil
}

func progress(what string) { fmt.Fprintln(os.Stderr, "…", what) }

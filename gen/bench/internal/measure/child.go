package measure

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"time"
)

// Main is the program that measures: it reads the folder testdata and writes a
// Result as JSON.
func Main(generated ...Generated) {
	if err := run(generated); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(generated []Generated) (err error) {
	rounds := flag.Int("rounds", 5, "rounds; the best counts")
	each := flag.Duration("time", 40*time.Millisecond, "time for a cell in a round")
	only := flag.String("run", "", "only cells whose task/peer/message matches the `pattern`")
	profile := flag.String("cpuprofile", "", "write a CPU profile of everything to `file`")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	messages, err := Messages("testdata")
	if err != nil {
		return err
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer func() {
			pprof.StopCPUProfile()
			if e := f.Close(); err == nil {
				err = e
			}
		}()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	result, err := Run(messages, generated, Config{Rounds: *rounds, Time: *each, Only: pattern})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

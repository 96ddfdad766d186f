package measure

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"runtime/pprof"
	"time"
)

// Main is a program that measures peers: it reads the folder testdata and
// writes a Result as JSON.
func Main(peers ...Peer) {
	if err := run(peers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(peers []Peer) (err error) {
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
		stop, err := startProfile(*profile)
		if err != nil {
			return err
		}
		defer stop()
	}
	result, err := Run(messages, peers, Config{Rounds: *rounds, Time: *each, Only: pattern})
	if err != nil {
		return err
	}
	result.Versions = versions()
	return json.NewEncoder(os.Stdout).Encode(result)
}

func startProfile(file string) (stop func(), err error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	stop = func() {
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return stop, pprof.StartCPUProfile(f)
}

// versions are those of the modules in this program.
func versions() map[string]string {
	all := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			all[m.Path] = m.Version
		}
	}
	return all
}

package measure

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"runtime/pprof"
	"slices"
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
	peer := flag.String("peer", "", "only the peer of that `name`")
	list := flag.Bool("list", false, "list the names of the peers as JSON, and measure nothing")
	profile := flag.String("cpuprofile", "", "write a CPU profile of everything to `file`")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if *list {
		return json.NewEncoder(os.Stdout).Encode(names(peers))
	}
	if *peer != "" {
		peers = slices.DeleteFunc(peers, func(p Peer) bool { return p.Name != *peer })
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

// names are those of the peers, each once.
func names(peers []Peer) []string {
	var all []string
	for _, p := range peers {
		if !slices.Contains(all, p.Name) {
			all = append(all, p.Name)
		}
	}
	return all
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

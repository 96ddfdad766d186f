package main

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the hallmark command itself, so that tests start real processes of it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hallmark": main})
}

func TestScripts(t *testing.T) {
	// Under nohup, what scripts start would be deaf to SIGHUP as well: processes inherit that, and no shell can undo it.
	// That a signal is caught they do not inherit.
	if signal.Ignored(syscall.SIGHUP) {
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, syscall.SIGHUP)
		t.Cleanup(func() { signal.Stop(caught) })
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		UpdateScripts:      os.Getenv("UPDATE") != "",
		RequireUniqueNames: true,
		Cmds:               map[string]func(*testscript.TestScript, bool, []string){"host": startHost},
		Setup: func(env *testscript.Env) error {
			root, err := os.Getwd()
			if err != nil {
				return err
			}
			env.Setenv("REPO", root+"/../..")
			return nil
		},
	})
}

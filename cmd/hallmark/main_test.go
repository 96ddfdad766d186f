package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the hallmark command itself, so that tests start real processes of it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hallmark": main})
}

func TestScripts(t *testing.T) {
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

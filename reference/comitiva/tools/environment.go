package tools

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// inherited lists the variables that a tool server gets from the runner's own
// environment. Everything else stays out: it may hold credentials.
func inherited() []string {
	if runtime.GOOS == "windows" {
		return []string{"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PROCESSOR_ARCHITECTURE",
			"SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE", "PROGRAMFILES"}
	}
	return []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
}

// environment is the environment of a tool server.
func environment(launch map[string]string) []string {
	var env []string
	for _, name := range inherited() {
		if _, own := launch[name]; own {
			continue
		}
		// A value that begins so is a shell function, not data.
		if v, ok := os.LookupEnv(name); ok && !strings.HasPrefix(v, "()") {
			env = append(env, name+"="+v)
		}
	}
	for name, v := range launch {
		env = append(env, name+"="+v)
	}
	return env
}

// locate finds a command on the PATH that the child will have.
func locate(command string, env []string) (string, bool) {
	if strings.ContainsRune(command, filepath.Separator) || runtime.GOOS == "windows" {
		return command, true
	}
	for _, e := range env {
		list, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			path := filepath.Join(dir, command)
			if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
				if abs, err := filepath.Abs(path); err == nil {
					return abs, true
				}
			}
		}
	}
	return "", false
}

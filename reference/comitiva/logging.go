package comitiva

import (
	"io"
	"log/slog"
	"math"
	"strings"
)

// newLogger writes JSON lines to the runner's standard error.
func newLogger(w io.Writer, level string) *slog.Logger {
	h := slog.NewJSONHandler(w, &slog.HandlerOptions{Level: logLevel(level), ReplaceAttr: redact})
	return slog.New(h).With("name", "comitiva-runner")
}

// logLevel reads the protocol's level names; an unknown one is warn.
func logLevel(name string) slog.Level {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "trace", "debug":
		return slog.LevelDebug
	case "info":
		return slog.LevelInfo
	case "error":
		return slog.LevelError
	case "fatal":
		return slog.LevelError + 4
	case "silent":
		return math.MaxInt
	}
	return slog.LevelWarn
}

// redact is the last line of defence: nothing of this name is meant to be
// logged in the first place.
func redact(_ []string, a slog.Attr) slog.Attr {
	switch a.Key {
	case "secret", "secrets", "apiKey", "env", "headers":
		return slog.String(a.Key, "[redacted]")
	}
	return a
}

package tools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hallmark-kit/hallmark/reference/comitiva/process"
)

// startStdio starts a server as a child process and opens a session with it.
func startStdio(ctx context.Context, l Launch, roots []Root, o Options) (Session, error) {
	env := o.Environment(l.Env)
	path, ok := locate(l.Command, env)
	if !ok {
		return nil, errors.New("the command was not found")
	}
	cmd := &exec.Cmd{Path: path, Args: append([]string{l.Command}, o.Arguments(l, roots)...), Env: env}
	if resolved := exec.Command(path); resolved.Err == nil {
		cmd.Path = resolved.Path
	}
	pipes, err := newPipes()
	if err != nil {
		return nil, errors.New("no pipes could be made")
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes.theirs[0], pipes.theirs[1], pipes.theirs[2]
	child, err := process.Start(cmd)
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return nil, startReason(err)
	}
	stdin, stdout, stderr := pipes.ours[0], pipes.ours[1], pipes.ours[2]
	go logStderr(stderr, l, o.Logger)
	go func() {
		// What the process wrote last may still be in the pipe; a grandchild
		// that left the group may hold it open for ever.
		<-child.Done()
		deadline := time.Now().Add(o.Limits.Grace)
		_ = stdout.SetReadDeadline(deadline)
		_ = stderr.SetReadDeadline(deadline)
	}()
	end := func(ctx context.Context) {
		_ = stdin.Close()
		child.Stop(ctx, o.Limits.Grace)
		_ = stdout.Close()
	}
	t := &mcp.IOTransport{Reader: &messageReader{file: stdout, r: bufio.NewReader(stdout)}, Writer: stdin, MaxLineLength: -1}
	s, err := connect(ctx, describe(t), o, end)
	if err != nil && ctx.Err() == nil {
		// The process is gone now: connect has ended it.
		if state := child.State(); state.Exited() {
			return nil, errors.New("the process ended before it was ready (" + state.String() + ")")
		}
	}
	return s, err
}

// startReason says why a process could not be started, without its arguments.
func startReason(err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("the command was not found")
	case errors.Is(err, os.ErrPermission):
		return errors.New("the command may not be executed")
	}
	return errors.New("the process could not be started")
}

// pipes are the three standard streams of a child.
type pipes struct{ ours, theirs [3]*os.File }

func newPipes() (*pipes, error) {
	p := &pipes{}
	for i := range p.ours {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeOurs()
			p.closeTheirs()
			return nil, err
		}
		p.ours[i], p.theirs[i] = r, w
		if i == 0 {
			p.ours[i], p.theirs[i] = w, r
		}
	}
	return p, nil
}

func (p *pipes) closeOurs()   { closeAll(p.ours) }
func (p *pipes) closeTheirs() { closeAll(p.theirs) }

func closeAll(files [3]*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// messageReader passes on the lines that can be messages: servers print
// greetings and warnings where they should not.
type messageReader struct {
	file *os.File
	r    *bufio.Reader
	rest []byte
}

func (m *messageReader) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.r.ReadBytes('\n')
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
			m.rest = line
			break
		}
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				err = io.EOF
			}
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

func (m *messageReader) Close() error { return m.file.Close() }

// maxStderr is how many characters of one line of a server's standard error are
// logged.
const maxStderr = 2000

func logStderr(stderr *os.File, l Launch, log *slog.Logger) {
	defer stderr.Close()
	r := bufio.NewReaderSize(stderr, 64<<10)
	for {
		line, _, err := r.ReadLine()
		if err != nil {
			return
		}
		if log.Enabled(context.Background(), slog.LevelDebug) {
			text := l.scrub(strings.ToValidUTF8(string(line), "\ufffd"))
			if runes := []rune(text); len(runes) > maxStderr {
				text = string(runes[:maxStderr])
			}
			log.Debug("tool server wrote to stderr", "toolServerId", l.ID, "text", text)
		}
	}
}

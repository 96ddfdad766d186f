package channel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/conformance/standin/channel"
)

func TestEachSideReadsWhatTheOtherSends(t *testing.T) {
	l, err := channel.Listen(func(_ context.Context, c *channel.Conn, p channel.Process) {
		c.Send(map[string]any{"extra": p.Extra})
		var got int
		if c.Receive(&got) == nil {
			c.Send(got + 1)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{"before"}, channel.Arguments(l.Address(), "n")...), "--flag", "x")
	c, extra, status := channel.Call(args, new(bytes.Buffer))
	if status != 0 || strings.Join(extra, " ") != "before --flag x" {
		t.Fatalf("got %v, %d", extra, status)
	}
	var raw json.RawMessage
	if err := c.Receive(&raw); err != nil || string(raw) != `{"extra":["before","--flag","x"]}` {
		t.Fatalf("got %s, %v", raw, err)
	}
	c.Send(41)
	if err := c.Receive(&raw); err != nil || string(raw) != `42` {
		t.Fatalf("got %s, %v", raw, err)
	}
	c.Close()
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCloseEndsOpenChannelsAndStrangersWhoSayNothing(t *testing.T) {
	served := make(chan error, 1)
	l, err := channel.Listen(func(ctx context.Context, c *channel.Conn, _ channel.Process) {
		var v any
		err := c.Receive(&v)
		if err != nil {
			err = ctx.Err()
		}
		served <- err
	})
	if err != nil {
		t.Fatal(err)
	}
	address, _, _ := strings.Cut(l.Address(), "/")
	stranger, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Close() }()
	c, _, status := channel.Call(channel.Arguments(l.Address(), "n"), new(bytes.Buffer))
	if status != 0 {
		t.Fatalf("got %d", status)
	}
	defer c.Close()
	var none any
	closed := make(chan error, 1)
	go func() { closed <- c.Receive(&none) }()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-closed; err == nil {
		t.Error("the channel outlived its listener")
	}
	select {
	case err := <-served:
		if err == nil {
			t.Error("the end of the channel looks like the end of the process")
		}
	default: // closed before the process was served
	}
}

package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hallmark-kit/hallmark/conformance/transport"
	"github.com/hallmark-kit/hallmark/conformance/transport/stdio"
)

// Conn is a target that serves HTTP.
type Conn struct {
	address string // host and port to dial
	host    string // as the header Host says it
	prefix  string // path of the URL, without a slash at its end
	tls     *tls.Config
	process transport.Conn // nil: it was not started by the kit

	events   chan transport.Event
	received atomic.Int64
	released chan struct{}
	once     sync.Once
	running  sync.WaitGroup

	mu    sync.Mutex
	calls map[int]*call
}

var _ transport.Caller = (*Conn)(nil)

// Reach is a target at a URL. ca is a file of certificates that an https one is verified with, "" for those of the
// system.
func Reach(address, ca string) (*Conn, error) {
	c := &Conn{events: make(chan transport.Event, 256), released: make(chan struct{}), calls: make(map[int]*call)}
	return c, c.at(address, ca)
}

// Start starts a process and waits, within the bound, until the first line of its standard output tells the URL where
// it serves. The error says what it did instead.
func Start(ctx context.Context, spec stdio.Spec, ca string, within time.Duration) (*Conn, error) {
	process, err := stdio.Start(spec)
	if err != nil {
		return nil, err
	}
	address, err := announced(ctx, process, within)
	if err == nil {
		var c *Conn
		if c, err = Reach(address, ca); err == nil {
			c.process = process
			go c.forward()
			return c, nil
		}
	}
	process.Release()
	return nil, err
}

// announced reads the line that tells the URL.
func announced(ctx context.Context, process transport.Conn, within time.Duration) (string, error) {
	limit := time.NewTimer(within)
	defer limit.Stop()
	var said []byte
	wrong := func(what string) error {
		if text := strings.TrimSpace(string(said)); text != "" {
			what += "; it wrote to its standard error: " + text
		}
		return errors.New(what)
	}
	for {
		select {
		case e := <-process.Events():
			switch e.Kind {
			case transport.Line, transport.Tail:
				var first struct {
					URL string `json:"url"`
				}
				if err := json.Unmarshal(e.Data, &first); err != nil || first.URL == "" {
					return "", wrong("the first line of its standard output is no JSON object with the member url")
				}
				return first.URL, nil
			case transport.TooLong:
				return "", wrong("the first line of its standard output has no end")
			case transport.ErrorOut:
				said = append(said, e.Data[:min(len(e.Data), max(0, 1000-len(said)))]...)
			case transport.Ended:
				return "", wrong(fmt.Sprintf("it ended (status %d%s) before it told its URL", e.Exit.Status, e.Exit.Signal))
			}
		case <-limit.C:
			return "", wrong(fmt.Sprintf("it has not told its URL within %s, as a JSON object with the member url in the first line of its standard output", within))
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// at takes the URL apart.
func (c *Conn) at(address, ca string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("%q is no URL of a host that serves HTTP", address)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	c.address, c.host, c.prefix = net.JoinHostPort(u.Hostname(), port), u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	if u.Scheme == "http" {
		return nil
	}
	c.tls = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if ca == "" {
		return nil
	}
	pem, err := os.ReadFile(ca)
	if err != nil {
		return err
	}
	c.tls.RootCAs = x509.NewCertPool()
	if !c.tls.RootCAs.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s holds no certificate", ca)
	}
	return nil
}

// forward reports what the process does.
func (c *Conn) forward() {
	for {
		select {
		case e := <-c.process.Events():
			if e.Kind == transport.Line || e.Kind == transport.Tail {
				e.Kind = transport.Printed
			}
			c.emit(e)
			if e.Kind == transport.Ended {
				return
			}
		case <-c.released:
			return
		}
	}
}

// emit hands an event over, unless nobody takes events any more.
func (c *Conn) emit(e transport.Event) {
	e.At = time.Now()
	select {
	case c.events <- e:
	case <-c.released:
	}
}

// Call implements transport.Caller.
func (c *Conn) Call(exchange int, r transport.Request) {
	ctx, cancel := context.WithCancel(context.Background())
	one := &call{conn: c, number: exchange, cancel: cancel}
	c.mu.Lock()
	c.calls[exchange] = one
	c.mu.Unlock()
	c.running.Go(func() {
		defer cancel()
		one.run(ctx, r)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, exchange)
	})
}

// Abort implements transport.Caller.
func (c *Conn) Abort(exchange int) {
	c.mu.Lock()
	one := c.calls[exchange]
	c.mu.Unlock()
	if one != nil {
		one.aborted.Store(true)
		one.cancel()
	}
}

// Events implements transport.Conn.
func (c *Conn) Events() <-chan transport.Event { return c.events }

// Received implements transport.Conn.
func (c *Conn) Received() int64 { return c.received.Load() }

// Write implements transport.Conn; nothing is written outside of requests.
func (c *Conn) Write([][]byte) {}

// CloseInput implements transport.Conn: it closes the standard input of a process that was started.
func (c *Conn) CloseInput() {
	if c.process != nil {
		c.process.CloseInput()
	}
}

// Signal implements transport.Conn.
func (c *Conn) Signal(name string) error {
	if c.process == nil {
		return errors.New("the target was not started by the kit")
	}
	return c.process.Signal(name)
}

// Kill implements transport.Conn. A target that was not started goes on; only what the kit has with it ends.
func (c *Conn) Kill() {
	c.abortAll()
	if c.process != nil {
		c.process.Kill()
	}
}

func (c *Conn) abortAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.calls {
		one.aborted.Store(true)
		one.cancel()
	}
}

// Release implements transport.Conn.
func (c *Conn) Release() {
	c.once.Do(func() {
		close(c.released)
		c.abortAll()
		c.running.Wait()
		if c.process != nil {
			c.process.Release()
		}
	})
}

// Arguments returns the command lines of the target and of everything it started, as far as the system tells.
func (c *Conn) Arguments() []string {
	if a, ok := c.process.(interface{ Arguments() []string }); ok {
		return a.Arguments()
	}
	return nil
}

// Started tells whether the target is a process of the kit.
func (c *Conn) Started() bool { return c.process != nil }

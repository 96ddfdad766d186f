package agenticdriver

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/store"
)

// DefaultListen is the address of a host that is told none.
const DefaultListen = "127.0.0.1:7433"

// Options configure a host.
type Options struct {
	Listen  string // host and port; port 0: any free one. Empty: DefaultListen
	Config  string // configuration file; empty: the built-in one, with public tokens, on loopback only
	State   string // database file; empty: none, state ends with the process
	TLSCert string // certificate chain and key, PEM files; needed off loopback
	TLSKey  string
	Without []string // optional features to leave out
	Fault   string   // id of the fault to show; empty: none. See Faults

	Stdin  io.Reader // read to its end if StopWithStdin; nil: os.Stdin
	Stdout io.Writer // gets the bound address as one line of JSON; nil: os.Stdout
	Stderr io.Writer // log; nil: os.Stderr
	// StopWithStdin ends the host at the end of Stdin.
	StopWithStdin bool
}

// Exit codes of Main.
const (
	exitDone  = 0
	exitUsage = 2
)

// Timers of connections. They never bound a run.
const (
	readTimeout   = 30 * time.Second
	headerTimeout = 10 * time.Second
	keepAlive     = 5 * time.Second
	maxHeader     = 32 << 10
)

// bound is what Main prints when it listens.
type bound struct {
	URL     string `json:"url"`
	Address string `json:"address"`
	PID     int    `json:"pid"`
}

// Main serves until ctx ends, or Stdin does with StopWithStdin. It returns the
// exit code of the process: 0 after that, 2 when it cannot begin.
func Main(ctx context.Context, o Options) int {
	o = o.withDefaults()
	if err := o.serve(ctx); err != nil {
		fmt.Fprintf(o.Stderr, "hallmark: %v\n", err)
		return exitUsage
	}
	return exitDone
}

func (o Options) withDefaults() Options {
	if o.Listen == "" {
		o.Listen = DefaultListen
	}
	if o.State == "" {
		o.State = store.Memory
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	return o
}

func (o Options) serve(ctx context.Context) error {
	e, err := newEdges(o.Fault)
	if err != nil {
		return err
	}
	doc, err := config.Load(o.Config)
	if err != nil {
		return err
	}
	if e.config != nil {
		e.config(doc)
	}
	secure, err := o.security(doc)
	if err != nil {
		return err
	}
	s, err := newServer(o, doc, e)
	if err != nil {
		return err
	}
	defer s.close()
	s.tls = secure != nil
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return err
	}
	scheme := "http"
	if secure != nil {
		scheme, listener = "https", tls.NewListener(listener, secure)
	}
	if e.listener != nil {
		listener = e.listener(listener)
	}
	// The write timeout begins anew when an answer, or a part of a stream, is ready.
	server := &http.Server{Handler: s.handler(), ReadTimeout: readTimeout, WriteTimeout: config.Duration(doc.Limits.WriteTimeoutMs), ReadHeaderTimeout: headerTimeout, IdleTimeout: keepAlive,
		MaxHeaderBytes: maxHeader, DisableGeneralOptionsHandler: true, ErrorLog: log.New(io.Discard, "", 0)}
	s.state.Store(serving)
	address := listener.Addr().String()
	line, err := json.Marshal(bound{URL: scheme + "://" + address, Address: address, PID: os.Getpid()})
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Stdout, "%s\n", line)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.StopWithStdin {
		go func() {
			_, _ = io.Copy(io.Discard, o.Stdin)
			stop()
		}()
	}
	context.AfterFunc(ctx, func() {
		s.state.Store(closing)
		_ = server.Close()
	})
	err = server.Serve(listener)
	// Connections are closed before the runs end: a stream without a last event is
	// the protocol's sign of a host that went away.
	_ = server.Close()
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// security gives the TLS configuration: none on loopback unless there is a
// certificate.
func (o Options) security(doc *config.Document) (*tls.Config, error) {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("the address to listen on is not host:port: %w", err)
	}
	loopback := config.Loopback(host)
	if !loopback && doc.Builtin {
		return nil, errors.New("TLS_REQUIRED: the built-in configuration has public tokens and is for loopback only; give --config")
	}
	if o.TLSCert == "" && o.TLSKey == "" {
		if !loopback {
			return nil, fmt.Errorf("TLS_REQUIRED: %s is not loopback; give --tls-cert and --tls-key", host)
		}
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(o.TLSCert, o.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("the certificate cannot be read: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
}

// Package client is a client of AgenticDriver hosts: all operations, typed by the bindings, and runs as streams of
// events.
//
// It is strict. An answer that is not what the document and the protocol's prose promise is an error, never a value: a
// frame that was not ended, an event out of order, a receipt for something else, a page with a hole. It follows no
// redirect, repeats and reconnects nothing, and speaks without TLS to loopback names only. Each thing that it insists
// on is named by a [Rule], which errors carry.
//
//	c, err := client.New("https://driver.example.com", client.Options{Token: token})
//	…
//	stream, err := c.Stream(ctx, &agenticdriver.RunRequest{Provider: "p", Model: "m", Input: "Hello"})
//	…
//	for event, err := range stream.Events() {
//		…
//	}
//
// A [Client] may be used by many goroutines at once, a [Stream] by one.
//
// Source: openapi.json, and the published protocol text where the document says nothing.
package client

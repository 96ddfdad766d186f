// Package web speaks HTTP/1.1 and reads server-sent events with a target that has been started for it or is reached
// at a URL. Requests are written byte for byte as they are asked for, each over a connection of its own, so that a
// body can be cut anywhere, be no JSON, or a request be no HTTP at all. Nothing is followed, retried or decompressed.
package web

// Package protocol is what the rest of the kit knows about a protocol: how messages of each direction are checked,
// which members name the stream a message belongs to, how a target is asked whether it is there, and which rules
// every conversation is held to. The values are made by one package a protocol, such as conformance/comitiva.
package protocol

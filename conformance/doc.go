// Package conformance decides whether an implementation does what a protocol says.
//
// [Load] reads the requirements and scenarios of a protocol, [Suite.Run] carries the scenarios out against a target,
// and package conformance/report writes what came of it. The kit plays the other side of the wire and everything
// around the target; it never knows whom it tests.
package conformance

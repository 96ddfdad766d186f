// Package standin holds what an implementation under test needs around it: peers that do exactly what a
// scenario's script says and tell the kit everything they saw.
//
//   - [github.com/hallmark-kit/hallmark/conformance/standin/model]: a model server over HTTP;
//   - [github.com/hallmark-kit/hallmark/conformance/standin/toolserver]: a tool server over standard input and
//     output, started by the implementation under test and steered by the kit;
//   - [github.com/hallmark-kit/hallmark/conformance/standin/cli]: a command-line agent.
//
// They share four small packages: record (what happened, awaitable), gate (named points at which a stand-in waits
// for the kit, so that no scenario needs to sleep), script (strict reading of scripts) and channel (what joins the
// kit to a stand-in that runs as a process of its own).
package standin

package comitiva

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/comitiva"
	"github.com/hallmark-kit/hallmark/gen/wire"
)

// eventFaults are wrong ways to write the events of a run.
var eventFaults = []fault{
	{"stray-print", "nothing but events on standard output",
		"Prints a line of plain text before the first answer to a run.start.",
		func(s *setup) {
			printed := false
			onReply(func(_ *protocol.RunStart, result any, err *protocol.AppError) (any, *protocol.AppError) {
				if !printed {
					printed = true
					s.runner.line([]byte("run started"))
				}
				return result, err
			})(s)
		}},
	{"usage-incomplete", "valid events",
		"Leaves the member estimated out of run.usage.",
		func(s *setup) {
			s.policy.lines = func(next func([]byte)) func([]byte) {
				return func(line []byte) {
					if bytes.Contains(line, []byte(`"type":"run.usage"`)) {
						line = bytes.Replace(line, []byte(`,"estimated":true`), nil, 1)
						line = bytes.Replace(line, []byte(`,"estimated":false`), nil, 1)
					}
					next(line)
				}
			}
		}},
	{"done-twice", "one terminal event",
		"Writes every run.done twice.",
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			next(ev)
			if _, ok := ev.(*protocol.RunDone); ok {
				next(ev)
			}
		})},
	{"delta-after-error", "nothing after the terminal event",
		"Writes a text delta after run.error.",
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			next(ev)
			if e, ok := ev.(*protocol.RunError); ok {
				next(&protocol.RunTextDelta{RunID: e.RunID, TS: e.TS, Text: "late"})
			}
		})},
	{"deltas-swapped", "the order of text deltas",
		"Swaps the tenth and eleventh text delta of a run.",
		func(s *setup) {
			seen := map[string]int{}
			held := map[string]*protocol.RunTextDelta{}
			onEvent(func(next emitter, ev protocol.RunnerEvent) {
				d, isDelta := ev.(*protocol.RunTextDelta)
				if isDelta {
					seen[d.RunID]++
					if seen[d.RunID] == 10 {
						held[d.RunID] = d
						return
					}
				}
				if first := held[runOf(ev)]; first != nil {
					delete(held, runOf(ev))
					if isDelta {
						first.Text, d.Text = d.Text, first.Text
					}
					next(first)
				}
				next(ev)
			})(s)
		}},
	{"delta-lost", "every text delta",
		"Does not write the tenth text delta of a run.",
		func(s *setup) {
			seen := map[string]int{}
			onEvent(func(next emitter, ev protocol.RunnerEvent) {
				if d, ok := ev.(*protocol.RunTextDelta); ok {
					if seen[d.RunID]++; seen[d.RunID] == 10 {
						return
					}
				}
				next(ev)
			})(s)
		}},
	{"usage-missing", "usage of a completed run",
		"Writes no run.usage before the run.done of a completed run.",
		withoutUsage(func(done *protocol.RunDone) bool { return done.StopReason != protocol.StopReasonCancelled })},
	{"usage-missing-when-cancelled", "usage of a cancelled run",
		"Writes no run.usage before the run.done of a cancelled run.",
		withoutUsage(func(done *protocol.RunDone) bool { return done.StopReason == protocol.StopReasonCancelled })},
	{"reported-usage-estimated", "usage that the provider reports",
		"Marks all usage as estimated.",
		onUsage(func(u *protocol.RunUsage) { u.Estimated = true })},
	{"estimate-unmarked", "usage that is estimated",
		"Marks no usage as estimated.",
		onUsage(func(u *protocol.RunUsage) { u.Estimated = false })},
	{"stamps-run-backwards", "time stamps",
		"Lets the time stamps of a run fall with every event.",
		func(s *setup) {
			begin := time.Now().UnixMilli()
			seen := map[string]int64{}
			onEvent(func(next emitter, ev protocol.RunnerEvent) {
				if run, ok := ev.(protocol.RunEvent); ok {
					id := runOf(ev)
					seen[id]++
					stampEvent(run, id, wire.Number(strconv.FormatInt(begin-seen[id], 10)))
				}
				next(ev)
			})(s)
		}},
	{"stamps-in-seconds", "the unit of time stamps",
		"Writes the time stamps of a run in seconds.",
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			if run, ok := ev.(protocol.RunEvent); ok {
				stampEvent(run, runOf(ev), wire.Number(strconv.FormatInt(time.Now().Unix(), 10)))
			}
			next(ev)
		})},
	{"event-of-another-run", "the run that events belong to",
		"Writes every run.usage also for a run that nobody has started.",
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			if u, ok := ev.(*protocol.RunUsage); ok {
				other := *u
				other.RunID += "-other"
				next(&other)
			}
			next(ev)
		})},
	{"duration-is-a-time", "how long calls take",
		"Tells when a call ended in place of how long it took.",
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			if r, ok := ev.(*protocol.RunToolResult); ok {
				r.DurationMs = wire.Number(strconv.FormatInt(time.Now().UnixMilli(), 10))
			}
			next(ev)
		})},
	{"duration-with-waiting", "how long calls take that wait for permission",
		"Counts the time a call has waited for permission as part of its own.",
		func(s *setup) {
			announced := map[string]time.Time{} // by run and tool use
			onEvent(func(next emitter, ev protocol.RunnerEvent) {
				switch e := ev.(type) {
				case *protocol.RunToolCall:
					announced[e.RunID+" "+e.ToolUseID] = time.Now()
				case *protocol.RunToolResult:
					if begin, ok := announced[e.RunID+" "+e.ToolUseID]; ok {
						e.DurationMs = whole(time.Since(begin))
					}
				}
				next(ev)
			})(s)
		}},
	{"cancel-ends-with-error", "the end of a cancelled run",
		"Ends a cancelled run with run.error.",
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			if d, ok := ev.(*protocol.RunDone); ok && d.StopReason == protocol.StopReasonCancelled {
				ev = &protocol.RunError{RunID: d.RunID, TS: d.TS, Code: protocol.ErrorCodeInternal, Message: "The run was cancelled."}
			}
			next(ev)
		})},
	{"cancel-while-waiting-result", "cancelling a call that waits",
		"Writes a result for a call that waited for permission when its run was cancelled.",
		func(s *setup) {
			waiting := map[string]string{} // run -> tool use
			onEvent(func(next emitter, ev protocol.RunnerEvent) {
				switch e := ev.(type) {
				case *protocol.RunToolCall:
					if e.RequiresApproval {
						waiting[e.RunID] = e.ToolUseID
					}
				case *protocol.RunToolResult:
					delete(waiting, e.RunID)
				case *protocol.RunUsage:
					if use, ok := waiting[e.RunID]; ok {
						delete(waiting, e.RunID)
						next(&protocol.RunToolResult{RunID: e.RunID, TS: e.TS, ToolUseID: use, IsError: true, DurationMs: "0",
							Output: []protocol.ResultBlock{&protocol.TextBlock{Text: "tool_failed: The run was cancelled."}}})
					}
				}
				next(ev)
			})(s)
		}},
	{"denial-unnamed", "the result of a denied call",
		"Begins the result of a denied call with another word.",
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			if r, ok := ev.(*protocol.RunToolResult); ok {
				if text, ok := firstText(r); ok {
					if rest, denied := strings.CutPrefix(text.Text, "approval_denied: "); denied {
						text.Text = "denied: " + rest
					}
				}
			}
			next(ev)
		})},
	{"unknown-tool-ends-run", "calls of unknown tools",
		"Ends a run whose model calls an unknown tool.",
		deadlyResult("invalid_request: ", protocol.ErrorCodeInvalidRequest)},
	{"tool-failure-ends-run", "tools that fail",
		"Ends a run one of whose tools fails.",
		deadlyResult("tool_failed: ", protocol.ErrorCodeToolFailed)},
	{"unknown-tool-announced", "calls of unknown tools",
		"Announces a call of an unknown tool like any other.",
		func(s *setup) {
			blocks := map[string]*protocol.ToolUseBlock{}
			onEvent(func(next emitter, ev protocol.RunnerEvent) {
				switch e := ev.(type) {
				case *protocol.RunBlock:
					if use, ok := e.Block.(*protocol.ToolUseBlock); ok {
						blocks[e.RunID+" "+use.ID] = use
					}
				case *protocol.RunToolResult:
					if use := blocks[e.RunID+" "+e.ToolUseID]; use != nil && answersUnknown(e) {
						next(&protocol.RunToolCall{RunID: e.RunID, TS: e.TS, ToolUseID: e.ToolUseID, ToolServerID: "none", ToolName: use.Name, Input: use.Input})
					}
				}
				next(ev)
			})(s)
		}},
}

// runOf is the id of the run that an event belongs to; empty when to none.
func runOf(ev protocol.RunnerEvent) string {
	switch ev := ev.(type) {
	case *protocol.RunSession:
		return ev.RunID
	case *protocol.RunTextDelta:
		return ev.RunID
	case *protocol.RunBlock:
		return ev.RunID
	case *protocol.RunToolCall:
		return ev.RunID
	case *protocol.RunToolResult:
		return ev.RunID
	case *protocol.RunUsage:
		return ev.RunID
	case *protocol.RunDone:
		return ev.RunID
	case *protocol.RunError:
		return ev.RunID
	}
	return ""
}

func firstText(r *protocol.RunToolResult) (*protocol.TextBlock, bool) {
	if len(r.Output) == 0 {
		return nil, false
	}
	text, ok := r.Output[0].(*protocol.TextBlock)
	return text, ok
}

// deadlyResult ends a run at the first failed tool result that begins with the
// given word.
func deadlyResult(word string, code protocol.ErrorCode) func(*setup) {
	return func(s *setup) {
		dead := map[string]bool{}
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			id := runOf(ev)
			if r, ok := ev.(*protocol.RunToolResult); ok && !dead[id] && failsWith(r, word) {
				dead[id] = true
				next(&protocol.RunError{RunID: id, TS: r.TS, Code: code, Message: "A tool call failed."})
				go s.runner.handle(&protocol.RunCancel{ID: "-", RunID: id}, func(any, *protocol.AppError) {})
			}
			if id == "" || !dead[id] {
				next(ev)
			}
		})(s)
	}
}

func failsWith(r *protocol.RunToolResult, word string) bool {
	text, ok := firstText(r)
	return ok && r.IsError && strings.HasPrefix(text.Text, word)
}

// answersUnknown tells whether a result is that of a call which was not taken
// up.
func answersUnknown(r *protocol.RunToolResult) bool {
	return failsWith(r, "invalid_request: ")
}

// onUsage changes every run.usage.
func onUsage(change func(*protocol.RunUsage)) func(*setup) {
	return onEvent(func(next emitter, ev protocol.RunnerEvent) {
		if u, ok := ev.(*protocol.RunUsage); ok {
			change(u)
		}
		next(ev)
	})
}

// withoutUsage drops the run.usage that stands before certain run.done events.
func withoutUsage(before func(*protocol.RunDone) bool) func(*setup) {
	return func(s *setup) {
		held := map[string]protocol.RunnerEvent{}
		onEvent(func(next emitter, ev protocol.RunnerEvent) {
			if u, ok := ev.(*protocol.RunUsage); ok {
				held[u.RunID] = u
				return
			}
			if usage := held[runOf(ev)]; usage != nil {
				delete(held, runOf(ev))
				if done, ok := ev.(*protocol.RunDone); !ok || !before(done) {
					next(usage)
				}
			}
			next(ev)
		})(s)
	}
}

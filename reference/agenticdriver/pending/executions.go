package pending

import (
	"sync"

	"github.com/google/uuid"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/policy"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/schemata"
)

// MaxOutput bounds the output of an application's tool, in bytes of JSON.
const MaxOutput = 128_000

// Executions are the calls that applications carry out.
type Executions struct {
	mu     sync.Mutex
	limit  int
	policy *policy.Policy
	open   map[string]*Execution
}

// Execution is one call that an application carries out.
type Execution struct {
	ID       string
	RunID    string
	CallID   string
	Tool     string
	Provider string
	Output   *schemata.Schema // nil: any output
	Progress func()           // called when the application reports progress
	Result   chan Result      // gets one value at most
	subject  string
}

// Result is how the application's part ended.
type Result struct {
	Output wire.Raw
	Err    error // what the run fails with
}

// NewExecutions makes an empty collection that holds no more than limit.
func NewExecutions(limit int, p *policy.Policy) *Executions {
	return &Executions{limit: limit, policy: p, open: map[string]*Execution{}}
}

// Open adds a call; its ID and Result are set here.
func (e *Executions) Open(p *config.Principal, one *Execution) error {
	one.ID, one.subject, one.Result = uuid.NewString(), p.Subject(), make(chan Result, resultRoom)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.open) >= e.limit {
		return failure.New(protocol.ErrorCodeTOOLEXECUTORCAPACITY, "Too many tool executions are pending.")
	}
	e.open[one.ID] = one
	return nil
}

// Close takes the call away: results for it are refused from now on.
func (e *Executions) Close(one *Execution) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.policy.TicketOutlivesRun && !e.policy.SecondResultAccepted {
		delete(e.open, one.ID)
	}
}

// find looks up a call, with the lock held.
func (e *Executions) find(p *config.Principal, executionID, runID, callID string) (*Execution, error) {
	one := e.open[executionID]
	if one == nil || one.subject != p.Subject() && !e.policy.TicketsShared {
		return nil, failure.New(protocol.ErrorCodeTOOLEXECUTIONNOTFOUND, "There is no such pending tool execution.")
	}
	if _, granted := p.ApplicationTool(one.Tool); (!granted || !p.MayUse(one.Provider)) && !e.policy.TicketGrantUnchecked {
		return nil, failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow this application tool.")
	}
	if (one.RunID != runID || one.CallID != callID) && !e.policy.ResultIDsUnchecked {
		if e.policy.MismatchConsumes {
			delete(e.open, one.ID)
		}
		return nil, failure.New(protocol.ErrorCodeTOOLEXECUTIONMISMATCH, "The execution belongs to another run or call.")
	}
	return one, nil
}

// Report takes progress, which consumes nothing.
func (e *Executions) Report(p *config.Principal, id *protocol.ToolExecutionIdentity) (*protocol.ToolExecutionReceipt, error) {
	e.mu.Lock()
	one, err := e.find(p, id.ExecutionID, id.RunID, id.CallID)
	if err == nil && e.policy.ProgressConsumes {
		delete(e.open, id.ExecutionID)
	}
	e.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if !e.policy.ToolProgressUncounted {
		one.Progress()
	}
	return &protocol.ToolExecutionReceipt{ExecutionID: id.ExecutionID, RunID: id.RunID, CallID: id.CallID,
		Status: protocol.ToolExecutionReceiptStatusProgress}, nil
}

// Complete takes a result, once. An output that is refused for what it is
// consumes the execution all the same, and the run fails.
func (e *Executions) Complete(p *config.Principal, result protocol.ToolExecutionResult) (*protocol.ToolExecutionReceipt, error) {
	var id protocol.ToolExecutionIdentity
	var output wire.Raw
	switch r := result.(type) {
	case *protocol.ToolExecutionOutput:
		id, output = protocol.ToolExecutionIdentity{ExecutionID: r.ExecutionID, RunID: r.RunID, CallID: r.CallID}, r.Output
	case *protocol.ToolExecutionFailure:
		id = protocol.ToolExecutionIdentity{ExecutionID: r.ExecutionID, RunID: r.RunID, CallID: r.CallID}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	one, err := e.find(p, id.ExecutionID, id.RunID, id.CallID)
	if err != nil {
		return nil, err
	}
	bad := output != nil && (len(output) > MaxOutput || !one.Output.Valid(output)) && !e.policy.ToolOutputUnchecked
	if !e.policy.SecondResultAccepted && (!bad || !e.policy.BadOutputResent) {
		delete(e.open, one.ID)
	}
	switch {
	case output == nil:
		one.give(Result{Err: failure.New("APPLICATION_TOOL_FAILED", "The application's tool failed.")})
	case bad && len(output) > MaxOutput:
		err = uncertain(protocol.ErrorCodeTOOLOUTPUTLIMIT, "The output is too large.")
	case bad:
		err = uncertain(protocol.ErrorCodeINVALIDTOOLOUTPUT, "The output is not valid by the tool's output schema.")
	default:
		one.give(Result{Output: output})
	}
	if err != nil {
		if !e.policy.BadOutputResent {
			one.give(Result{Err: err})
		}
		return nil, err
	}
	return &protocol.ToolExecutionReceipt{ExecutionID: id.ExecutionID, RunID: id.RunID, CallID: id.CallID,
		Status: protocol.ToolExecutionReceiptStatusAccepted}, nil
}

// resultRoom is room for the one result that counts.
const resultRoom = 1

// give hands the result to the run, unless it has one.
func (e *Execution) give(r Result) {
	select {
	case e.Result <- r:
	default:
	}
}

func uncertain(code protocol.ErrorCode, text string) error {
	err := failure.New(code, text)
	err.Uncertain = true
	return err
}

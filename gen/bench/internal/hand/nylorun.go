package hand

import "encoding/json"

// LeaseResult answers a lease.
type LeaseResult struct {
	Run   RunGrant  `json:"run"`
	Input TurnStart `json:"input"`
}

// RunGrant names the run that was leased.
type RunGrant struct {
	RunID          string  `json:"runId"`
	SessionID      string  `json:"sessionId"`
	TurnID         string  `json:"turnId"`
	Epoch          int64   `json:"epoch"`
	Token          *string `json:"token,omitempty"`
	TokenExpiresAt *string `json:"tokenExpiresAt,omitempty"`
}

// TurnStart is what a turn starts from.
type TurnStart struct {
	Type       string            `json:"type"`
	Engine     string            `json:"engine"`
	Manifest   json.RawMessage   `json:"manifest"`
	Definition *Definition       `json:"definition,omitempty"`
	Loop       json.RawMessage   `json:"loop,omitempty"`
	Memory     *Memory           `json:"memory,omitempty"`
	Checkpoint json.RawMessage   `json:"checkpoint,omitempty"`
	MCP        *MCPFacts         `json:"mcp,omitempty"`
	Outcomes   []RecordedOutcome `json:"outcomes"`
	Transcript *Transcript       `json:"transcript,omitempty"`
	Options    Options           `json:"options"`
	Routing    *Routing          `json:"routing,omitempty"`
	Trace      *Trace            `json:"trace,omitempty"`
	Limits     *Limits           `json:"limits,omitempty"`
	Model      *Model            `json:"model,omitempty"`
	Agent      *TurnAgent        `json:"agent,omitempty"`
}

// Definition names a definition.
type Definition struct {
	Name    string `json:"name"`
	Version int64  `json:"version"`
}

// Memory is what a session remembers.
type Memory struct {
	Access       string  `json:"access"`
	Instructions *string `json:"instructions,omitempty"`
	Index        string  `json:"index"`
	Truncated    bool    `json:"truncated"`
}

// MCPFacts are the tool servers of a turn.
type MCPFacts struct {
	Servers []MCPServer `json:"servers"`
}

// MCPServer is a tool server.
type MCPServer struct {
	AgentID      *string   `json:"agentId,omitempty"`
	Name         string    `json:"name"`
	Instructions *string   `json:"instructions,omitempty"`
	Tools        []MCPTool `json:"tools"`
}

// MCPTool is a tool of a server.
type MCPTool struct {
	Name         string          `json:"name"`
	Description  *string         `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Enabled      bool            `json:"enabled"`
	Deferred     *bool           `json:"deferred,omitempty"`
}

// RecordedOutcome is an effect and what it came to.
type RecordedOutcome struct {
	EffectID    string  `json:"effectId"`
	RequestHash string  `json:"requestHash"`
	Outcome     Outcome `json:"outcome"`
}

// Outcome is what an effect came to.
type Outcome struct {
	Value      json.RawMessage `json:"value"`
	StatePatch json.RawMessage `json:"statePatch,omitempty"`
}

// Transcript is a place in a transcript.
type Transcript struct {
	Cursor int64 `json:"cursor"`
}

// Options are the settings of a turn.
type Options struct {
	YieldAfter   *YieldAfter     `json:"yieldAfter,omitempty"`
	FlowLimits   json.RawMessage `json:"flowLimits,omitempty"`
	FixtureModel bool            `json:"fixtureModel"`
}

// YieldAfter bounds a turn.
type YieldAfter struct {
	Steps *float64 `json:"steps,omitempty"`
	Ms    *float64 `json:"ms,omitempty"`
}

// Routing tells where a turn is carried out.
type Routing struct {
	RootManifest json.RawMessage `json:"rootManifest"`
	Sandbox      *Sandbox        `json:"sandbox,omitempty"`
}

// Sandbox is where commands are carried out.
type Sandbox struct {
	OwnerID       string            `json:"ownerId"`
	EnvironmentID *string           `json:"environmentId,omitempty"`
	Spec          json.RawMessage   `json:"spec,omitempty"`
	Environment   map[string]string `json:"environment,omitempty"`
}

// Trace is the context of a trace.
type Trace struct {
	Traceparent string  `json:"traceparent"`
	Tracestate  *string `json:"tracestate,omitempty"`
}

// Limits are the sizes a harness keeps to.
type Limits struct {
	RecordEntryBytes  int64 `json:"recordEntryBytes"`
	ModelCallBytes    int64 `json:"modelCallBytes"`
	ModelFileBytes    int64 `json:"modelFileBytes"`
	ToolAnswerBytes   int64 `json:"toolAnswerBytes"`
	HarnessStateBytes int64 `json:"harnessStateBytes"`
	ChunkBytes        int64 `json:"chunkBytes"`
	FolderEntries     int64 `json:"folderEntries"`
}

// Model describes a model.
type Model struct {
	Provider        string   `json:"provider"`
	ID              string   `json:"id"`
	Inputs          []string `json:"inputs,omitempty"`
	ContextWindow   *int64   `json:"contextWindow,omitempty"`
	MaxOutputTokens *int64   `json:"maxOutputTokens,omitempty"`
	Reasoning       *bool    `json:"reasoning,omitempty"`
}

// TurnAgent is who carries out a turn.
type TurnAgent struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Sandbox  json.RawMessage `json:"sandbox,omitempty"`
	SelfWake *bool           `json:"selfWake,omitempty"`
}

package hand

import "encoding/json"

// Side merges the updates of a side agent.
type Side struct {
	WorkspaceID          string   `json:"workspaceId"`
	SideAgentSessionID   string   `json:"sideAgentSessionId"`
	SourceAgentSessionID string   `json:"sourceAgentSessionId"`
	Sequence             int64    `json:"sequence"`
	EventType            string   `json:"eventType"`
	Data                 SideData `json:"data"`
}

// SideData merges the data of updates.
type SideData struct {
	MessageID         *string         `json:"messageId,omitempty"`
	TurnID            *string         `json:"turnId,omitempty"`
	Role              *string         `json:"role,omitempty"`
	Kind              *string         `json:"kind,omitempty"`
	OccurredAtUnixMs  *int64          `json:"occurredAtUnixMs,omitempty"`
	Content           *SideContent    `json:"content,omitempty"`
	PayloadSet        json.RawMessage `json:"payloadSet,omitempty"`
	PayloadUnset      []string        `json:"payloadUnset,omitempty"`
	Semantics         json.RawMessage `json:"semantics,omitempty"`
	ToolOutput        *ToolOutput     `json:"toolOutput,omitempty"`
	Status            *string         `json:"status,omitempty"`
	StartedAtUnixMs   *int64          `json:"startedAtUnixMs,omitempty"`
	CompletedAtUnixMs *int64          `json:"completedAtUnixMs,omitempty"`
}

// SideContent changes a text.
type SideContent struct {
	Operation string          `json:"operation"`
	Text      *string         `json:"text,omitempty"`
	Value     json.RawMessage `json:"value,omitempty"`
}

// ToolOutput adds to what a tool has written.
type ToolOutput struct {
	Operation   string `json:"operation"`
	Text        string `json:"text"`
	OffsetBytes *int64 `json:"offsetBytes,omitempty"`
}

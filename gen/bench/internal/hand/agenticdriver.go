package hand

import "encoding/json"

// RunRequest starts a run.
type RunRequest struct {
	Provider             string            `json:"provider"`
	Model                string            `json:"model"`
	Input                string            `json:"input"`
	Attachments          []Attachment      `json:"attachments,omitempty"`
	Retrieval            *Retrieval        `json:"retrieval,omitempty"`
	OutputArtifact       *OutputArtifact   `json:"outputArtifact,omitempty"`
	IdempotencyKey       *string           `json:"idempotencyKey,omitempty"`
	Retry                *Retry            `json:"retry,omitempty"`
	Instructions         *string           `json:"instructions,omitempty"`
	History              []HistoryItem     `json:"history,omitempty"`
	Session              *SessionHandle    `json:"session,omitempty"`
	Approvals            *ApprovalPolicy   `json:"approvals,omitempty"`
	ApplicationTools     []ApplicationTool `json:"applicationTools,omitempty"`
	Tools                []string          `json:"tools,omitempty"`
	RequiredCapabilities []string          `json:"requiredCapabilities,omitempty"`
	MaxSteps             *int64            `json:"maxSteps,omitempty"`
	MaxOutputTokens      *int64            `json:"maxOutputTokens,omitempty"`
	IdleTimeoutMs        *int64            `json:"idleTimeoutMs,omitempty"`
	OutputSchema         json.RawMessage   `json:"outputSchema,omitempty"`
	Metadata             map[string]string `json:"metadata,omitempty"`
}

// Attachment merges the kinds of attachments.
type Attachment struct {
	Type      string            `json:"type"`
	Source    *AttachmentSource `json:"source,omitempty"`
	MediaType string            `json:"mediaType"`
	Text      *string           `json:"text,omitempty"`
	Data      *string           `json:"data,omitempty"`
	ID        *string           `json:"id,omitempty"`
	Revision  *string           `json:"revision,omitempty"`
}

// AttachmentSource is where an attachment comes from.
type AttachmentSource struct {
	ID       string    `json:"id"`
	Revision string    `json:"revision"`
	Title    *string   `json:"title,omitempty"`
	URI      *string   `json:"uri,omitempty"`
	Location *Location `json:"location,omitempty"`
}

// Location is a place in a document.
type Location struct {
	DocumentID *string `json:"documentId,omitempty"`
	Page       *int64  `json:"page,omitempty"`
	PageEnd    *int64  `json:"pageEnd,omitempty"`
	StartLine  *int64  `json:"startLine,omitempty"`
	EndLine    *int64  `json:"endLine,omitempty"`
	Section    *string `json:"section,omitempty"`
	ThreadID   *string `json:"threadId,omitempty"`
	MessageID  *string `json:"messageId,omitempty"`
}

// Retrieval looks for sources.
type Retrieval struct {
	Corpus          string   `json:"corpus"`
	SourceIDs       []string `json:"sourceIds,omitempty"`
	Query           *string  `json:"query,omitempty"`
	Limit           *int64   `json:"limit,omitempty"`
	MaxContextBytes *int64   `json:"maxContextBytes,omitempty"`
	MinScore        *float64 `json:"minScore,omitempty"`
}

// OutputArtifact names what a run makes.
type OutputArtifact struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
}

// Retry tells how often to try.
type Retry struct {
	MaxAttempts int64  `json:"maxAttempts"`
	BaseDelayMs *int64 `json:"baseDelayMs,omitempty"`
	MaxDelayMs  *int64 `json:"maxDelayMs,omitempty"`
}

// HistoryItem is something said before.
type HistoryItem struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// SessionHandle names a session.
type SessionHandle struct {
	ID       string `json:"id"`
	Revision int64  `json:"revision"`
}

// ApprovalPolicy tells how calls are approved.
type ApprovalPolicy struct {
	Mode           string `json:"mode"`
	IdlePolicy     string `json:"idlePolicy"`
	ExpiresAfterMs *int64 `json:"expiresAfterMs,omitempty"`
}

// ApplicationTool is a tool that the client carries out.
type ApplicationTool struct {
	Name             string          `json:"name"`
	Description      string          `json:"description"`
	InputSchema      json.RawMessage `json:"inputSchema"`
	OutputSchema     json.RawMessage `json:"outputSchema,omitempty"`
	RequiresApproval *bool           `json:"requiresApproval,omitempty"`
}

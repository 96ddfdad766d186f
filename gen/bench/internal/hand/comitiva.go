package hand

import "encoding/json"

// RunnerRequest merges the requests of a shell to its runner.
type RunnerRequest struct {
	ID               string       `json:"id"`
	Type             string       `json:"type"`
	RunID            string       `json:"runId,omitempty"`
	ConversationID   string       `json:"conversationId,omitempty"`
	Agent            *Agent       `json:"agent,omitempty"`
	Connection       *Connection  `json:"connection,omitempty"`
	Secret           *string      `json:"secret,omitempty"`
	Messages         []Message    `json:"messages,omitempty"`
	HarnessSessionID *string      `json:"harnessSessionId,omitempty"`
	WorkingDirectory *string      `json:"workingDirectory,omitempty"`
	AlwaysAllowed    []string     `json:"alwaysAllowed,omitempty"`
	ToolServers      []ToolServer `json:"toolServers,omitempty"`
	Provider         string       `json:"provider,omitempty"`
	BinaryPath       *string      `json:"binaryPath,omitempty"`
	ToolServer       *ToolServer  `json:"toolServer,omitempty"`
	Roots            []Root       `json:"roots,omitempty"`
	ToolServerID     string       `json:"toolServerId,omitempty"`
	ToolUseID        string       `json:"toolUseId,omitempty"`
	Decision         string       `json:"decision,omitempty"`
}

// Agent is who carries out a run.
type Agent struct {
	ID                    string   `json:"id"`
	Name                  string   `json:"name"`
	Avatar                Avatar   `json:"avatar"`
	ConnectionID          string   `json:"connectionId"`
	Model                 *string  `json:"model"`
	Role                  string   `json:"role"`
	Params                Params   `json:"params"`
	ToolServerIDs         []string `json:"toolServerIds"`
	Roots                 []Root   `json:"roots"`
	PermissionPolicy      string   `json:"permissionPolicy"`
	FallbackConnectionIDs []string `json:"fallbackConnectionIds"`
	Tags                  []string `json:"tags"`
	CreatedAt             string   `json:"createdAt"`
	UpdatedAt             string   `json:"updatedAt"`
}

// Avatar is how an agent is drawn.
type Avatar struct {
	Color string  `json:"color"`
	Emoji *string `json:"emoji,omitempty"`
}

// Params are the settings of a model.
type Params struct {
	Temperature       *float64 `json:"temperature,omitempty"`
	MaxTokens         *int64   `json:"maxTokens,omitempty"`
	TopP              *float64 `json:"topP,omitempty"`
	MaxToolIterations *int64   `json:"maxToolIterations,omitempty"`
}

// Root is a folder an agent may use.
type Root struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
}

// Connection merges the ways to a model.
type Connection struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	SecretRef *string `json:"secretRef"`
	Enabled   bool    `json:"enabled"`
	CreatedAt string  `json:"createdAt"`
	UpdatedAt string  `json:"updatedAt"`
	Kind      string  `json:"kind"`
	Provider  string  `json:"provider"`
	Config    Config  `json:"config"`
}

// Config merges the settings of connections.
type Config struct {
	BaseURL          *string  `json:"baseUrl,omitempty"`
	Preset           *string  `json:"preset,omitempty"`
	DefaultModel     *string  `json:"defaultModel,omitempty"`
	BinaryPath       *string  `json:"binaryPath,omitempty"`
	ExtraArgs        []string `json:"extraArgs,omitempty"`
	WorkingDirectory *string  `json:"workingDirectory,omitempty"`
	Sandbox          *string  `json:"sandbox,omitempty"`
}

// Message is one message of a conversation.
type Message struct {
	ID             string    `json:"id"`
	ConversationID string    `json:"conversationId"`
	Role           string    `json:"role"`
	Content        []Block   `json:"content"`
	Status         string    `json:"status"`
	Seq            int64     `json:"seq"`
	CreatedAt      string    `json:"createdAt"`
	Error          *AppError `json:"error"`
}

// Block merges the blocks of a message.
type Block struct {
	Type         string          `json:"type"`
	Text         *string         `json:"text,omitempty"`
	Source       *Source         `json:"source,omitempty"`
	Name         *string         `json:"name,omitempty"`
	MediaType    *string         `json:"mediaType,omitempty"`
	ID           *string         `json:"id,omitempty"`
	ToolServerID *string         `json:"toolServerId,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	Signature    *string         `json:"signature,omitempty"`
	ToolUseID    *string         `json:"toolUseId,omitempty"`
	Content      []Block         `json:"content,omitempty"`
	IsError      *bool           `json:"isError,omitempty"`
	DurationMs   *float64        `json:"durationMs,omitempty"`
}

// Source merges the places data come from.
type Source struct {
	Kind      string  `json:"kind"`
	MediaType *string `json:"mediaType,omitempty"`
	Data      *string `json:"data,omitempty"`
	Path      *string `json:"path,omitempty"`
}

// AppError is what went wrong.
type AppError struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

// ToolServer merges the transports of tool servers.
type ToolServer struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Transport string            `json:"transport"`
	Command   *string           `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Builtin   *string           `json:"builtin,omitempty"`
	URL       *string           `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
}

// Package openai speaks the chat completions dialect that OpenAI published and
// many servers understand: POST {baseUrl}/chat/completions answered by
// server-sent events, and GET {baseUrl}/models.
package openai

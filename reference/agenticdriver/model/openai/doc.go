// Package openai is the adapter for servers that speak the chat completions
// dialect which OpenAI published: POST {baseUrl}/chat/completions, answered by
// server-sent events, and GET {baseUrl}/models.
package openai

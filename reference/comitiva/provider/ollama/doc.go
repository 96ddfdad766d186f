// Package ollama speaks the dialect of an Ollama server: POST {baseUrl}/api/chat
// answered by one JSON object a line, GET {baseUrl}/api/version and
// GET {baseUrl}/api/tags. Nothing is tried again.
package ollama

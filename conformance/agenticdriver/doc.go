// Package agenticdriver tells the kit what it must know about AgenticDriver: its operations, the rules that every
// answer and every stream of events is held to, and near misses of everything a host is sent.
package agenticdriver

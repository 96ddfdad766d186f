// Package tools connects the runner to tool servers of the Model Context
// Protocol: it starts and shares their sessions, offers their tools to a model
// under unique names, decides which calls need permission, and turns results
// into blocks.
package tools

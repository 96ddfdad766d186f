// Package pending holds what a run waits for from outside: decisions on tool
// calls, and results of tools that the application carries out. Each is taken
// once, by its subject, for the exact call it was opened for.
package pending

// Package process starts child processes that cannot outlive the runner: each
// leads a process group of its own, the whole group is killed when the child
// is stopped or has ended, and where the system can do it the child dies with
// the runner even when the runner itself is killed.
package process

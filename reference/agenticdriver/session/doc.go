// Package session keeps conversations between runs. They live in memory: a
// session ends with the process, when it was idle for too long, or when it is
// deleted.
package session

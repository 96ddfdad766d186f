// Package run carries out runs: it checks a request against everything the host
// has (Validate, Authorise), admits it (Admission), and works through its steps
// (Execute), putting events into a queue that somebody else empties: a stream, a
// JSON answer or a job.
package run

// Package transcript keeps what happened between the kit and a target, in order and within bounds, for the people who
// read a report. Secrets never get into it.
package transcript

// Package report is what came of a run, for people and for programs: verdicts on requirements and scenarios, and for
// everything that did not hold the sentence, the exchange, the difference and how to run it alone.
package report

// Package peers has other generators write their code for our documents, into a
// folder that is not committed, and the small program that measures it beside
// ours.
package peers

// Package report tells what the benchmark found: as text, as JSON, and as a
// table of ratios in Markdown.
package report

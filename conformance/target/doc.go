// Package target reads target files: how an implementation under test is started, what it provides, and the values
// that scenarios need.
package target

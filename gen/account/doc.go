// Package account says for every keyword of the documents behind a package how often it occurs and how it is enforced,
// so that it can be read, not only believed, that nothing of a document was dropped.
package account

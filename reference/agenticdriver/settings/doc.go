// Package settings lets those who may manage providers read and change them.
// Its revision is the content hash of the whole configuration: a save has to
// name the one it was made for.
package settings

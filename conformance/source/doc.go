// Package source reads YAML and JSON files into values that know where they were written, so that whoever finds
// something wrong can name file, line and column.
//
// YAML is read as JSON written comfortably: mappings with text keys, sequences, scalars. Anchors, aliases, tags and
// merge keys are refused, since files that people read aloud are better without them; so are repeated keys.
package source

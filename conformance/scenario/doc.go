// Package scenario reads scenarios: YAML files that tell a conversation with an implementation under test step by
// step. Everything that can be known before a target is there is checked while loading: words and their members,
// names, requirements, faults, features, matchers, scripts of stand-ins, and that each message is valid, or breaks
// the rule it says it breaks.
package scenario

// Package comitiva tells the kit what it must know about the Comitiva runner protocol: the checks of both
// directions, and the rules that every conversation with a runner is held to.
package comitiva

// Package signin carries out attempts to sign in to an account of a provider.
// The identity service is a stand-in: what it does is written in the attempt.
package signin

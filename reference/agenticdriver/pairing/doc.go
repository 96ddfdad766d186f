// Package pairing lets clients trade an invitation, once, for a credential of
// their own. Codes and tokens are kept as digests only.
package pairing

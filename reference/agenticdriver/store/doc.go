// Package store opens the database that keeps what must survive a restart: jobs
// and their events, idempotency keys, paired connections and indexed documents.
// Each of the packages that keep something there has tables of its own.
package store

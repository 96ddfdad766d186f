package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// Memory is the path of a database that lives no longer than the process.
const Memory = ":memory:"

// DB is the database. It has one connection: statements follow one another.
type DB struct{ *sql.DB }

// Open opens the file, or makes it. What a statement has changed is on the disk
// when it returns.
func Open(path string) (*DB, error) {
	options := url.Values{"_pragma": {"busy_timeout(5000)", "foreign_keys(1)"}, "_txlock": {"immediate"}}
	name := Memory
	if path != "" && path != Memory {
		options["_pragma"] = append(options["_pragma"], "journal_mode(WAL)", "synchronous(FULL)")
		name = "file:" + (&url.URL{Path: path}).EscapedPath()
	}
	db, err := sql.Open("sqlite", name+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("the state file cannot be opened: %w", err)
	}
	db.SetMaxOpenConns(1)
	if err := db.Ping(); err != nil {
		return nil, fmt.Errorf("the state file %s cannot be opened: %w", path, err)
	}
	return &DB{db}, nil
}

// Create makes tables unless they are there.
func (db *DB) Create(statements string) error {
	for s := range strings.SplitSeq(statements, ";") {
		if strings.TrimSpace(s) == "" {
			continue
		}
		if _, err := db.Exec(s); err != nil {
			return fmt.Errorf("the state file: %w", err)
		}
	}
	return nil
}

// Do runs a transaction: all of it, or nothing if do returns an error.
func (db *DB) Do(do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errorsJoin(err, tx.Rollback())
	}
	return tx.Commit()
}

// errorsJoin keeps err as it is unless undoing went wrong as well.
func errorsJoin(err, undo error) error {
	if undo != nil {
		return fmt.Errorf("%w (and undoing failed: %w)", err, undo)
	}
	return err
}

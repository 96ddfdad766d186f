package store

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWhatIsDoneHalfIsUndone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a state #?.db") // a name that an URL would read otherwise
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Create("CREATE TABLE IF NOT EXISTS a (x INTEGER); CREATE TABLE IF NOT EXISTS b (x INTEGER);"); err != nil {
		t.Fatal(err)
	}
	why := errors.New("why")
	for _, err := range []error{why, nil} {
		got := db.Do(func(tx *sql.Tx) error {
			if _, err := tx.Exec(`INSERT INTO a VALUES (1)`); err != nil {
				return err
			}
			return err
		})
		if !errors.Is(got, err) {
			t.Errorf("got %v", got)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file has another name: %v", err)
	}
	db, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM a`).Scan(&n); err != nil || n != 1 {
		t.Errorf("got %d rows, %v", n, err)
	}
}

func TestStateFilesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("this is no database, but it is long enough to look like a file of one"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "none", "state.db"), dir, filepath.Join(dir, "text")} {
		db, err := Open(path)
		if err == nil {
			err = db.Create(`CREATE TABLE IF NOT EXISTS a (x INTEGER)`)
			_ = db.Close()
		}
		if err == nil {
			t.Errorf("%s is taken", path)
		}
	}
}

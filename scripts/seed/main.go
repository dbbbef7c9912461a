// Seed adds files that do not exist to the index of a stopped server on SQLite, so that journeys and measurements of
// the application have long lists:
//
//	go run ./scripts/seed DATABASE FILES
//
// Names are in the order of the capture dates, which are spread over the ten years from 2012 on. Each file has its own
// placeholder. The caller creates the folders: library/f0000, library/f0001, ... with 500 files each.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"

	_ "github.com/mattn/go-sqlite3" // driver "sqlite3"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "seed:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("got %d arguments, expected DATABASE FILES", len(args))
	}
	files, err := strconv.Atoi(args[1])
	if err != nil || files < 1 {
		return fmt.Errorf("FILES is %q, expected a number from 1 on", args[1])
	}
	db, err := sql.Open("sqlite3", "file:"+args[0]+"?mode=rw&_journal_mode=WAL&_synchronous=OFF")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // has no effect after a commit
	for _, statement := range statements {
		if _, err := tx.Exec(statement, sql.Named("files", files)); err != nil {
			return fmt.Errorf("%w in %s", err, statement)
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.Exec("ANALYZE")
	return err
}

// Ids start at a million, above those of existing rows.
var statements = []string{
	"INSERT OR IGNORE INTO entries (path, parent_id, name, name_key, kind, synced) VALUES ('', 0, '', '', 0, 1)",
	`INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced, words)
VALUES (999999, 'library', (SELECT id FROM entries WHERE path = ''), 'library', CAST('library' || char(0) || 'library' AS BLOB), 0, 1, 'library')`,
	`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE (i + 1) * 500 < :files)
INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced, words)
SELECT 1000000 + i, 'library/' || name, 999999, name, CAST(name || char(0) || name AS BLOB), 0, 1, name
FROM (SELECT i, printf('f%04d', i) AS name FROM n)`,
	`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :files)
INSERT INTO entries (id, path, parent_id, name, name_key, kind, size, modified, taken, taken_key, pixels, width, height, etag, type,
  meta_state, dominant, thumbhash, colors, words)
SELECT 2000000 + i, printf('library/f%04d/', i / 500) || name, 1000000 + i / 500, name, CAST(name || char(0) || name AS BLOB), 1, 3000000 + i, at, at, at,
  width * height, width, height, 'e', 'jpeg', 1, (i * 2654435761) % 16777216,
  CASE i % 3 WHEN 0 THEN '1QcSHQRnh493V4dIh4eX' WHEN 1 THEN '3PcNNYSFeXh/d3eld0iH' ELSE 'VQgGFYI4V5hoZ4d5SXeG' END || printf('%08x', (i * 2654435761) % 4294967296),
  char(0xF0000 + i % 5000) || ' ' || char(0xF0000 + i % 4999), 'img jpg ' || printf('%07d', i)
FROM (SELECT i, printf('img%07d.jpg', i) AS name, (1325419200 + CAST(i * 315532800.0 / :files AS INTEGER)) * 1000000000 AS at,
  CASE i % 7 WHEN 0 THEN 2000 WHEN 3 THEN 4000 WHEN 5 THEN 6000 ELSE 3000 END AS width,
  CASE i % 7 WHEN 0 THEN 3000 WHEN 3 THEN 2250 WHEN 5 THEN 1900 ELSE 2000 END AS height FROM n)`,
}

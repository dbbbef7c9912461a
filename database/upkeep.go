package database

import (
	"context"

	"github.com/safelight/safelight/ent"
)

// A table is vacuumed if more than changedRows rows and more than 1/changedShare of its rows have changed.
const (
	changedRows  = 10_000
	changedShare = 10
)

// Upkeep vacuums and analyzes the tables of files and tags on PostgreSQL if many of their rows have
// changed. Autovacuum would do this minutes later. Until then, pages deep in a folder would read rows instead
// of only the index, and plans would be made for an empty table. It skips tables that are being vacuumed, and
// does nothing on SQLite.
func (db *DB) Upkeep(ctx context.Context) error {
	if !db.IsPostgres() {
		return nil
	}
	tables, err := changedTables(ctx, db.Client)
	if err != nil {
		return Translate(err)
	}
	for _, t := range tables {
		if _, err := db.ExecContext(ctx, "VACUUM (ANALYZE, SKIP_LOCKED) "+t); err != nil {
			return Translate(err)
		}
	}
	return nil
}

// changedTables returns the tables with many rows that have changed since the last vacuum or analyze. Dead
// rows only count ten minutes after a vacuum: a vacuum may be unable to remove them because of a long
// transaction, such as that of pg_dump.
func changedTables(ctx context.Context, db *ent.Client) (tables []string, err error) {
	rows, err := db.QueryContext(
		ctx,
		`SELECT relid::regclass::text FROM (SELECT *, greatest(n_ins_since_vacuum, n_mod_since_analyze,
		CASE WHEN last_vacuum > now() - interval '10 minutes' THEN 0 ELSE n_dead_tup END) AS changed FROM pg_stat_user_tables) AS t
		WHERE relid IN ('entries'::regclass, 'taggings'::regclass) AND changed > $1 AND changed > n_live_tup / $2 ORDER BY 1`,
		changedRows,
		changedShare,
	)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t string
		if err := rows.Scan(&t); err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, rows.Err()
}

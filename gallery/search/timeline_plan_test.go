package search

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery/access"
)

// TestPlan checks that the statement only reads the index of the order by date, and no rows.
func TestPlan(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		db := database.New(pool, name)
		fill(t, pool, name)
		c := counter{db, TimelineQuery{Where: New(db, access.Everything()), Recursive: true}}
		statement, args := c.statement(spans(time.Unix(0, 0), time.Unix(1e9, 0), Month), "count(*)", "(%s)")
		explain := "EXPLAIN QUERY PLAN "
		if name == dialect.Postgres {
			explain = "EXPLAIN "
		}
		plan := text(t, pool, explain+statement, args...)
		if !strings.Contains(plan, "COVERING INDEX entry_kind_hidden_taken_key_id") &&
			!strings.Contains(plan, "Index Only Scan using entry_kind_hidden_taken_key_id") {
			t.Errorf("the plan reads rows:\n%s", plan)
		}
	})
}

// fill inserts enough rows for an index to be used.
func fill(t *testing.T, pool *sql.DB, name string) {
	t.Helper()
	statements := []string{
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999) INSERT INTO entries (path, " +
			"parent_id, name, name_key, kind, taken_key) SELECT 'm' || i, 1, 'm' || i, 'm', 1, CAST(i AS BIGINT) * " +
			"50000000000000 FROM n",
		"ANALYZE",
	}
	if name == dialect.Postgres {
		statements = append(statements, "VACUUM ANALYZE entries")
	}
	for _, statement := range statements {
		if _, err := pool.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

func text(t *testing.T, pool *sql.DB, statement string, args ...any) string {
	t.Helper()
	rows, err := pool.Query(statement, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		b.WriteString(values[len(values)-1].(*sql.NullString).String + "\n")
	}
	return b.String()
}

package database

import (
	"database/sql/driver"
	"encoding/hex"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	"github.com/lib/pq"
)

// Column is a column, with its type on PostgreSQL.
type Column struct{ Name, Type string }

// InsertRows returns the statement that inserts rows, of at least one, and its arguments. PostgreSQL takes longer to read
// ten thousand parameters than to store them, so it gets an array for each column. end is what follows the values, such as ON CONFLICT.
// Values are nil, strings, bytes, integers, floats and booleans.
func InsertRows(dialectName, table string, columns []Column, rows [][]any, end string) (string, []any) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = `"` + c.Name + `"`
	}
	start := `INSERT INTO "` + table + `" (` + strings.Join(names, ", ") + ") "
	if dialectName != dialect.Postgres {
		one := ", (?" + strings.Repeat(", ?", len(columns)-1) + ")"
		args := make([]any, 0, len(columns)*len(rows))
		for _, r := range rows {
			args = append(args, r...)
		}
		return start + "VALUES " + strings.Repeat(one, len(rows))[2:] + " " + end, args
	}
	args := make([]any, len(columns))
	for i, c := range columns {
		names[i] = "$" + strconv.Itoa(i+1) + "::" + c.Type + "[]"
		args[i] = array(rows, i)
	}
	// true holds for all rows: ON would belong to a join otherwise
	return start + "SELECT * FROM unnest(" + strings.Join(names, ", ") + ") WHERE true " + end, args
}

// array is a column as an array of PostgreSQL.
func array(rows [][]any, column int) driver.Valuer {
	list := make([]any, len(rows))
	for i, r := range rows {
		list[i] = r[column]
		if b, ok := list[i].([]byte); ok { // the library takes bytes for text
			list[i] = `\x` + hex.EncodeToString(b)
		}
	}
	return pq.Array(list)
}

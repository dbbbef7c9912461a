package database

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	"github.com/lib/pq"
)

// Column is a column with its PostgreSQL type.
type Column struct{ Name, Type string }

// InsertRows returns a statement that inserts at least one row, and its arguments. On PostgreSQL, each column
// is passed as an array, because parsing ten thousand parameters takes longer than storing them. end follows
// the values, for example ON CONFLICT. Values are nil, strings, bytes, integers, floats and booleans.
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
	// Without WHERE, a following ON CONFLICT would be parsed as a join condition.
	return start + "SELECT * FROM unnest(" + strings.Join(names, ", ") + ") WHERE true " + end, args
}

// array returns a column as a PostgreSQL array.
func array(rows [][]any, column int) driver.Valuer {
	list := make([]any, len(rows))
	for i, r := range rows {
		list[i] = r[column]
		if b, ok := list[i].([]byte); ok { // the library would encode bytes as text
			list[i] = `\x` + hex.EncodeToString(b)
		}
	}
	return pq.Array(list)
}

// Array returns numbers as an argument for PostgreSQL. It converts nil to an empty array, because pq would
// make it NULL, for which no comparison is true.
func Array[N int | int64](numbers []N) driver.Valuer {
	return pq.Array(append([]N{}, numbers...)).(driver.Valuer)
}

// TextsIn returns a condition, to be written after a column, that a text is in a list. The condition contains
// a question mark for its argument. It needs only one argument for any length of list, because databases
// limit the number of arguments.
func TextsIn(dialectName string, list []string) (condition string, arg any) {
	if dialectName == dialect.Postgres {
		return " = ANY(?)", pq.Array(append([]string{}, list...))
	}
	text, _ := json.Marshal(append([]string{}, list...)) // cannot fail for texts
	return " IN (SELECT value FROM json_each(?))", string(text)
}

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

// Column is a column, with its type on PostgreSQL.
type Column struct{ Name, Type string }

// InsertRows returns a statement that inserts one or more rows, and its arguments. PostgreSQL gets one array for each
// column, because parsing ten thousand parameters takes it longer than storing them. end follows the values, for
// example ON CONFLICT. Values are nil, strings, bytes, integers, floats and booleans.
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
	// without WHERE, a following ON CONFLICT would be parsed as the condition of a join
	return start + "SELECT * FROM unnest(" + strings.Join(names, ", ") + ") WHERE true " + end, args
}

// array is a column as an array of PostgreSQL.
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

// Array returns numbers as an argument for PostgreSQL. Nil is an empty array: pq makes it NULL, which no comparison
// holds for.
func Array[N int | int64](numbers []N) driver.Valuer {
	return pq.Array(append([]N{}, numbers...)).(driver.Valuer)
}

// TextsIn returns the condition, after a column, that a text is in a list, and its argument: one, however long the list
// is. A database limits the number of arguments. The condition has a question mark for it.
func TextsIn(dialectName string, list []string) (condition string, arg any) {
	if dialectName == dialect.Postgres {
		return " = ANY(?)", pq.Array(append([]string{}, list...))
	}
	text, _ := json.Marshal(append([]string{}, list...)) // never fails for texts
	return " IN (SELECT value FROM json_each(?))", string(text)
}

// Package rows writes statements that insert many rows at once. PostgreSQL takes longer to read ten thousand parameters than to store them, so
// it gets an array for each column.
package rows

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
)

// Column is a column, with its type on PostgreSQL.
type Column struct{ Name, Type string }

// Insert returns the statement that inserts rows, of at least one, and its arguments. end is what follows the values, such as ON CONFLICT.
// Values are nil, strings, bytes, integers, floats and booleans.
func Insert(database, table string, columns []Column, rows [][]any, end string) (string, []any) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = `"` + c.Name + `"`
	}
	start := `INSERT INTO "` + table + `" (` + strings.Join(names, ", ") + ") "
	if database != dialect.Postgres {
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

// array is a column as PostgreSQL reads an array.
func array(rows [][]any, column int) string {
	b := make([]byte, 0, 16*len(rows))
	b = append(b, '{')
	for i, r := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, r[column])
	}
	return string(append(b, '}'))
}

func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "NULL"...)
	case string:
		return appendQuoted(b, v)
	case []byte:
		b = append(b, `"\\x`...)
		return append(hex.AppendEncode(b, v), '"')
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int8:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	}
	panic(fmt.Sprintf("a value of type %T is not known", value)) // a mistake of the caller that each test shows
}

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

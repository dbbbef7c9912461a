package moves

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"strings"
)

// kind is the storage type of a column.
type kind string

// The kinds of columns. A document is JSON.
const (
	boolean   kind = "boolean"
	moment    kind = "moment"
	number    kind = "number"
	decimal   kind = "decimal"
	blob      kind = "blob"
	documents kind = "documents"
	text      kind = "text"
)

// column is a column of a table.
type column struct {
	Name      string
	Kind      kind
	Increment bool // the database assigns the values
}

// table is a table of the ent schemas. Its first column is the primary key.
type table struct {
	Name    string
	Columns []column
}

// quoted quotes a name for statements on either database.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// columnList returns the columns of a table as a list for statements.
func columnList(t table) string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, quoted(c.Name))
	}
	return strings.Join(names, ", ")
}

// Sum is a checksum that does not depend on the order of rows: the sum of their SHA-256 hashes.
type Sum [4]uint64

// String returns the start of the sum in hexadecimal.
func (s Sum) String() string { return fmt.Sprintf("%016x", s[0]) }

func (s *Sum) add(row []byte) {
	h := sha256.Sum256(row)
	for i := range s {
		s[i] += binary.BigEndian.Uint64(h[8*i:])
	}
}

// eachRow calls do with the values of each row, in the format of convert, sorted by primary key. n is 1 for
// the first row. The slice is reused for the next row.
func eachRow(
	ctx context.Context,
	tx *sql.Tx,
	t table,
	do func(n int64, row []any) error,
) (n int64, sum Sum, err error) {
	rows, err := tx.QueryContext(
		ctx,
		"SELECT "+columnList(t)+" FROM "+quoted(t.Name)+" ORDER BY "+quoted(t.Columns[0].Name),
	)
	if err != nil {
		return 0, sum, err
	}
	defer rows.Close()
	raw, row := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	into := make([]any, len(raw))
	for i := range raw {
		into[i] = &raw[i]
	}
	var encoded []byte
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return n, sum, err
		}
		n++
		encoded = encoded[:0]
		for i, c := range t.Columns {
			if row[i], err = convert(c, raw[i]); err != nil {
				return n, sum, fmt.Errorf("row %v, column %s: %w", raw[0], c.Name, err)
			}
			encoded = appendValue(encoded, row[i])
		}
		sum.add(encoded)
		if err := do(n, row); err != nil {
			return n, sum, fmt.Errorf("row %v: %w", row[0], err)
		}
	}
	return n, sum, rows.Err()
}

package moves

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql/schema"

	"github.com/safelight/safelight/ent/migrate"
)

// Tables returns every table of the ent schemas, one that others refer to before these.
func Tables() []*schema.Table {
	var list []*schema.Table
	var add func(*schema.Table)
	add = func(t *schema.Table) {
		if slices.Contains(list, t) {
			return
		}
		for _, key := range t.ForeignKeys {
			if key.RefTable != t {
				add(key.RefTable)
			}
		}
		list = append(list, t)
	}
	for _, t := range migrate.Tables {
		add(t)
	}
	return list
}

// quoted returns a name as both databases read it in a statement.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// columnList returns the columns of a table, for a statement.
func columnList(t *schema.Table) string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, quoted(c.Name))
	}
	return strings.Join(names, ", ")
}

// Sum is a checksum of rows in any order: the sum of the SHA-256 of each.
type Sum [4]uint64

// String returns the start of the sum in hexadecimal.
func (s Sum) String() string { return fmt.Sprintf("%016x", s[0]) }

func (s *Sum) add(row []byte) {
	h := sha256.Sum256(row)
	for i := range s {
		s[i] += binary.BigEndian.Uint64(h[8*i:])
	}
}

// eachRow calls do with the values of each row in the form of convert, by ascending primary key, and n from 1 on. The slice is used again for the next row.
func eachRow(ctx context.Context, tx *sql.Tx, t *schema.Table, do func(n int64, row []any) error) (n int64, sum Sum, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT "+columnList(t)+" FROM "+quoted(t.Name)+" ORDER BY "+quoted(t.PrimaryKey[0].Name))
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

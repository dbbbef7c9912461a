package bitmaps

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
)

// maxRows is how many files that are new or have changed since the bitmaps were made are looked up.
const maxRows = 10_000

// Query selects visible files.
type Query struct {
	All              [][]string     // lists of terms, at least one: a file has one of each list
	WithoutTemplates bool           // saved templates are left out
	Rows             entsql.Querier // the condition that selects the same rows of the table entries
}

// Count counts the files of a query by bitmaps; false if a term has no bitmap, or if too many files have changed since. What it returns
// is of one moment: bitmaps, changes and the rows of changed files are read in one statement. Errors are those of database.Translate.
func Count(ctx context.Context, db *database.DB, q Query) (n int, known bool, err error) {
	r := &reader{query: q, sets: map[place]*Set{}}
	var changes, rows int
	list, err := db.QueryContext(ctx, fmt.Sprintf("SELECT (SELECT coalesce(max(upto), -1) FROM bitmap_blocks), (SELECT count(*) FROM (SELECT 1 FROM bitmap_changes LIMIT %[1]d) AS c), "+
		"(SELECT count(*) FROM (SELECT 1 FROM entries WHERE id > (SELECT coalesce(max(upto), %[2]d) FROM bitmap_blocks) ORDER BY id LIMIT %[1]d) AS e)", maxRows+1, int64(math.MaxInt64)))
	if err == nil {
		err = eachRow(list, func() error { return list.Scan(&r.upto, &changes, &rows) })
	}
	if err != nil || r.upto < 0 || changes > maxRows || rows > maxRows {
		return 0, false, database.Translate(err)
	}
	query, args := r.statement(db)
	if list, err = db.QueryContext(ctx, query, args...); err == nil {
		err = eachRow(list, func() error { return r.take(list) })
	}
	if err != nil {
		return 0, false, database.Translate(err)
	}
	n, known = r.count()
	return n, known, nil
}

// eachRow calls do for each row and closes them.
func eachRow(list *sql.Rows, do func() error) error {
	defer list.Close()
	for list.Next() {
		if err := do(); err != nil {
			return err
		}
	}
	return list.Err()
}

// reader is what the statement of a count reads.
type reader struct {
	query   Query
	upto    int // files with larger ids are read by their rows
	rows    int // how many of these, and of those that changed, match
	blocks  []found
	changes []int // ids
	sets    map[place]*Set
}

// found is a block that the database has.
type found struct{ number, upto, files int }

// place is a term in a block.
type place struct {
	term  string
	block int
}

// The kinds of rows of a count.
const (
	countSet = iota
	countBlock
	countChange
	countRows
)

// statement selects the bitmaps of the terms, all blocks, the changes, and how many files match of those that are in none or have changed.
func (r *reader) statement(db *database.DB) (string, []any) {
	from, changed := "entries NOT INDEXED", "IN (SELECT entry_id FROM bitmap_changes)" // SQLite takes an index of an order else
	if db.IsPostgres() {
		from, changed = "entries", "= ANY (ARRAY(SELECT entry_id FROM bitmap_changes))" // an array is looked up in the index
	}
	terms := append(slices.Concat(r.query.All...), Templates)
	statement := entsql.P(func(w *entsql.Builder) {
		w.WriteString(fmt.Sprintf("SELECT %d AS what, t.block, CAST(0 AS BIGINT), CAST(0 AS BIGINT), t.term, s.bits FROM bitmap_terms t "+
			"LEFT JOIN bitmaps s ON s.block = t.block AND s.number = t.number WHERE t.term IN (", countSet))
		for i, term := range terms {
			if i > 0 {
				w.WriteString(", ")
			}
			w.Arg(term)
		}
		w.WriteString(fmt.Sprintf(") UNION ALL SELECT %d, block, upto, files, '', NULL FROM bitmap_blocks", countBlock))
		w.WriteString(fmt.Sprintf(" UNION ALL SELECT %d, entry_id, 0, 0, '', NULL FROM bitmap_changes", countChange))
		for _, ids := range []string{fmt.Sprintf("id > %d", r.upto), fmt.Sprintf("id <= %d AND id %s", r.upto, changed)} {
			w.WriteString(fmt.Sprintf(" UNION ALL SELECT %d, count(*), 0, 0, '', NULL FROM %s WHERE %s AND ", countRows, from, ids)).Join(r.query.Rows)
		}
	})
	statement.SetDialect(db.Dialect())
	return statement.Query()
}

// take takes one row of the statement.
func (r *reader) take(list *sql.Rows) error {
	var what, first, upto, files int
	var term string
	var bits []byte
	if err := list.Scan(&what, &first, &upto, &files, &term, &bits); err != nil {
		return err
	}
	switch what {
	case countSet:
		set := &Set{}
		r.sets[place{term, first}] = set
		return set.Decode(bits)
	case countBlock:
		r.blocks = append(r.blocks, found{first, upto, files})
	case countChange:
		r.changes = append(r.changes, first)
	case countRows:
		r.rows += first
	}
	return nil
}

// count returns how many files match; false if a bitmap is missing, or if the blocks are others than those for which rows were read.
func (r *reader) count() (int, bool) {
	slices.SortFunc(r.blocks, func(a, b found) int { return a.number - b.number })
	slices.Sort(r.changes)
	n := r.rows
	for i, b := range r.blocks {
		end := (i+1)*BlockSize - 1
		if i == len(r.blocks)-1 {
			end = r.upto
		}
		if b.number != i || b.upto != end {
			return 0, false
		}
		if b.files == 0 {
			continue
		}
		set, ok := r.intersect(b.number)
		if !ok {
			return 0, false
		}
		first, _ := slices.BinarySearch(r.changes, i*BlockSize)
		for _, id := range r.changes[first:] {
			if id > end {
				break
			}
			set.Remove(uint16(id % BlockSize))
		}
		n += set.Len()
	}
	return n, len(r.blocks) > 0
}

// intersect returns the files of a block that have one of each list of terms.
func (r *reader) intersect(block int) (*Set, bool) {
	var both *Set
	for _, terms := range r.query.All {
		either := &Set{}
		for _, term := range terms {
			set, ok := r.sets[place{term, block}]
			if !ok {
				return nil, false
			}
			either.Or(set)
		}
		if both == nil {
			both = either
		} else {
			both.And(either)
		}
	}
	templates, ok := r.sets[place{Templates, block}]
	if both == nil || !ok {
		return nil, false
	}
	if r.query.WithoutTemplates {
		both.AndNot(templates)
	}
	return both, true
}

// More reports whether bitmaps say that more than limit visible files have all of these words. Files that have changed since are counted as they were. It
// is false if there is no bitmap of one of them. Errors are those of database.Translate.
func More(ctx context.Context, db *database.DB, words []string, limit int) (bool, error) {
	args := make([]any, len(words))
	for i, word := range words {
		args[i] = word
	}
	list, err := db.QueryContext(ctx, db.Numbered("SELECT t.block, s.bits FROM bitmap_terms t JOIN bitmaps s ON s.block = t.block AND s.number = t.number WHERE t.term IN (?"+
		strings.Repeat(", ?", len(words)-1)+")"), args...)
	if err != nil {
		return false, database.Translate(err)
	}
	type common struct {
		Set
		words int
	}
	blocks := map[int]*common{}
	err = eachRow(list, func() error {
		var number int
		var bits sql.RawBytes
		if err := list.Scan(&number, &bits); err != nil {
			return err
		}
		b := blocks[number]
		if b == nil {
			b = &common{words: 1}
			blocks[number] = b
			return b.Decode(bits)
		}
		b.words++
		var set Set
		err := set.Decode(bits)
		b.And(&set)
		return err
	})
	n := 0
	for _, b := range blocks {
		if b.words == len(words) {
			n += b.Len()
		}
	}
	return n > limit, database.Translate(err)
}

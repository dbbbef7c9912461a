package bitmaps

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
)

// maxRows is how many files that are new or have changed since the bitmaps were made are looked up.
const maxRows = 10_000

// Query selects visible files that meet all conditions.
type Query struct {
	All     [][]string // lists of terms: a file has one of each list
	Ranges  []Range
	Balls   []Ball
	Without []string       // terms that no file has
	Folder  int            // the id of the folder in which the files are; 0: any
	Deep    bool           // or below it
	Rows    entsql.Querier // the condition that selects the same rows of the table entries
}

// facts reports whether the query depends on facts, whose changes are logged apart.
func (q *Query) facts() bool {
	return q.open() || slices.ContainsFunc(slices.Concat(q.All...), isFact)
}

// open reports whether bitmaps may leave it open if a file matches, so that its row has to be read.
func (q *Query) open() bool { return len(q.Ranges) > 0 || len(q.Balls) > 0 }

// terms are those that the query reads.
func (q *Query) terms() []string {
	list := append(slices.Concat(q.All...), files)
	list = append(list, q.Without...)
	for _, r := range q.Ranges {
		list = append(list, Column(r.Column))
	}
	if len(q.Balls) > 0 {
		list = append(list, colourTerm)
	}
	if q.Folder != 0 {
		list = append(list, Column("parent_id"))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Count counts the files of a query by bitmaps; false if a term has no bitmap, or if too many files have changed since. What it returns
// is of one moment: bitmaps, changes and the rows of changed files are read in one statement. If the rows of other files may have to be read too, a second
// statement does it, with the changes and their rows, and the bitmaps have to be those of the first. Errors are those of database.Translate.
func Count(ctx context.Context, db *database.DB, q Query) (n int, known bool, err error) {
	upto, known, err := ready(ctx, db, q.facts())
	if err != nil || !known {
		return 0, false, database.Translate(err)
	}
	r := &reader{query: q, terms: q.terms(), upto: upto, bits: map[place][]byte{}, balls: map[int][]*match{}, only: q.open()}
	if err := r.read(ctx, db); err != nil {
		return 0, false, database.Translate(err)
	}
	found, known, err := r.find()
	if err != nil || !known {
		return 0, false, database.Translate(err)
	}
	if r.only {
		again := &reader{query: q, upto: upto, ids: r.unsure(found)}
		if len(again.ids) > maxRows {
			return 0, false, nil
		}
		if err := again.read(ctx, db); err != nil {
			return 0, false, database.Translate(err)
		}
		if !again.sameBlocks(r) {
			return 0, false, nil
		}
		r = again
	}
	return r.count(found), true, nil
}

// logged is the condition of the changes that matter to a query.
func logged(facts bool) string {
	if facts {
		return "TRUE"
	}
	return "what = 0"
}

// ready returns up to which id bitmaps have files; false if there are none, or if too many files are new or have changed since.
func ready(ctx context.Context, db *database.DB, facts bool) (upto int, known bool, err error) {
	var changes, rows int
	list, err := db.QueryContext(ctx, fmt.Sprintf("SELECT (SELECT coalesce(max(upto), -1) FROM bitmap_blocks), (SELECT count(*) FROM (SELECT 1 FROM bitmap_changes WHERE %[3]s LIMIT %[1]d) AS c), "+
		"(SELECT count(*) FROM (SELECT 1 FROM entries WHERE id > (SELECT coalesce(max(upto), %[2]d) FROM bitmap_blocks) ORDER BY id LIMIT %[1]d) AS e)", maxRows+1, int64(math.MaxInt64), logged(facts)))
	if err == nil {
		err = eachRow(list, func() error { return list.Scan(&upto, &changes, &rows) })
	}
	return upto, err == nil && upto >= 0 && changes <= maxRows && rows <= maxRows, err
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
	terms   []string
	upto    int   // files with larger ids are read by their rows
	ids     []int // of files that are read by their rows too, unless they have changed
	rows    int   // how many of all these match
	blocks  []found
	changes []int // ids
	folders map[int64]bool
	bits    map[place][]byte
	balls   map[int][]*match // of each block, those of the query
	only    bool             // bitmaps, without changes and rows
}

// found is a block that the database has. No other of that number has the same version, not even after all were dropped.
type found struct {
	number, upto, files int
	version             string
}

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
	countFolder
)

func (r *reader) read(ctx context.Context, db *database.DB) error {
	query, args := r.statement(db)
	list, err := db.QueryContext(ctx, query, args...)
	if err == nil {
		err = eachRow(list, func() error { return r.take(list) })
	}
	slices.SortFunc(r.blocks, func(a, b found) int { return a.number - b.number })
	slices.Sort(r.changes)
	return err
}

// statement selects the bitmaps of the terms, all blocks, the folders below that of the query, the changes, and how many files match of those that are in
// no bitmap, have changed or are named.
func (r *reader) statement(db *database.DB) (string, []any) {
	const none = ", 0, 0, '', NULL"
	condition := logged(r.query.facts())
	changes := "SELECT entry_id FROM bitmap_changes WHERE " + condition
	from, changed := "entries NOT INDEXED", "IN ("+changes+")" // SQLite takes an index of an order else
	if db.IsPostgres() {
		from, changed = "entries", "= ANY (ARRAY("+changes+"))" // an array is looked up in the index
	}
	statement := entsql.P(func(w *entsql.Builder) {
		w.WriteString(fmt.Sprintf("SELECT %d AS what, block, upto, files, CAST(version AS TEXT) || ' ' || CAST(terms_version AS TEXT) AS term, NULL AS bits FROM bitmap_blocks", countBlock))
		for i, term := range r.terms {
			if i == 0 {
				w.WriteString(fmt.Sprintf(" UNION ALL SELECT %d, t.block, t.number, 0, t.term, s.bits FROM bitmap_terms t LEFT JOIN bitmaps s ON s.block = t.block AND s.number = t.number WHERE t.term IN (", countSet))
			} else {
				w.WriteString(", ")
			}
			w.Arg(term)
		}
		if len(r.terms) > 0 {
			w.WriteString(")")
		}
		if r.query.Deep {
			w.WriteString(fmt.Sprintf(" UNION ALL SELECT %d, id%s FROM (WITH RECURSIVE below(id) AS (SELECT CAST(%d AS BIGINT) UNION ALL SELECT e.id FROM entries e JOIN below ON e.parent_id = below.id AND e.kind = 0) "+
				"SELECT id FROM below) AS f", countFolder, none, r.query.Folder))
		}
		if r.only {
			return
		}
		w.WriteString(fmt.Sprintf(" UNION ALL SELECT %d, entry_id%s FROM bitmap_changes WHERE %s", countChange, none, condition))
		rows := []string{fmt.Sprintf("id > %d", r.upto), fmt.Sprintf("id <= %d AND id %s", r.upto, changed)}
		if len(r.ids) > 0 {
			rows = append(rows, r.among(db.IsPostgres())+" AND id NOT IN ("+changes+")")
		}
		for _, ids := range rows {
			w.WriteString(fmt.Sprintf(" UNION ALL SELECT %d, count(*)%s FROM %s WHERE %s AND ", countRows, none, from, ids)).Join(r.query.Rows)
		}
	})
	statement.SetDialect(db.Dialect())
	return statement.Query()
}

// among is the condition of the ids.
func (r *reader) among(postgres bool) string {
	ids := make([]string, len(r.ids))
	for i, id := range r.ids {
		ids[i] = strconv.Itoa(id)
	}
	if postgres { // one literal: PostgreSQL plans each item of a list
		return "id = ANY ('{" + strings.Join(ids, ",") + "}'::bigint[])"
	}
	return "id IN (" + strings.Join(ids, ",") + ")"
}

// take takes one row of the statement.
func (r *reader) take(list *sql.Rows) error {
	var what, first, upto, files int
	var term string
	var bits sql.RawBytes
	if err := list.Scan(&what, &first, &upto, &files, &term, &bits); err != nil {
		return err
	}
	switch what {
	case countSet:
		if upto == 0 || bits != nil { // else the row of the set is missing
			return r.takeSet(place{term, first}, bits)
		}
	case countBlock:
		r.blocks = append(r.blocks, found{first, upto, files, term})
	case countChange:
		r.changes = append(r.changes, first)
	case countRows:
		r.rows += first
	case countFolder:
		if r.folders == nil {
			r.folders = map[int64]bool{}
		}
		r.folders[int64(first)] = true
	}
	return nil
}

// takeSet takes a bitmap, or what a query has of the colours, which are many bytes.
func (r *reader) takeSet(at place, bits []byte) error {
	if at.term != colourTerm {
		r.bits[at] = bytes.Clone(bits)
		return nil
	}
	r.bits[at] = nil
	for _, ball := range r.query.Balls {
		var m match
		if err := ball.decode(&m, bits); err != nil {
			return err
		}
		r.balls[at.block] = append(r.balls[at.block], &m)
	}
	return nil
}

// sameBlocks reports whether the blocks are those of another reader, with the same files in them, and the folders too.
func (r *reader) sameBlocks(other *reader) bool {
	return slices.Equal(r.blocks, other.blocks) && maps.Equal(r.folders, other.folders)
}

// find returns which files of each block match; false if a bitmap is missing, or if the blocks are others than those for which rows were read.
func (r *reader) find() ([]*match, bool, error) {
	list := make([]*match, len(r.blocks))
	for i, b := range r.blocks {
		end := (i+1)*BlockSize - 1
		if i == len(r.blocks)-1 {
			end = r.upto
		}
		if b.number != i || b.upto != end {
			return nil, false, nil
		}
		list[i] = &match{}
		if b.files == 0 {
			continue
		}
		for _, term := range r.terms {
			if _, ok := r.bits[place{term, i}]; !ok {
				return nil, false, nil
			}
		}
		if err := r.intersect(i, list[i]); err != nil {
			return nil, false, err
		}
	}
	return list, len(list) > 0, nil
}

// intersect finds the files of a block that meet all conditions.
func (r *reader) intersect(block int, all *match) error {
	if err := all.sure.Decode(r.bits[place{files, block}]); err != nil {
		return err
	}
	for _, term := range r.query.Without {
		var set Set
		if err := set.Decode(r.bits[place{term, block}]); err != nil {
			return err
		}
		all.sure.AndNot(&set)
	}
	for _, terms := range r.query.All {
		var either Set
		for _, term := range terms {
			if err := either.Decode(r.bits[place{term, block}]); err != nil { // adds
				return err
			}
		}
		all.sure.And(&either)
	}
	all.may = all.sure
	column := func(term string, decode func(m *match, b []byte) error) error {
		var m match
		err := decode(&m, r.bits[place{term, block}])
		all.and(&m)
		return err
	}
	if r.query.Folder != 0 {
		among := r.folders
		if !r.query.Deep {
			among = map[int64]bool{int64(r.query.Folder): true}
		}
		if err := column(Column("parent_id"), func(m *match, b []byte) error { return m.decodeAny(b, among) }); err != nil {
			return err
		}
	}
	for _, s := range r.query.Ranges {
		if err := column(Column(s.Column), func(m *match, b []byte) error { return m.decode(b, s.Low, s.High) }); err != nil {
			return err
		}
	}
	for _, m := range r.balls[block] {
		all.and(m)
	}
	return nil
}

// unsure returns the ids of files that may match, up to a few more than maxRows.
func (r *reader) unsure(list []*match) (ids []int) {
	for i, m := range list {
		rest := m.may
		rest.AndNot(&m.sure)
		for at := range rest.each {
			ids = append(ids, i*BlockSize+int(at))
		}
		if len(ids) > maxRows {
			break
		}
	}
	return ids
}

// count returns how many files match: those that surely do, without those that have changed, and those whose rows were read.
func (r *reader) count(list []*match) int {
	n := r.rows
	for _, id := range r.changes {
		if id/BlockSize < len(list) && id <= r.upto {
			list[id/BlockSize].sure.Remove(uint16(id % BlockSize))
		}
	}
	for _, m := range list {
		n += m.sure.Len()
	}
	return n
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

package bitmaps

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/rows"
)

// block is the files of one block, as one statement has read them.
type block struct {
	number  int
	terms   *vocabulary
	logged  int         // the largest id whose changes were logged
	version int         // as the database has it; 0 if it has no such block
	changes []int       // ids of the changes that it has
	visible Set         // files
	places  [][]uint16  // of each term
	words   int         // how many changes are not of facts alone
	numbers [7][]valued // as columns
	colours []uint64    // the cell of each place
}

// The kinds of rows that read returns.
const (
	aFile = iota
	aTag
	aChange
	theState
	theBlock
)

// read reads a block in one statement, so that its files and the changes that they have are of one moment.
func (k *Keeper) read(ctx context.Context, number int, v *vocabulary) (*block, error) {
	b := &block{number: number, terms: v, places: make([][]uint16, len(v.terms))}
	from, to := number*BlockSize, (number+1)*BlockSize-1
	query := fmt.Sprintf("SELECT %d AS what, id, words, type, %s FROM entries WHERE id BETWEEN %d AND %d AND kind + 0 = 1 AND NOT hidden", aFile, k.factColumns(), from, to) +
		fmt.Sprintf(" UNION ALL SELECT %d, entry_id, '', key, %s FROM taggings WHERE entry_id BETWEEN %d AND %d", aTag, noFacts, from, to) +
		fmt.Sprintf(" UNION ALL SELECT %d, id, '', CASE WHEN what = 0 THEN 'words' ELSE '' END, %s FROM bitmap_changes WHERE entry_id BETWEEN %d AND %d", aChange, noFacts, from, to) +
		fmt.Sprintf(" UNION ALL SELECT %d, logged, '', '', %s FROM bitmap_state", theState, noFacts) +
		fmt.Sprintf(" UNION ALL SELECT %d, version, '', '', %s FROM bitmap_blocks WHERE block = %d", theBlock, noFacts, number)
	list, err := k.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	var what, id int
	var words, other sql.RawBytes
	var f facts
	targets := append([]any{&what, &id, &words, &other}, f.targets()...)
	return b, eachRow(list, func() error {
		err := list.Scan(targets...)
		b.take(what, id, string(words), string(other), &f)
		return err
	})
}

// take takes one row of read.
func (b *block) take(what, id int, words, other string, f *facts) {
	at := uint16(id % BlockSize)
	switch what {
	case aFile:
		b.visible.Add(at)
		b.terms.words.each(words, func(term int32) { b.add(int(term), at) })
		b.addTerm(Type(other), at)
		b.takeFacts(f, at)
	case aTag:
		b.addTerm(Tag(other), at)
	case aChange:
		b.changes = append(b.changes, id)
		if other != "" {
			b.words++
		}
	case theState:
		b.logged = id
	case theBlock:
		b.version = id
	}
}

func (b *block) addTerm(term string, at uint16) {
	if number, ok := b.terms.numbers[term]; ok {
		b.add(number, at)
	}
}

func (b *block) add(term int, at uint16) {
	if list := b.places[term]; len(list) == 0 || list[len(list)-1] != at {
		b.places[term] = append(list, at)
	}
}

// upto is the last id that the block holds: later ones are not logged yet.
func (b *block) upto() int { return min((b.number+1)*BlockSize-1, b.logged) }

// finish keeps places of visible files up to upto, ascending, and returns how many files are left.
func (b *block) finish() int {
	last := b.upto() - b.number*BlockSize
	for at := last + 1; at < BlockSize; at++ {
		b.visible.Remove(uint16(at))
	}
	for i, list := range b.numbers {
		b.numbers[i] = slices.DeleteFunc(list, func(v valued) bool { return !b.visible.has(v.at) })
	}
	for at := range b.colours {
		if !b.visible.has(uint16(at)) {
			b.colours[at] = noColour
		}
	}
	for i, list := range b.places {
		list = slices.DeleteFunc(list, func(at uint16) bool { return !b.visible.has(at) })
		slices.Sort(list)
		b.places[i] = slices.Compact(list)
	}
	return b.visible.Len()
}

// write replaces what the database holds of a block, and forgets the changes that it has. It does nothing if another server has written
// the block or chosen other terms since it was read.
func (k *Keeper) write(ctx context.Context, b *block) error {
	files := b.finish()
	var terms, sets [][]any
	if files > 0 {
		terms, sets = b.rows()
	}
	return k.db.Transact(ctx, func(tx *ent.Tx) error {
		db := tx.Client()
		if err := k.db.LockNames(ctx, db, lockName); err != nil {
			return err
		}
		same, err := number(ctx, db, fmt.Sprintf("SELECT count(*) FROM bitmap_state WHERE version = %d AND coalesce((SELECT max(version) FROM bitmap_blocks WHERE block = %d), 0) = %d",
			b.terms.version, b.number, b.version))
		if err != nil || same == 0 {
			return err
		}
		for _, table := range []string{"bitmap_terms", "bitmaps", "bitmap_blocks"} {
			if err := exec(ctx, db, fmt.Sprintf("DELETE FROM %s WHERE block = %d", table, b.number)); err != nil {
				return err
			}
		}
		if err := k.insert(ctx, db, "bitmap_terms", []rows.Column{{Name: "term", Type: "text"}, {Name: "block", Type: "bigint"}, {Name: "number", Type: "integer"}}, terms); err != nil {
			return err
		}
		if err := k.insert(ctx, db, "bitmaps", []rows.Column{{Name: "block", Type: "bigint"}, {Name: "number", Type: "integer"}, {Name: "bits", Type: "bytea"}}, sets); err != nil {
			return err
		}
		if err := exec(ctx, db, fmt.Sprintf("INSERT INTO bitmap_blocks (block, upto, files, version, terms_version) VALUES (%d, %d, %d, %d, %d)",
			b.number, b.upto(), files, b.version+1, b.terms.version)); err != nil {
			return err
		}
		if err := exec(ctx, db, fmt.Sprintf("UPDATE bitmap_state SET changed = changed + %d", b.words)); err != nil {
			return err
		}
		return forget(ctx, db, b.changes)
	})
}

// rows returns the rows of the terms and of their sets: terms that the same files have share one. 0 is the empty set, which has no row.
func (b *block) rows() (terms, sets [][]any) {
	numbers := map[string]int{"": 0}
	add := func(term string, set []byte) {
		number, ok := numbers[string(set)]
		if !ok {
			number = len(numbers)
			numbers[string(set)] = number
			sets = append(sets, []any{b.number, number, set})
		}
		terms = append(terms, []any{term, b.number, number})
	}
	for i, term := range b.terms.terms {
		add(term, encode(b.places[i]))
	}
	for i, name := range columns {
		add(Column(name), encodeColumn(b.numbers[i], name == "parent_id"))
	}
	add(colourTerm, encodeColours(b.colours))
	return terms, sets
}

// batch is how many rows a statement inserts or deletes.
const batch = 500

func (k *Keeper) insert(ctx context.Context, db *ent.Client, table string, columns []rows.Column, values [][]any) error {
	for part := range slices.Chunk(values, batch) {
		statement, args := rows.Insert(k.db.Dialect(), table, columns, part, "")
		if _, err := db.ExecContext(ctx, statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes changes.
func forget(ctx context.Context, db *ent.Client, changes []int) error {
	for part := range slices.Chunk(changes, batch) {
		ids := make([]string, len(part))
		for i, id := range part {
			ids[i] = strconv.Itoa(id)
		}
		if err := exec(ctx, db, "DELETE FROM bitmap_changes WHERE id IN ("+strings.Join(ids, ",")+")"); err != nil {
			return err
		}
	}
	return nil
}

func exec(ctx context.Context, db *ent.Client, statement string, args ...any) error {
	_, err := db.ExecContext(ctx, statement, args...)
	return err
}

// querier is a client, or one of a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// number returns the number that a query has.
func number(ctx context.Context, db querier, query string) (n int, err error) {
	list, err := db.QueryContext(ctx, query)
	if err != nil {
		return 0, err
	}
	err = eachRow(list, func() error { return list.Scan(&n) })
	return n, err
}

// lockName serializes those who write blocks on PostgreSQL.
const lockName = "bitmaps of searches"

package search

import (
	"fmt"
	"strconv"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
)

// This file reads a page of the files of many folders. Each folder has an index of the order. It reads
// neither all files of these folders, nor files of other folders.

// Merges reports whether Merged finds a page that ends at a place, counted from 1, faster than the
// alternatives: to sort all files of the folders, or to scan the order of the whole gallery up to there.
//
// If only few files may meet the conditions, Merged would test all of them, perhaps twice. It would also read
// all files with the same value, which can be many for ratings and dimensions.
func (c *Conditions) Merges(o Order, place int) bool {
	switch {
	case !c.Partial() || len(c.parents) == 0 || c.Candidates != nil || c.album:
		return false
	case c.byFolder:
		const lookup = 10 // the time of a lookup, in entries that could be read and sorted instead
		return c.frequent == len(c.Predicates) && lookup*(len(c.parents)+2*place) <= c.files
	case o.Keys[0] == entry.FieldRating || o.Keys[0] == entry.FieldPixels:
		return false
	}
	const lookup = 4 // the time of a lookup, in entries that could be read in order instead
	return lookup*(len(c.parents)+4*place)*c.files <= place*c.last
}

// deep is the position of the second file in each folder that Merged compares, besides the first one, if
// indexes tell which files meet the conditions.
const deep = 10

// Merged selects at most limit files across folders that meet the conditions and after. It skips the first
// skip files.
//
// To find an upper bound for a page of 100 files, it takes the first file of each folder: in their order, the
// page ends at the 100th or earlier. It also takes the tenth file of each folder that starts before this
// bound: the page ends at the tenth of these or earlier. The latter bound is lower if a few folders contain
// the whole page, as is typical for the most recent pictures. It then reads the folders that start before the
// lower bound, up to that bound.
func (c *Conditions) Merged(after predicate.Entry, o Order, skip, limit int) predicate.Entry {
	one := *c
	one.oneFolder, one.byFolder = true, true
	files := entsql.Dialect(c.db.Dialect()).Select().From(entsql.Table(entry.Table))
	one.Of(KindFile, true)(files)
	after(files)
	count := skip + limit
	each := (count + len(c.parents) - 1) / len(c.parents)
	if len(c.Predicates) == 0 {
		each = max(each, deep)
	}
	tenth, nearer := "", ""
	if each > 1 {
		tenth = ", (SELECT $key FROM entries WHERE $files ORDER BY $key$direction LIMIT 1 OFFSET $each) AS tenth"
		nearer = "UNION ALL SELECT * FROM (SELECT tenth FROM near WHERE tenth IS NOT NULL " +
			"ORDER BY tenth$direction LIMIT 1 OFFSET $tenths) AS b"
	}
	folders, compare, direction := "SELECT value FROM json_each('[%s]')", "<=", ""
	if c.db.IsPostgres() {
		folders = "SELECT unnest('{%s}'::bigint[])"
	}
	if o.Descending {
		compare, direction = ">=", " DESC"
	}
	parts := strings.NewReplacer(
		"$folders", fmt.Sprintf(folders, numbers(c.parents)),
		"$key", "entries."+o.Keys[0],
		"$direction", direction,
		"$compare", compare,
		"$end", c.end(o),
		"$firsts", strconv.Itoa(count-1),
		"$each", strconv.Itoa(each-1),
		"$tenths", strconv.Itoa((count+each-1)/each-1),
		"$limit", strconv.Itoa(limit),
		"$skip", strconv.Itoa(skip),
	)
	statement := ` IN (WITH folder(id) AS ($folders), ends AS MATERIALIZED (SELECT id,
		(SELECT $key FROM entries WHERE $files ORDER BY $key$direction LIMIT 1) AS first FROM folder),
		hundredth(k) AS MATERIALIZED (SELECT coalesce((SELECT first FROM ends WHERE first IS NOT NULL
		ORDER BY first$direction LIMIT 1 OFFSET $firsts), $end)),
		near AS MATERIALIZED (SELECT folder.id, folder.first` + tenth + ` FROM ends AS folder
		WHERE folder.first $compare (SELECT k FROM hundredth)),
		last(k) AS MATERIALIZED (SELECT k FROM (SELECT k FROM hundredth ` + nearer + `) AS both_of_them
		ORDER BY k$direction LIMIT 1)
		SELECT entries.id FROM (SELECT id FROM near WHERE first $compare (SELECT k FROM last)) AS folder
		CROSS JOIN entries WHERE $files AND $key $compare (SELECT k FROM last)
		ORDER BY $key$direction, entries.id$direction LIMIT $limit OFFSET $skip)`
	return func(s *entsql.Selector) {
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.Ident(s.C(entry.FieldID))
			for i, part := range strings.Split(statement, "$files") {
				if i > 0 {
					b.Join(files.P())
				}
				b.WriteString(parts.Replace(part))
			}
		}))
	}
}

// end returns an SQL value that sorts after all keys of an order.
func (c *Conditions) end(o Order) string {
	switch {
	case o.Keys[0] != entry.FieldNameKey && o.Descending:
		return "-9223372036854775807"
	case o.Keys[0] != entry.FieldNameKey:
		return "9223372036854775807"
	}
	hex := "ff"
	if o.Descending {
		hex = ""
	}
	if c.db.IsPostgres() {
		return `'\x` + hex + `'::bytea`
	}
	return "x'" + hex + "'"
}

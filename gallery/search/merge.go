package search

import (
	"fmt"
	"strconv"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
)

// This file reads a page of the files in many folders, each of which has an index of the order, without reading all
// files of these folders and without reading files of others.

// Merges reports whether Merged finds a page that ends at a place, counted from 1, sooner than the other ways do: by
// folder, they sort all files, otherwise they read the order over the whole gallery up to there. Merged would test all
// files, and perhaps twice, if few may meet the conditions, and read all that have the same value, which many may: a
// rating, dimensions.
func (c *Conditions) Merges(o Order, place int) bool {
	switch {
	case !c.Partial() || len(c.parents) == 0 || c.Candidates != nil || c.album:
		return false
	case c.byFolder:
		const lookup = 10 // takes as long as reading so many entries to sort them
		return c.frequent == len(c.Predicates) && lookup*(len(c.parents)+2*place) <= c.files
	case o.Keys[0] == entry.FieldRating || o.Keys[0] == entry.FieldPixels:
		return false
	}
	const lookup = 4 // takes as long as reading so many entries in order
	return lookup*(len(c.parents)+4*place)*c.files <= place*c.last
}

// deep is which file of a folder Merged looks at besides the first one, if indexes tell which files meet the
// conditions.
const deep = 10

// Merged selects the files of a page across folders that meet the conditions and one more: at most limit, after the
// first ones that are skipped.
//
// No file of a page of 100 is behind the hundredth of the first files of the folders, in their order. Nor is one behind
// the tenth of the tenth files of the folders that begin before it, which comes sooner if a few folders hold the whole
// page, as those of the last days do. The folders that begin before the nearer one of both are read up to there.
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

// end returns what is behind all keys of an order, in SQL.
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

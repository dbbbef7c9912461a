package search

import (
	"context"
	"slices"
	"strconv"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/bitmaps"
	"github.com/safelight/safelight/gallery/words"
)

// Text selects entries in which every word of the text is part of a word, from two characters on: the index holds the ends of words too,
// so that a match starts one of its terms.
func (c *Conditions) Text(ctx context.Context, text string) error {
	terms := words.Split(text)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if len(terms) == 0 || len(terms) > 20 {
		return fault.OnField(fault.Invalid, "search", "the search has %d words, expected 1 to 20", len(terms))
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(terms)))
	many := false
	if c.db.IsPostgres() { // it reads all matches from its index of words before it returns the first
		var err error
		if many, err = bitmaps.More(ctx, c.db, distinct, MaxCandidates); err != nil {
			return err
		}
	}
	if !many {
		ids, err := c.matching(ctx, terms)
		if err != nil {
			return database.Translate(err)
		}
		if len(ids) <= MaxCandidates {
			c.only(ids)
			c.narrowed = true
			return nil
		}
	}
	c.words = distinct
	c.common(func(s *entsql.Selector) *entsql.Predicate {
		return entsql.P(func(b *entsql.Builder) {
			for i, word := range terms {
				if i > 0 {
					b.WriteString(" AND ")
				}
				// words hold letters and digits only: no LIKE wildcards
				b.WriteString("(' ' || ").Ident(s.C(entry.FieldWords)).WriteString(") LIKE ").Arg("% " + word + "%")
			}
		})
	})
	return nil
}

// matching returns the ids of matches, at most one more than MaxCandidates.
func (c *Conditions) matching(ctx context.Context, terms []string) ([]int, error) {
	statement, query := "SELECT docid FROM entry_words WHERE entry_words MATCH ? LIMIT ", strings.Join(terms, "* ")+"*"
	if c.db.IsPostgres() {
		statement, query = "SELECT id FROM entries WHERE array_to_tsvector(string_to_array(words, ' ')) @@ $1::tsquery LIMIT ", "'"+strings.Join(terms, "':* & '")+"':*"
	}
	rows, err := c.db.QueryContext(ctx, statement+strconv.Itoa(MaxCandidates+1), query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	ids := []int{}
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

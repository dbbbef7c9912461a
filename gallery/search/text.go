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
	"github.com/safelight/safelight/gallery/tokenizer"
)

// maxTerms is up to how many words a search may have.
const maxTerms = 20

// Text selects the entries that match a search: each of its words starts a word that the index stores of the entry. The
// index stores the ends of words too (tokenizer.Index), so that a search finds what is in the middle of a name.
//
// Two statements apply this rule. hasWords tests a row and is the same on both databases. matching asks the database's
// index of words, which finds few matches quickly; TestMatching holds that both find the same.
func (c *Conditions) Text(ctx context.Context, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	terms := tokenizer.Split(text)
	if len(terms) == 0 || len(terms) > maxTerms {
		return fault.OnField(fault.Invalid, "search", "the search has %d words, expected 1 to %d", len(terms), maxTerms)
	}
	terms = slices.Compact(slices.Sorted(slices.Values(terms)))
	c.narrowed = true
	ids, err := c.matching(ctx, terms)
	if err != nil {
		return database.Translate(err)
	}
	if len(ids) <= MaxCandidates {
		c.intersect(ids)
		return nil
	}
	c.common(func(s *entsql.Selector) *entsql.Predicate { return hasWords(s, terms) })
	return nil
}

// hasWords selects rows in which each term starts a stored word. Terms hold letters, digits and symbols in one case, so
// LIKE finds no wildcards in them and its rules for case do not matter.
func hasWords(s *entsql.Selector, terms []string) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		for i, term := range terms {
			if i > 0 {
				b.WriteString(" AND ")
			}
			b.WriteString("(' ' || ").Ident(s.C(entry.FieldWords)).WriteString(") LIKE ").Arg("% " + term + "%")
		}
	})
}

// matching returns the ids that the index of words has for all terms, at most one more than MaxCandidates.
func (c *Conditions) matching(ctx context.Context, terms []string) ([]int, error) {
	statement := "SELECT docid FROM entry_words WHERE entry_words MATCH ?"
	query := strings.Join(terms, "* ") + "*"
	if c.db.IsPostgres() {
		statement = "SELECT id FROM entries WHERE array_to_tsvector(string_to_array(words, ' ')) @@ $1::tsquery"
		query = "'" + strings.Join(terms, "':* & '") + "':*"
	}
	rows, err := c.db.QueryContext(ctx, statement+" LIMIT "+strconv.Itoa(MaxCandidates+1), query)
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

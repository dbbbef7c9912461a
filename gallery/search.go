package gallery

import (
	"context"
	"strconv"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
)

// search asks for entries in which every word of the text starts a word.
func (g *Gallery) search(ctx context.Context, w *where, text string) error {
	words := splitWords(text)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if len(words) == 0 || len(words) > 20 {
		return fault.OnField(fault.Invalid, "search", "the search has %d words, expected 1 to 20", len(words))
	}
	ids, err := g.matching(ctx, words)
	if err != nil {
		return database.Translate(err)
	}
	if len(ids) <= few {
		w.only(ids)
		return nil
	}
	w.common(func(s *entsql.Selector) *entsql.Predicate {
		return entsql.P(func(b *entsql.Builder) {
			for i, word := range words {
				if i > 0 {
					b.WriteString(" AND ")
				}
				// words hold letters and digits only: nothing in them means anything to LIKE
				b.WriteString("(' ' || ").Ident(s.C(entry.FieldWords)).WriteString(") LIKE ").Arg("% " + word + "%")
			}
		})
	})
	return nil
}

// matching returns the first entries that hold the words, one more than few at most.
func (g *Gallery) matching(ctx context.Context, words []string) ([]int, error) {
	statement, query := "SELECT docid FROM entry_words WHERE entry_words MATCH ? LIMIT ", strings.Join(words, "* ")+"*"
	if g.db.IsPostgres() {
		statement, query = "SELECT id FROM entries WHERE array_to_tsvector(string_to_array(words, ' ')) @@ $1::tsquery LIMIT ", "'"+strings.Join(words, "':* & '")+"':*"
	}
	rows, err := g.db.QueryContext(ctx, statement+strconv.Itoa(few+1), query)
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

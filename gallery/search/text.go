package search

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/tokenizer"
)

// MaxTerms is the maximum number of words in a search.
const MaxTerms = 20

// term is a word of a search. files is the number of files that are in a folder with this word in its name,
// at any depth.
type term struct {
	word       string
	files      int
	folderOnly bool // the words of the file itself do not count
}

// Text selects the entries of a kind that match a search. Each word of the search must be the start of a word
// that the index stores for the entry or, for a file, for a folder that contains it. The index also stores
// the ends of words (tokenizer.Index), so that a search finds text in the middle of a name.
//
// This rule has two implementations: has tests a row, in the same way on both databases; and the lists of ids
// come from the indexes, which find few matches quickly. TestMatching checks that both find the same entries.
func (c *Conditions) Text(ctx context.Context, kind int8, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	words, err := wordsOf(text, "search")
	if err != nil {
		return err
	}
	inside := make([]int, len(words))
	if kind == KindFile {
		if inside, err = c.filesInside(ctx, words); err != nil {
			return err
		}
	}
	return c.resolve(ctx, termsOf(words, inside, false))
}

// inFolder selects the files of a folder, given by a path that starts with a slash, or by words in its name.
func (c *Conditions) inFolder(ctx context.Context, folder string) error {
	if path, ok := strings.CutPrefix(folder, "/"); ok {
		if path = strings.Trim(path, "/"); path == "" {
			return nil
		}
		if !c.scope.Leads(path) { // checked first, because the time of a query would reveal what exists
			c.add(func(s *entsql.Selector) { s.Where(entsql.ExprP("1 = 0")) })
			c.intersect(nil)
			return nil
		}
		below := Below(c.db, path)
		c.Predicates = append(c.Predicates, below)
		return c.resolveFew(ctx, below)
	}
	words, err := wordsOf(folder, "filter.folder")
	if err != nil {
		return err
	}
	inside, err := c.filesInside(ctx, words)
	if err != nil {
		return err
	}
	return c.resolve(ctx, termsOf(words, inside, true))
}

func termsOf(words []string, files []int, folderOnly bool) []term {
	terms := make([]term, len(words))
	for i, w := range words {
		terms[i] = term{w, files[i], folderOnly}
	}
	return terms
}

// wordsOf returns the words of a search without duplicates. It returns fault.Invalid for a text that is too
// long or has too many words.
func wordsOf(text, field string) ([]string, error) {
	if err := database.CheckSearchText(field, text); err != nil {
		return nil, err
	}
	words := tokenizer.Split(text)
	if len(words) == 0 || len(words) > MaxTerms {
		return nil, fault.OnField(
			fault.Invalid, field, "the search has %d words, expected 1 to %d", len(words), MaxTerms,
		)
	}
	return slices.Compact(slices.Sorted(slices.Values(words))), nil
}

// resolve selects the entries that have all terms. Each term alone, and all of them together, yield lists
// that contain every match. If one of these lists is short, it becomes the list of candidates. Otherwise rows
// are tested.
func (c *Conditions) resolve(ctx context.Context, terms []term) error {
	c.narrowed = true
	var own, some []term // without and with folders of that name
	for _, t := range terms {
		switch {
		case t.files > 0:
			some = append(some, t)
		case t.folderOnly:
			c.intersect(nil)
			return nil
		default:
			own = append(own, t)
		}
	}
	slices.SortStableFunc(some, func(a, b term) int { return a.files - b.files })
	short := false
	try := func(lists ...list) error {
		few, err := c.few(ctx, lists...)
		short = short || few
		return err
	}
	if len(own) > 0 {
		if err := try(list{terms: own}); err != nil {
			return err
		}
	}
	for _, t := range some {
		if err := try(append([]list{{folder: t.word}}, byOwnWords(t)...)...); err != nil {
			return err
		}
	}
	if !short && len(terms) > 1 && len(some) > 0 { // each term is common, but their combination may be rare
		lists := byOwnWords(terms...)
		for i, t := range some {
			lists = append(lists, list{folder: t.word, terms: slices.Concat(own, some[:i], some[i+1:])})
		}
		if err := try(lists...); err != nil {
			return err
		}
	}
	if !short {
		c.common(func(s *entsql.Selector) *entsql.Predicate { return has(s, terms) })
	} else if len(some) > 0 {
		c.add(func(s *entsql.Selector) { s.Where(has(s, terms)) })
	}
	return nil
}

// maxRead is approximately the maximum number of entries that few reads in order to find those that the
// caller may view.
const maxRead = 10 * MaxCandidates

// few makes the entries of lists the candidates, and reports whether it did so. If there are more than
// MaxCandidates, it keeps some of them, so that Count quickly knows that there are many. A caller who may
// view only parts of the gallery may be allowed to view only few of them.
func (c *Conditions) few(ctx context.Context, lists ...list) (bool, error) {
	all, err := c.union(ctx, lists, false)
	if err == nil && len(all) > MaxCandidates {
		c.someMatches = all
		// The list was truncated, roughly in the order of the ids. If, for example, its ids span a tenth of
		// all ids, there are about ten times as many matches.
		span := slices.Max(all) - slices.Min(all)
		if c.parents == nil || len(all)*c.last > maxRead*span {
			return false, nil
		}
		all, err = c.union(ctx, lists, true)
	}
	if err != nil || len(all) > MaxCandidates {
		return false, err
	}
	c.intersect(all)
	return true, nil
}

// union returns the ids of lists. If viewable is set, it only returns entries that the caller may view. It
// stops after MaxCandidates.
func (c *Conditions) union(ctx context.Context, lists []list, viewable bool) (all []int, err error) {
	for _, l := range lists {
		ids, err := c.ids(ctx, l, viewable)
		if all = append(all, ids...); err != nil || len(all) > MaxCandidates {
			return all, err
		}
	}
	return all, nil
}

// has selects rows that match all terms.
func has(s *entsql.Selector, terms []term) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		for i, t := range terms {
			if i > 0 {
				b.WriteString(" AND ")
			}
			b.WriteString("(")
			if !t.folderOnly {
				hasWord(b, s.C(entry.FieldWords), t.word)
			}
			if !t.folderOnly && t.files > 0 {
				b.WriteString(" OR ")
			}
			if t.folderOnly || t.files > 0 {
				isInside(b, s.C(entry.FieldParentID), t.word)
			}
			b.WriteString(")")
		}
	})
}

// hasWord writes the condition that a stored word starts with word. Words of a search consist of letters,
// digits and symbols in one case, so LIKE finds no wildcards in them, and its rules for case do not matter.
func hasWord(b *entsql.Builder, column, word string) {
	b.WriteString("(' ' || ").Ident(column).WriteString(") LIKE ").Arg("% " + word + "%")
}

// isInside writes the condition that a folder or one of its parents has a word in its name. Both databases
// have an index of the words of folders.
func isInside(b *entsql.Builder, parent, word string) {
	b.Ident(parent).
		WriteString(" IN (WITH RECURSIVE below(id) AS (SELECT id FROM entries WHERE kind = 0 AND ")
	if b.Dialect() == dialect.Postgres {
		b.WriteString("array_to_tsvector(string_to_array(words, ' ')) @@ CAST(").
			Arg("'" + word + "':*").
			WriteString(" AS tsquery)")
	} else {
		hasWord(b, entry.FieldWords, word)
	}
	b.WriteString(" UNION " + foldersIn("below", "e.id") + ") SELECT id FROM below)")
}

// filesInside counts, for each word, the files at any depth in folders whose names contain it.
func (c *Conditions) filesInside(ctx context.Context, words []string) ([]int, error) {
	b := &entsql.Builder{}
	b.SetDialect(c.db.Dialect())
	b.WriteString("SELECT ")
	for i, w := range words {
		if i > 0 {
			b.Comma()
		}
		b.WriteString("(SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM entry_counts WHERE kind = 1 AND ")
		isInside(b, "parent_id", w)
		b.WriteString(")")
	}
	query, args := b.Query()
	counts, into := make([]int, len(words)), make([]any, len(words))
	for i := range counts {
		into[i] = &counts[i]
	}
	return counts, database.Row(ctx, c.db, query, args, into...)
}

// list describes a list of ids. With cells, it is the list of pictures that have one of these colors. With a
// folder word, it is the list of files that match all terms and are, at any depth, in a folder with that word
// in its name. Otherwise it is the list of all entries whose own words match the terms.
type list struct {
	cells  []rune
	folder string
	terms  []term
}

// byOwnWords returns the list of the entries whose own words match the terms. It returns no list if only the
// words of folders count.
func byOwnWords(terms ...term) []list {
	if slices.ContainsFunc(terms, func(t term) bool { return t.folderOnly }) {
		return nil
	}
	return []list{{terms: terms}}
}

// ids returns the ids of a list, at most one more than MaxCandidates. If viewable is set, it only returns
// entries that the caller may view.
func (c *Conditions) ids(ctx context.Context, l list, viewable bool) ([]int, error) {
	query, args := c.matching(l.terms)
	switch {
	case l.cells != nil:
		query, args = c.colored(l.cells)
	case l.folder != "":
		s := entsql.Dialect(c.db.Dialect()).Select(entry.FieldID).From(entsql.Table(entry.Table))
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.WriteString(fmt.Sprintf("kind = %d AND ", KindFile))
			isInside(b, s.C(entry.FieldParentID), l.folder)
		}))
		if len(l.terms) > 0 {
			s.Where(has(s, l.terms))
		}
		query, args = s.Query()
	}
	if viewable {
		condition := " AND (kind = 0 OR parent_id" + isOneOf(c.db.IsPostgres(), c.parents) + ")"
		if c.db.IsPostgres() {
			query += condition
		} else { // SQLite does not reorder a CROSS JOIN
			query = "WITH found(id) AS (" + query + ") SELECT entries.id FROM found CROSS JOIN entries " +
				"WHERE entries.id = found.id" + condition
		}
	}
	return idsOf(ctx, c.db, query+" LIMIT "+strconv.Itoa(MaxCandidates+1), args...)
}

// colored returns the query for the pictures that have a cell in the index of colors.
func (c *Conditions) colored(cells []rune) (query string, args []any) {
	each := strings.Split(string(cells), "")
	if c.db.IsPostgres() {
		return "SELECT id FROM entries WHERE colors <> '' AND string_to_array(colors, ' ') && $1::text[]",
			[]any{"{" + strings.Join(each, ",") + "}"}
	}
	return "SELECT docid FROM entry_colors WHERE entry_colors MATCH ?", []any{strings.Join(each, " OR ")}
}

// matching returns the query for the entries that match all terms in the index of words.
func (c *Conditions) matching(terms []term) (query string, args []any) {
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = t.word
	}
	if c.db.IsPostgres() {
		return "SELECT id FROM entries WHERE array_to_tsvector(string_to_array(words, ' ')) @@ $1::tsquery",
			[]any{"'" + strings.Join(words, "':* & '") + "':*"}
	}
	return "SELECT docid FROM entry_words WHERE entry_words MATCH ?", []any{strings.Join(words, "* ") + "*"}
}

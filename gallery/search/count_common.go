package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/words"
)

// maxWords is how many searches triggers count: a file that is written is compared with each.
const maxWords = 16

// maxCounted is how long a search may be, as counted has it.
const maxCounted = 200

// counted is the search as triggers read it: a word or several, then types after a slash.
func (c *Conditions) counted() string {
	parts := slices.Clone(c.words)
	for _, list := range c.types {
		parts = append(parts, "/"+strings.Join(list, ","))
	}
	return strings.Join(parts, " ")
}

// learnPause is how many seconds pass until the next word takes the place of another.
const learnPause = 60

// templateRow selects visible templates by the index of states: SQLite takes others without the sum.
func (c *Conditions) templateRow() string {
	return "e.meta_state = 3 AND e.kind + 0 = 1 AND NOT e.hidden AND " + words.TemplateSQL(c.db.Dialect(), "e.name")
}

// errCounted says that another server has just counted the search.
var errCounted = errors.New("the search is counted by another server")

// countWords counts the visible files with the words. Those that very many have are counted once, by reading all files; from then on triggers do.
func (c *Conditions) countWords(ctx context.Context) (n int, err error) {
	learns, err := c.mayLearn(ctx)
	if err != nil {
		return 0, database.Translate(err)
	}
	if !learns {
		return c.countByRows(ctx, KindFile, true)
	}
	err = c.db.Transact(ctx, func(tx *ent.Tx) error {
		files, templates, err := c.learn(ctx, tx.Client())
		if n = files; !c.templates {
			n += templates
		}
		return err
	})
	if err == nil || ctx.Err() != nil {
		return n, err
	}
	return c.countByRows(ctx, KindFile, true) // it cannot be written now, or not without making writers wait
}

// mayLearn reports whether triggers may count one more search. It takes the place of another only once in learnPause: seventeen searches
// in turn would keep writers waiting else.
func (c *Conditions) mayLearn(ctx context.Context) (bool, error) {
	now := "unixepoch()"
	if c.db.IsPostgres() {
		now = "extract(epoch FROM clock_timestamp())"
	}
	n, err := numbers(ctx, c.db, 2, fmt.Sprintf("SELECT count(*), count(CASE WHEN learned_at > %s - %d THEN 1 END) FROM counted_words", now, learnPause))
	return err == nil && (n[0] < maxWords || n[1] == 0), err
}

// known returns what triggers count of the search; false if they do not.
func (c *Conditions) known(ctx context.Context, db querier) (int, bool, error) {
	query := "SELECT CAST(coalesce(sum(n), 0) AS BIGINT), count(*) FROM word_counts WHERE word_id = (SELECT id FROM counted_words WHERE word = ?)"
	if c.templates {
		query += " AND NOT template"
	}
	n, err := numbers(ctx, db, 2, c.db.Numbered(query), c.counted())
	if err != nil {
		return 0, false, err
	}
	return n[0], n[1] > 0, nil
}

// learn counts the visible files of the search, templates and all others, and makes triggers count it in place of the search that was learned
// first. Writers wait meanwhile, or a change between the two would not be counted.
func (c *Conditions) learn(ctx context.Context, tx *ent.Client) (files, templates int, err error) {
	if c.db.IsPostgres() {
		_, err := tx.ExecContext(ctx, "LOCK TABLE entries IN SHARE MODE NOWAIT") // writers would wait behind one that waits
		if err != nil {
			return 0, 0, err
		}
	}
	id, err := numbers(ctx, tx, 1, c.db.Numbered("INSERT INTO counted_words (word) VALUES (?) ON CONFLICT DO NOTHING RETURNING id"), c.counted())
	if err != nil {
		return 0, 0, err
	}
	if id[0] == 0 {
		return 0, 0, errCounted
	}
	if files, templates, err = c.read(ctx, tx); err != nil {
		return 0, 0, err
	}
	for _, statement := range []struct {
		text string
		args []any
	}{
		{"INSERT INTO word_counts (word_id, template, n) VALUES (?, FALSE, ?), (?, TRUE, ?)", []any{id[0], files, id[0], templates}},
		{"DELETE FROM counted_words WHERE id NOT IN (SELECT id FROM counted_words ORDER BY id DESC LIMIT ?)", []any{maxWords}},
		{"DELETE FROM word_counts WHERE word_id NOT IN (SELECT id FROM counted_words)", nil},
	} {
		if _, err := tx.ExecContext(ctx, c.db.Numbered(statement.text), statement.args...); err != nil {
			return 0, 0, err
		}
	}
	return files, templates, nil
}

// read counts the visible files of the search. SQLite's index of words has all entries with them: those that are not visible are few.
func (c *Conditions) read(ctx context.Context, tx *ent.Client) (files, templates int, err error) {
	place, isTemplate := "instr", "e.meta_state = 3 AND "+words.TemplateSQL(c.db.Dialect(), "e.name")
	if c.db.IsPostgres() {
		place = "strpos"
	}
	has, args := strings.Repeat(" AND "+place+"(' ' || e.words, ' ' || CAST(? AS TEXT)) > 0", len(c.words)), []any{}
	for _, word := range c.words {
		args = append(args, word)
	}
	for _, list := range c.types { // names of formats: letters and digits
		has += " AND e.type IN ('" + strings.Join(list, "', '") + "')"
	}
	if c.db.IsPostgres() || len(c.types) > 0 {
		n, err := numbers(ctx, tx, 2, c.db.Numbered("SELECT count(CASE WHEN t THEN NULL ELSE 1 END), count(CASE WHEN t THEN 1 END) FROM (SELECT "+isTemplate+
			" AS t FROM entries e WHERE e.kind = 1 AND NOT e.hidden"+has+") AS found"), args...)
		if err != nil {
			return 0, 0, err
		}
		return n[0], n[1], nil
	}
	n, err := numbers(ctx, tx, 3, "SELECT (SELECT count(*) FROM entry_words WHERE entry_words MATCH ?), "+
		"(SELECT count(*) FROM entries e WHERE e.kind = 0"+has+") + (SELECT count(*) FROM entries e WHERE e.kind = 1 AND e.hidden = 1"+has+"), "+
		"(SELECT count(*) FROM entries e WHERE "+c.templateRow()+has+")", slices.Concat([]any{strings.Join(c.words, "* ") + "*"}, args, args, args)...)
	if err != nil {
		return 0, 0, err
	}
	return n[0] - n[1] - n[2], n[2], nil
}

// countTag counts the visible files with the tag, which very many have: all, without those few that are not visible.
func (c *Conditions) countTag(ctx context.Context) (int, error) {
	const tagged = " - (SELECT count(*) FROM entries e CROSS JOIN taggings t WHERE t.entry_id = e.id AND t.key = ? AND " // the order for SQLite
	query := "SELECT (SELECT count(*) FROM taggings WHERE key = ?)" + tagged + "e.kind = 0)" + tagged + "e.kind = 1 AND e.hidden = TRUE)"
	key := c.tags[0]
	args := []any{key, key, key}
	if c.templates {
		query, args = query+tagged+c.templateRow()+")", append(args, key)
	}
	n, err := numbers(ctx, c.db, 1, c.db.Numbered(query), args...)
	if err != nil {
		return 0, database.Translate(err)
	}
	return n[0], nil
}

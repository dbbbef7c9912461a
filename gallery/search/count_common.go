package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
)

// maxWords is how many words triggers count: a file that is written is compared with each.
const maxWords = 16

// learnPause is how many seconds pass until the next word takes the place of another.
const learnPause = 60

// templateRow selects visible templates by the index of states: SQLite takes others without the sum.
func (c *Conditions) templateRow() string {
	where := "e.meta_state = 3 AND e.kind + 0 = 1 AND NOT e.hidden AND "
	if c.db.IsPostgres() {
		return where + "entry_class(e.name, e.meta_state) = 1"
	}
	return where + "lower(substr(e.name, -14)) = '" + TemplateSuffix + "'"
}

// errCounted says that another server has just counted the word.
var errCounted = errors.New("the word is counted by another server")

// countWord counts the visible files with the word. One that very many have is counted once, by reading all files; from then on triggers do.
func (c *Conditions) countWord(ctx context.Context) (int, error) {
	n, known, err := c.knownWord(ctx, c.db)
	if err != nil || known {
		return n, database.Translate(err)
	}
	learns, err := c.mayLearn(ctx)
	if err != nil {
		return 0, database.Translate(err)
	}
	if !learns {
		return c.countWordByRows(ctx)
	}
	err = c.db.Transact(ctx, func(tx *ent.Tx) error {
		files, templates, err := c.learnWord(ctx, tx.Client())
		if n = files; !c.templates {
			n += templates
		}
		return err
	})
	if err == nil || ctx.Err() != nil {
		return n, err
	}
	return c.countWordByRows(ctx) // it cannot be written now, or not without making writers wait
}

func (c *Conditions) countWordByRows(ctx context.Context) (int, error) {
	n, err := c.db.Entry.Query().Where(c.Of(KindFile, true)).Count(ctx)
	return n, database.Translate(err)
}

// mayLearn reports whether triggers may count one more word. It takes the place of another only once in learnPause: searches for seventeen
// words in turn would keep writers waiting else.
func (c *Conditions) mayLearn(ctx context.Context) (bool, error) {
	now := "unixepoch()"
	if c.db.IsPostgres() {
		now = "extract(epoch FROM clock_timestamp())"
	}
	n, err := numbers(ctx, c.db, 2, fmt.Sprintf("SELECT count(*), count(CASE WHEN learned_at > %s - %d THEN 1 END) FROM counted_words", now, learnPause))
	return err == nil && (n[0] < maxWords || n[1] == 0), err
}

// knownWord returns what triggers count of the word; false if they do not.
func (c *Conditions) knownWord(ctx context.Context, db querier) (int, bool, error) {
	query := "SELECT CAST(coalesce(sum(n), 0) AS BIGINT), count(*) FROM word_counts WHERE word_id = (SELECT id FROM counted_words WHERE word = ?)"
	if c.templates {
		query += " AND NOT template"
	}
	n, err := numbers(ctx, db, 2, c.db.Numbered(query), c.word)
	if err != nil {
		return 0, false, err
	}
	return n[0], n[1] > 0, nil
}

// learnWord counts the visible files with the word, templates and all others, and makes triggers count it in place of the word that was learned
// first. Writers wait meanwhile, or a change between the two would not be counted.
func (c *Conditions) learnWord(ctx context.Context, tx *ent.Client) (files, templates int, err error) {
	if c.db.IsPostgres() {
		_, err := tx.ExecContext(ctx, "LOCK TABLE entries IN SHARE MODE NOWAIT") // writers would wait behind one that waits
		if err != nil {
			return 0, 0, err
		}
	}
	id, err := numbers(ctx, tx, 1, c.db.Numbered("INSERT INTO counted_words (word) VALUES (?) ON CONFLICT DO NOTHING RETURNING id"), c.word)
	if err != nil {
		return 0, 0, err
	}
	if id[0] == 0 {
		return 0, 0, errCounted
	}
	if files, templates, err = c.readWord(ctx, tx); err != nil {
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

// readWord counts the visible files with the word. SQLite's index of words has all entries with it: those that are not visible are few.
func (c *Conditions) readWord(ctx context.Context, tx *ent.Client) (files, templates int, err error) {
	if c.db.IsPostgres() {
		n, err := numbers(ctx, tx, 2, "SELECT count(*) FILTER (WHERE NOT t), count(*) FILTER (WHERE t) FROM (SELECT entry_class(name, meta_state) = 1 AS t FROM entries "+
			"WHERE kind = 1 AND NOT hidden AND strpos(' ' || words, ' ' || $1::text) > 0) AS found", c.word)
		if err != nil {
			return 0, 0, err
		}
		return n[0], n[1], nil
	}
	const has = " AND instr(' ' || e.words, ' ' || ?) > 0)"
	n, err := numbers(ctx, tx, 3, "SELECT (SELECT count(*) FROM entry_words WHERE entry_words MATCH ?), "+
		"(SELECT count(*) FROM entries e WHERE e.kind = 0"+has+" + (SELECT count(*) FROM entries e WHERE e.kind = 1 AND e.hidden = 1"+has+", "+
		"(SELECT count(*) FROM entries e WHERE "+c.templateRow()+has, c.word+"*", c.word, c.word, c.word)
	if err != nil {
		return 0, 0, err
	}
	return n[0] - n[1] - n[2], n[2], nil
}

// countTag counts the visible files with the tag, which very many have: all, without those few that are not visible.
func (c *Conditions) countTag(ctx context.Context) (int, error) {
	const tagged = " - (SELECT count(*) FROM entries e CROSS JOIN taggings t WHERE t.entry_id = e.id AND t.key = ? AND " // the order for SQLite
	query := "SELECT (SELECT count(*) FROM taggings WHERE key = ?)" + tagged + "e.kind = 0)" + tagged + "e.kind = 1 AND e.hidden = TRUE)"
	args := []any{c.tagKey, c.tagKey, c.tagKey}
	if c.templates {
		query, args = query+tagged+c.templateRow()+")", append(args, c.tagKey)
	}
	n, err := numbers(ctx, c.db, 1, c.db.Numbered(query), args...)
	if err != nil {
		return 0, database.Translate(err)
	}
	return n[0], nil
}

package gallery

import (
	"context"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/tagging"
	"github.com/safelight/safelight/gallery/tokenizer"
)

var taggingColumns = []database.Column{
	{Name: tagging.FieldEntryID, Type: "bigint"},
	{Name: tagging.FieldKey, Type: "text"},
	{Name: tagging.FieldName, Type: "text"},
}

// insertTags writes the tags of files that the index did not know.
func (x *index) insertTags(ctx context.Context, db *ent.Client, list []found) error {
	for _, f := range list {
		if f.notes == nil || len(f.notes.Tags) == 0 {
			continue
		}
		id, err := db.Entry.Query().Where(entry.Path(string(f.Key))).OnlyID(ctx)
		if err != nil {
			return err
		}
		if err := x.setTags(ctx, db, id, f.notes.Tags); err != nil {
			return err
		}
	}
	return nil
}

// setTags replaces the rows by which searches find an entry's tags.
func (x *index) setTags(ctx context.Context, db *ent.Client, id int, tags []string) error {
	if _, err := db.Tagging.Delete().Where(tagging.EntryID(id)).Exec(ctx); err != nil {
		return err
	}
	if len(tags) == 0 {
		return nil
	}
	rows := make([][]any, len(tags))
	for i, t := range tags {
		rows[i] = []any{id, tokenizer.Fold(t), t}
	}
	// Another server may have inserted the same tags since the deletion.
	statement, args := database.InsertRows(x.db.Dialect(), tagging.Table, taggingColumns, rows,
		"ON CONFLICT (key, entry_id) DO UPDATE SET name = excluded.name")
	_, err := db.ExecContext(ctx, statement, args...)
	return err
}

package gallery

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/tagging"
	"github.com/safelight/safelight/gallery/tokenizer"
)

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
		if err := setTags(ctx, db, id, f.notes.Tags); err != nil {
			return err
		}
	}
	return nil
}

// setTags makes tags the tags of an entry, for filters.
func setTags(ctx context.Context, db *ent.Client, id int, tags []string) error {
	if _, err := db.Tagging.Delete().Where(tagging.EntryID(id)).Exec(ctx); err != nil {
		return err
	}
	rows := make([]*ent.TaggingCreate, len(tags))
	for i, t := range tags {
		rows[i] = db.Tagging.Create().SetEntryID(id).SetKey(tokenizer.Fold(t)).SetName(t)
	}
	if len(rows) == 0 {
		return nil
	}
	return db.Tagging.CreateBulk(rows...).OnConflict(entsql.ConflictColumns(tagging.FieldKey, tagging.FieldEntryID), entsql.ResolveWithNewValues()).Exec(ctx)
}

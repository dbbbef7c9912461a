package gallery

import (
	"context"
	"encoding/json"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/tagging"
	"github.com/safelight/safelight/gallery/words"
)

// FocalPoint is the most important point of a picture: 0..1 from the left and from the top.
type FocalPoint struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

func (p *FocalPoint) columns() (x, y any) {
	if p == nil {
		return nil, nil
	}
	return p.X, p.Y
}

// annotations are what people add to a file. Its sidecar in the storage is the source of truth; the index follows.
type annotations struct {
	Version     int         `json:"version"`
	Tags        []string    `json:"tags,omitempty"`
	Description string      `json:"description,omitempty"`
	FocalPoint  *FocalPoint `json:"focalPoint,omitempty"`
}

// tagsColumn is a list of tags as the database holds it.
func tagsColumn(tags []string) any {
	if len(tags) == 0 {
		return nil
	}
	b, err := json.Marshal(tags)
	if err != nil {
		return nil // strings always can
	}
	return string(b)
}

// insertTags writes the tags of files that the index did not know.
func (x *index) insertTags(ctx context.Context, db *ent.Client, list []found) error {
	for _, f := range list {
		if f.annotations == nil || len(f.annotations.Tags) == 0 {
			continue
		}
		id, err := db.Entry.Query().Where(entry.Path(string(f.Key))).OnlyID(ctx)
		if err != nil {
			return err
		}
		if err := setTags(ctx, db, id, f.annotations.Tags); err != nil {
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
		rows[i] = db.Tagging.Create().SetEntryID(id).SetKey(words.Fold(t)).SetName(t)
	}
	if len(rows) == 0 {
		return nil
	}
	return db.Tagging.CreateBulk(rows...).OnConflict(entsql.ConflictColumns(tagging.FieldKey, tagging.FieldEntryID), entsql.ResolveWithNewValues()).Exec(ctx)
}

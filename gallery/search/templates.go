package search

import (
	"context"
	"fmt"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
)

// maxTemplates is up to how many templates are left out by their ids.
const maxTemplates = 1000

// template selects templates, or everything else. Templates are few: without them a list of the whole library is read and counted from its
// index alone, which has ids and no names.
func (c *Conditions) template(ctx context.Context, isTemplate predicate.Entry, wanted bool) error {
	if wanted {
		c.Predicates = append(c.Predicates, isTemplate)
		return nil
	}
	if c.folder != nil && !c.deep {
		return c.templatesOfFolder(ctx, isTemplate)
	}
	ids, err := c.db.Entry.Query().Where(isTemplate).Limit(maxTemplates + 1).IDs(ctx)
	switch {
	case err != nil:
		return database.Translate(err)
	case len(ids) > maxTemplates:
		c.Predicates = append(c.Predicates, entry.Not(isTemplate))
	case len(ids) > 0:
		c.Predicates = append(c.Predicates, entry.IDNotIn(ids...))
	}
	return nil
}

// templatesOfFolder leaves out the templates of one folder, by the names that the indexes of its orders hold. Most folders have none.
func (c *Conditions) templatesOfFolder(ctx context.Context, isTemplate predicate.Entry) error {
	some, err := total(ctx, c.db, fmt.Sprintf("parent_id = %d AND kind = %d AND class = %d", c.folder.ID, KindFile, classTemplate))
	if err != nil || some.N == 0 {
		return err
	}
	var names [][]byte
	err = c.db.Entry.Query().Where(entry.ParentID(c.folder.ID), isTemplate).Limit(maxTemplates+1).Select(entry.FieldNameKey).Scan(ctx, &names)
	if err != nil {
		return database.Translate(err)
	}
	if len(names) > maxTemplates {
		c.Predicates = append(c.Predicates, entry.Not(isTemplate))
	} else {
		c.Predicates = append(c.Predicates, entry.NameKeyNotIn(names...))
	}
	return nil
}

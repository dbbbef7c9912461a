package search

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
)

// maxTemplates is the maximum number of templates that are excluded by their ids.
const maxTemplates = 1000

// isTemplate selects saved templates by their class. It also tests the state, which a class of 1 implies,
// because that has an index.
func isTemplate(s *entsql.Selector) {
	s.Where(entsql.And(entsql.EQ(s.C(entry.FieldMetaState), StateNone), entsql.P(func(b *entsql.Builder) {
		if s.Dialect() == dialect.Postgres {
			b.WriteString("entry_class(").
				Ident(s.C(entry.FieldName)).
				Comma().
				Ident(s.C(entry.FieldMetaState)).
				WriteString(")")
		} else {
			b.Ident(s.C("class"))
		}
		b.WriteString(fmt.Sprintf(" = %d", classTemplate))
	})))
}

// template selects templates, or everything else. There are few templates. If they are excluded by id, a list
// of the whole library can be read and counted from its index alone, which contains ids but no names.
func (c *Conditions) template(ctx context.Context, wanted bool) error {
	if wanted {
		c.Predicates = append(c.Predicates, isTemplate)
		return nil
	}
	if c.folder != nil && !c.deep {
		return c.templatesOfFolder(ctx)
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

// templatesOfFolder excludes the templates of one folder by their names, which the indexes of its orders
// contain. Most folders have no templates.
func (c *Conditions) templatesOfFolder(ctx context.Context) error {
	some, err := total(
		ctx, c.db,
		fmt.Sprintf("parent_id = %d AND kind = %d AND class = %d", c.folder.ID, KindFile, classTemplate),
	)
	if err != nil || some.N == 0 {
		return err
	}
	var names [][]byte
	err = c.db.Entry.Query().
		Where(entry.ParentID(c.folder.ID), isTemplate).
		Limit(maxTemplates+1).
		Select(entry.FieldNameKey).
		Scan(ctx, &names)
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

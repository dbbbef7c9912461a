// Package search turns what a caller looks for, by filter, text and folder, into conditions on the rows of files and folders.
package search

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
)

// MaxCandidates is up to how many ids a condition is resolved to a list that is fetched and sorted; beyond that the
// index of the order is walked, which meets matches soon.
const MaxCandidates = 10_000

// Conditions are the conditions of a query; entries must meet all of them. Create them with New.
type Conditions struct {
	Predicates []predicate.Entry
	Candidates []int // the ids that can match; nil if they are unknown
	db         *database.DB
}

// New returns conditions that every entry of the database meets.
func New(db *database.DB) *Conditions { return &Conditions{db: db} }

// add adds a condition in SQL for either database.
func (c *Conditions) add(p func(*entsql.Selector)) { c.Predicates = append(c.Predicates, p) }

// common adds a condition that more than MaxCandidates entries match. The CASE keeps PostgreSQL from estimating so few matches
// that it reads and sorts the whole table: it assumes half of the rows.
func (c *Conditions) common(p func(*entsql.Selector) *entsql.Predicate) {
	c.add(func(s *entsql.Selector) {
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.WriteString("CASE WHEN ").Join(p(s)).WriteString(" THEN TRUE ELSE FALSE END")
		}))
	})
}

// only intersects the candidates with ids.
func (c *Conditions) only(ids []int) {
	if c.Candidates == nil {
		c.Candidates = append([]int{}, ids...)
		return
	}
	keep := map[int]bool{}
	for _, id := range ids {
		keep[id] = true
	}
	both := c.Candidates[:0]
	for _, id := range c.Candidates {
		if keep[id] {
			both = append(both, id)
		}
	}
	c.Candidates = both
}

// Folder selects visible entries in a folder, at any depth if deep.
func (c *Conditions) Folder(ctx context.Context, folder *ent.Entry, deep bool) error {
	if !deep {
		c.add(entry.ParentID(folder.ID))
		c.add(func(s *entsql.Selector) { s.Where(entsql.Not(entsql.HasPrefix(s.C(entry.FieldName), "."))) })
		return nil
	}
	if folder.Path == "" {
		return nil
	}
	collate := ""
	if c.db.IsPostgres() {
		collate = ` COLLATE "C"`
	}
	// 0 is what follows / in ASCII
	below := func(s *entsql.Selector) {
		s.Where(entsql.P(func(b *entsql.Builder) {
			path := s.C(entry.FieldPath)
			b.WriteString("(").Ident(path).WriteString(collate + " >= ").Arg(folder.Path + "/").WriteString(" AND ").
				Ident(path).WriteString(collate + " < ").Arg(folder.Path + "0").WriteString(")")
		}))
	}
	c.add(below)
	var ids []int
	if err := c.db.Entry.Query().Where(below).Limit(MaxCandidates+1).Select(entry.FieldID).Scan(ctx, &ids); err != nil {
		return database.Translate(err)
	}
	if len(ids) <= MaxCandidates {
		c.only(ids)
	}
	return nil
}

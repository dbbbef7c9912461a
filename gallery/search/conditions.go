// Package search converts a search by filter, text and folder to conditions on the rows of files and folders.
package search

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/gallery/access"
)

// MaxCandidates is the maximum number of ids that a condition is resolved to. The rows with these ids are
// fetched and sorted. If more entries match, the index of the order is scanned instead, where the first
// matches come soon.
const MaxCandidates = 10_000

// Conditions are the conditions of a query. Entries must meet all of them. Create them with New.
type Conditions struct {
	Predicates  []predicate.Entry
	Candidates  []int // ids that can match; nil if they are unknown
	someMatches []int // some of the ids that meet a condition, if more than MaxCandidates entries meet it
	listed      bool  // only Candidates are read, so conditions need not be resolved to lists
	db          *database.DB
	scope       access.Scope // what the caller may view
	frequent    int          // how many of Predicates are known to be met by many entries
	album       bool         // the files of an album are selected
	folder      *ent.Entry   // argument of Folder; nil: all folders
	deep        bool
	// narrowed reports that there are conditions besides folder, types and noTemplates, so the number of
	// matches cannot be computed from the counts of folders.
	narrowed    bool
	noTemplates bool
	types       []string // formats of pictures; nil: all

	foldersRead bool  // readFolders was called; it sets the following six fields if Partial
	children    []int // if a single folder is selected: its subfolders that the caller may open
	parents     []int // folders whose files the caller may view; nil: too many
	files       int   // number of files in parents
	templates   int   // number of templates among files
	byFolder    bool  // read the files folder by folder, then sort: there are at most MaxCandidates, or all are read
	last        int   // estimated number of entries
	oneFolder   bool  // set for a folder that Merged reads
}

// The kinds of an entry. Folders sort first.
const (
	KindFolder int8 = 0
	KindFile   int8 = 1
)

// New returns conditions that all entries meet that the caller may view.
func New(db *database.DB, scope access.Scope) *Conditions { return &Conditions{db: db, scope: scope} }

// add adds a condition in SQL for either database.
func (c *Conditions) add(p func(*entsql.Selector)) { c.Predicates = append(c.Predicates, p) }

// common adds a condition that more than MaxCandidates entries match. The CASE makes PostgreSQL assume that
// half of the rows match. Otherwise it may estimate so few matches that it reads and sorts the whole table.
func (c *Conditions) common(p func(*entsql.Selector) *entsql.Predicate) {
	c.frequent++
	c.add(func(s *entsql.Selector) {
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.WriteString("CASE WHEN ").Join(p(s)).WriteString(" THEN TRUE ELSE FALSE END")
		}))
	})
}

// intersect intersects the candidates with ids.
func (c *Conditions) intersect(ids []int) {
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

// Below selects entries below a folder at any depth. The folder must not be the root.
func Below(db *database.DB, folder string) predicate.Entry {
	collate := ""
	if db.IsPostgres() {
		collate = ` COLLATE "C"`
	}
	return func(s *entsql.Selector) {
		s.Where(entsql.P(func(b *entsql.Builder) {
			path := s.C(entry.FieldPath)
			b.WriteString("(").Ident(path).WriteString(collate + " >= ").Arg(folder + "/").WriteString(" AND ").
				// 0 is what follows / in ASCII
				Ident(path).WriteString(collate + " < ").Arg(folder + "0").WriteString(")")
		}))
	}
}

// Folder selects visible entries in a folder, or at any depth if deep is set. If there are few, it lists
// them.
func (c *Conditions) Folder(ctx context.Context, folder *ent.Entry, deep bool) error {
	c.In(folder, deep)
	if c.Partial() {
		return c.readFolders(ctx)
	}
	if !deep || folder.Path == "" {
		return nil
	}
	return c.resolveFew(ctx, Below(c.db, folder.Path))
}

// In is Folder without listing entries, for a count.
func (c *Conditions) In(folder *ent.Entry, deep bool) {
	c.folder, c.deep = folder, deep
	switch {
	case !deep:
		if !c.Partial() { // otherwise the paths of few folders in it are known, and there may be very many others
			c.add(entry.ParentID(folder.ID))
		}
		c.add(WithoutDot)
		c.add(WithoutPreviews)
	case folder.Path != "" && !c.Partial(): // otherwise what the caller may view is below it
		c.add(Below(c.db, folder.Path))
	}
}

// WithoutDot selects entries whose name does not start with a dot. It uses the column that the indexes of a
// folder contain.
func WithoutDot(s *entsql.Selector) {
	// The byte after the dot.
	s.Where(
		entsql.Or(entsql.LT(s.C(entry.FieldNameKey), []byte(".")), entsql.GTE(s.C(entry.FieldNameKey), []byte("/"))),
	)
}

// WithoutPreviews selects entries that are not previews of templates. It uses the same column, which ends
// with the name.
func WithoutPreviews(s *entsql.Selector) {
	const end = PreviewSuffix
	s.Where(entsql.P(func(b *entsql.Builder) {
		if s.Dialect() == dialect.Postgres { // it has no function for the end of bytes
			b.WriteString("substring(").
				Ident(s.C(entry.FieldNameKey)).
				WriteString(" from length(").
				Ident(s.C(entry.FieldNameKey)).
				WriteString(fmt.Sprintf(") - %d) <> ", len(end)-1))
		} else {
			b.WriteString("substr(").Ident(s.C(entry.FieldNameKey)).WriteString(fmt.Sprintf(", -%d) <> ", len(end)))
		}
		b.Arg([]byte(end))
	}))
}

// Plain reports whether SQLite must not use the indexes of an order. SQLite does not know how few candidates
// there are, and would scan the whole index.
func (c *Conditions) Plain() bool {
	return (c.Candidates != nil || c.album || c.byFolder && c.Partial()) && !c.db.IsPostgres()
}

// Of selects the entries of a kind that meet the conditions. If visible is set, it leaves out hidden entries,
// as lists across folders do: the name or a parent folder starts with a dot, or the entry is the preview of a
// template.
func (c *Conditions) Of(kind int8, visible bool) predicate.Entry {
	return func(s *entsql.Selector) {
		for _, p := range c.Predicates {
			p(s)
		}
		s.Where(c.equal(s.C(entry.FieldKind), kind))
		if c.Partial() {
			c.viewable(s, kind)
		} else if visible {
			s.Where(c.equal(s.C(entry.FieldHidden), false))
		}
		if kind == KindFolder {
			s.Where(entsql.NEQ(s.C(entry.FieldPath), ""))
		}
		if c.Candidates != nil {
			s.Where(entsql.P(func(b *entsql.Builder) { c.among(b, s.C(entry.FieldID)) }))
		}
	}
}

// equal is column = v. If Plain, it prevents the use of an index.
func (c *Conditions) equal(column string, v any) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		if c.Plain() && !c.oneFolder {
			b.WriteString("+")
		}
		b.Ident(column).WriteString(" = ").Arg(v)
	})
}

// among writes the condition that id is one of the candidates.
func (c *Conditions) among(b *entsql.Builder, id string) {
	b.Ident(id).WriteString(isOneOf(c.db.IsPostgres(), c.Candidates))
}

package gallery

import (
	"context"
	"math"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/tagging"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/words"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// Orientation is the longer side of a picture as shown.
type Orientation string

// The orientations.
const (
	Landscape Orientation = "LANDSCAPE"
	Portrait  Orientation = "PORTRAIT"
	Square    Orientation = "SQUARE"
)

// ColourFilter selects pictures by their dominant colour.
type ColourFilter struct {
	Colour string   // as image URLs have it: a name or hexadecimal digits
	Within *float64 // distance in OKLab, 0..1; nil is 0.1
}

// FileFilter selects files; all conditions must hold. Bounds are inclusive; nil is no condition.
type FileFilter struct {
	Types                         []string // formats: jpeg, png, ...
	MinSize, MaxSize              *int64   // bytes
	ModifiedAfter, ModifiedBefore *time.Time
	TakenAfter, TakenBefore       *time.Time
	MinWidth, MaxWidth            *int32 // pixels
	MinHeight, MaxHeight          *int32
	Orientation                   *Orientation
	Tags                          []string // all of them
	Colour                        *ColourFilter
	HasGps                        *bool
}

// maxCandidates is up to how many ids a condition is resolved to a list that is fetched and sorted; beyond that the
// index of the order is walked, which meets matches soon.
const maxCandidates = 10_000

// where are the conditions of a query, and the candidates that can match if they are known.
type where struct {
	conditions []predicate.Entry
	candidates []int // nil: any
}

// condition adds a condition in SQL for either database.
func (w *where) condition(p func(*entsql.Selector)) { w.conditions = append(w.conditions, p) }

// common adds a condition that more than maxCandidates entries match. The CASE keeps PostgreSQL from estimating so few matches
// that it reads and sorts the whole table: it assumes half of the rows.
func (w *where) common(p func(*entsql.Selector) *entsql.Predicate) {
	w.condition(func(s *entsql.Selector) {
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.WriteString("CASE WHEN ").Join(p(s)).WriteString(" THEN TRUE ELSE FALSE END")
		}))
	})
}

// filter turns a filter into conditions.
func (x *index) filter(ctx context.Context, w *where, f FileFilter) error {
	if len(f.Types) > 0 {
		var types []string
		for _, t := range f.Types {
			format, ok := imaging.ParseFormat(t)
			if !ok {
				return fault.OnField(fault.Invalid, "types", "type %.20q is unknown, expected the name of a picture format such as jpeg", t)
			}
			types = append(types, string(format))
		}
		w.condition(entry.TypeIn(types...))
	}
	bounds(w, entry.FieldSize, f.MinSize, f.MaxSize)
	bounds(w, entry.FieldModified, nanoseconds(f.ModifiedAfter), nanoseconds(f.ModifiedBefore))
	bounds(w, entry.FieldTaken, nanoseconds(f.TakenAfter), nanoseconds(f.TakenBefore))
	bounds(w, entry.FieldWidth, f.MinWidth, f.MaxWidth)
	bounds(w, entry.FieldHeight, f.MinHeight, f.MaxHeight)
	if f.MaxWidth != nil || f.MaxHeight != nil {
		w.condition(entry.WidthGT(0)) // 0 is unknown
	}
	if f.HasGps != nil {
		w.condition(entry.HasGps(*f.HasGps))
	}
	if f.Orientation != nil {
		w.condition(orientation(*f.Orientation))
	}
	if f.Colour != nil {
		if err := x.filterColour(ctx, w, *f.Colour); err != nil {
			return err
		}
	}
	for _, t := range f.Tags {
		if err := x.filterTag(ctx, w, t); err != nil {
			return err
		}
	}
	return nil
}

const second = int64(time.Second)

// nanoseconds returns a time as the index stores it, clamped to the years 1678 to 2262.
func nanoseconds(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	n := max(math.MinInt64/second, min(math.MaxInt64/second-1, t.Unix()))*second + int64(t.Nanosecond())
	return &n
}

func bounds[T int32 | int64 | float64](w *where, column string, low, high *T) {
	if low != nil {
		w.condition(entsql.FieldGTE(column, *low))
	}
	if high != nil {
		w.condition(entsql.FieldLTE(column, *high))
	}
}

func orientation(o Orientation) predicate.Entry {
	compare := map[Orientation]string{Landscape: " > ", Portrait: " < ", Square: " = "}[o]
	return func(s *entsql.Selector) {
		s.Where(entsql.And(entsql.GT(s.C(entry.FieldWidth), 0), entsql.P(func(b *entsql.Builder) {
			b.Ident(s.C(entry.FieldWidth)).WriteString(compare).Ident(s.C(entry.FieldHeight))
		})))
	}
}

// filterColour selects dominant colours within a distance in OKLab.
func (x *index) filterColour(ctx context.Context, w *where, f ColourFilter) error {
	c, err := imaging.ParseColour(f.Colour)
	if err != nil || c.Word != "" {
		return fault.OnField(fault.Invalid, "colour", "the colour %.40q is not valid, expected a name or hexadecimal digits", f.Colour)
	}
	within := 0.1
	if f.Within != nil {
		within = *f.Within
	}
	if !(within >= 0 && within <= 1) {
		return fault.OnField(fault.Invalid, "within", "the distance is %g, expected 0 to 1", within)
	}
	lab := imaging.OKLabOf(imaging.RGB{R: c.R, G: c.G, B: c.B})
	inside := func(s *entsql.Selector) *entsql.Predicate {
		return entsql.P(func(b *entsql.Builder) { insideBall(b, s.C, lab, within) })
	}
	var ids []int
	err = x.db.Entry.Query().Where(func(s *entsql.Selector) { s.Where(inside(s)) }).Limit(maxCandidates+1).Select(entry.FieldID).Scan(ctx, &ids)
	if err != nil {
		return database.Translate(err)
	}
	if len(ids) <= maxCandidates {
		w.only(ids)
		return nil
	}
	w.common(inside)
	return nil
}

// insideBall writes the condition for a dominant colour within a distance: a bounding box first, which has an index.
func insideBall(b *entsql.Builder, column func(string) string, lab imaging.OKLab, within float64) {
	columns := [3]string{column(entry.FieldOkL), column(entry.FieldOkA), column(entry.FieldOkB)}
	for i, c := range columns {
		b.Ident(c).WriteString(" >= ").Arg(lab[i] - within).WriteString(" AND ").Ident(c).WriteString(" <= ").Arg(lab[i] + within).WriteString(" AND ")
	}
	for i, c := range columns {
		if i > 0 {
			b.WriteString(" + ")
		}
		b.WriteString("(").Ident(c).WriteString(" - ").Arg(lab[i]).WriteString(") * (").Ident(c).WriteString(" - ").Arg(lab[i]).WriteString(")")
	}
	b.WriteString(" <= ").Arg(within * within)
}

// filterTag selects files with a tag.
func (x *index) filterTag(ctx context.Context, w *where, tag string) error {
	key := words.Fold(tag)
	var ids []int
	err := x.db.Tagging.Query().Where(tagging.Key(key)).Limit(maxCandidates+1).Select(tagging.FieldEntryID).Scan(ctx, &ids)
	if err != nil {
		return database.Translate(err)
	}
	if len(ids) <= maxCandidates {
		w.only(ids)
		return nil
	}
	w.condition(func(s *entsql.Selector) {
		t := entsql.Table(tagging.Table)
		s.Where(entsql.Exists(entsql.Select(t.C(tagging.FieldID)).From(t).
			Where(entsql.And(entsql.EQ(t.C(tagging.FieldKey), key), entsql.ColumnsEQ(t.C(tagging.FieldEntryID), s.C(entry.FieldID))))))
	})
	return nil
}

// only intersects the candidates with ids.
func (w *where) only(ids []int) {
	if w.candidates == nil {
		w.candidates = append([]int{}, ids...)
		return
	}
	keep := map[int]bool{}
	for _, id := range ids {
		keep[id] = true
	}
	both := w.candidates[:0]
	for _, id := range w.candidates {
		if keep[id] {
			both = append(both, id)
		}
	}
	w.candidates = both
}

// filterFolder selects visible entries in a folder, at any depth if deep.
func (x *index) filterFolder(ctx context.Context, w *where, folder *ent.Entry, deep bool) error {
	if !deep {
		w.condition(entry.ParentID(folder.ID))
		w.condition(func(s *entsql.Selector) { s.Where(entsql.Not(entsql.HasPrefix(s.C(entry.FieldName), "."))) })
		return nil
	}
	if folder.Path == "" {
		return nil
	}
	args := belowArgs(storage.Key(folder.Path))
	collate := ""
	if x.db.IsPostgres() {
		collate = ` COLLATE "C"`
	}
	below := func(s *entsql.Selector) {
		s.Where(entsql.P(func(b *entsql.Builder) {
			path := s.C(entry.FieldPath)
			b.WriteString("(").Ident(path).WriteString(collate + " >= ").Arg(args[0]).WriteString(" AND ").
				Ident(path).WriteString(collate + " < ").Arg(args[1]).WriteString(")")
		}))
	}
	w.condition(below)
	var ids []int
	if err := x.db.Entry.Query().Where(below).Limit(maxCandidates+1).Select(entry.FieldID).Scan(ctx, &ids); err != nil {
		return database.Translate(err)
	}
	if len(ids) <= maxCandidates {
		w.only(ids)
	}
	return nil
}

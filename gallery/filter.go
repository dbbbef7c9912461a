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
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// Orientation is which side of a picture is the longer one, as it is shown.
type Orientation string

// The orientations.
const (
	Landscape Orientation = "LANDSCAPE"
	Portrait  Orientation = "PORTRAIT"
	Square    Orientation = "SQUARE"
)

// ColourFilter asks for pictures whose dominant colour is near another one.
type ColourFilter struct {
	Colour string   // as image URLs have it: a name or hexadecimal digits
	Within *float64 // distance in OKLab, 0..1; nil is 0.1
}

// FileFilter says which files are wanted; all conditions hold. Bounds are included. nil is no condition.
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

// few is how many entries a search or a tag may have so that they are fetched and sorted; of more, the order's
// own index is walked, on which they are met soon.
const few = 10_000

// where is what a query asks for: conditions, and the few entries that can fulfil them where that is known.
type where struct {
	conditions []predicate.Entry
	candidates []int // nil: any
}

// condition adds one in SQL, written by ent for either database.
func (w *where) condition(p func(*entsql.Selector)) { w.conditions = append(w.conditions, p) }

// common adds a condition that more than few entries fulfil. The database must not guess how many: PostgreSQL takes two
// patterns for so rare that it reads and sorts the whole table. Of a CASE it supposes that every second row fulfils it.
func (w *where) common(p func(*entsql.Selector) *entsql.Predicate) {
	w.condition(func(s *entsql.Selector) {
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.WriteString("CASE WHEN ").Join(p(s)).WriteString(" THEN TRUE ELSE FALSE END")
		}))
	})
}

// filter turns a filter into conditions.
func (g *Gallery) filter(ctx context.Context, w *where, f FileFilter) error {
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
		w.condition(entry.WidthGT(0)) // 0 is not known
	}
	if f.HasGps != nil {
		w.condition(entry.HasGps(*f.HasGps))
	}
	if f.Orientation != nil {
		w.condition(orientation(*f.Orientation))
	}
	if f.Colour != nil {
		if err := g.near(ctx, w, *f.Colour); err != nil {
			return err
		}
	}
	for _, t := range f.Tags {
		if err := g.withTag(ctx, w, t); err != nil {
			return err
		}
	}
	return nil
}

const second = int64(time.Second)

// nanoseconds returns a time as the index keeps it; one beyond the years 1678 to 2262 as the end of these.
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

// near asks for dominant colours in a ball of OKLab.
func (g *Gallery) near(ctx context.Context, w *where, f ColourFilter) error {
	c, err := imaging.ParseColour(f.Colour)
	if err != nil || c.Word != "" {
		return fault.OnField(fault.Invalid, "colour", "the colour %.40q is none, expected a name or hexadecimal digits", f.Colour)
	}
	within := 0.1
	if f.Within != nil {
		within = *f.Within
	}
	if !(within >= 0 && within <= 1) {
		return fault.OnField(fault.Invalid, "within", "the distance is %g, expected 0 to 1", within)
	}
	lab := oklab(c.R, c.G, c.B)
	inside := func(s *entsql.Selector) *entsql.Predicate {
		return entsql.P(func(b *entsql.Builder) { insideBall(b, s.C, lab, within) })
	}
	var ids []int
	err = g.db.Entry.Query().Where(func(s *entsql.Selector) { s.Where(inside(s)) }).Limit(few+1).Select(entry.FieldID).Scan(ctx, &ids)
	if err != nil {
		return database.Translate(err)
	}
	if len(ids) <= few {
		w.only(ids)
		return nil
	}
	w.common(inside)
	return nil
}

// insideBall writes the condition that a dominant colour is that near: a box first, which is cheap and has an index.
func insideBall(b *entsql.Builder, column func(string) string, lab [3]float64, within float64) {
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

// oklab converts an sRGB colour; equal distances look about equally far.
// B. Ottosson, https://bottosson.github.io/posts/oklab/.
func oklab(red, green, blue uint8) [3]float64 {
	linear := func(c uint8) float64 {
		v := float64(c) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	r, g, b := linear(red), linear(green), linear(blue)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// withTag asks for a tag.
func (g *Gallery) withTag(ctx context.Context, w *where, tag string) error {
	key := fold(tag)
	var ids []int
	err := g.db.Tagging.Query().Where(tagging.Key(key)).Limit(few+1).Select(tagging.FieldEntryID).Scan(ctx, &ids)
	if err != nil {
		return database.Translate(err)
	}
	if len(ids) <= few {
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

// only narrows what can fulfil the query down to ids.
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

// inFolder asks for what lies in a folder, at any depth when deep, and is visible in it.
func (g *Gallery) inFolder(ctx context.Context, w *where, folder *ent.Entry, deep bool) error {
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
	if g.db.IsPostgres() {
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
	if err := g.db.Entry.Query().Where(below).Limit(few+1).Select(entry.FieldID).Scan(ctx, &ids); err != nil {
		return database.Translate(err)
	}
	if len(ids) <= few {
		w.only(ids)
	}
	return nil
}

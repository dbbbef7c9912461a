package search

import (
	"context"
	"math"
	"reflect"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/tagging"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/colors"
	"github.com/safelight/safelight/gallery/tokenizer"
	"github.com/safelight/safelight/imaging"
)

// Orientation is the longer side of a picture after rotation.
type Orientation string

// The orientations.
const (
	Landscape Orientation = "LANDSCAPE"
	Portrait  Orientation = "PORTRAIT"
	Square    Orientation = "SQUARE"
)

// ColourFilter selects pictures in which a color is noticeable.
type ColourFilter struct {
	Colour string   `json:"color"` // a name or hexadecimal digits, as in image URLs
	Within *float64 // distance in OKLab, 0..1; nil selects colors that people call by the same name
}

// Filter selects files. All conditions must be met. Bounds are inclusive; nil means no condition.
type Filter struct {
	Formats                       []imaging.Format
	MinSize, MaxSize              *int64 // bytes
	ModifiedAfter, ModifiedBefore *time.Time
	TakenAfter, TakenBefore       *time.Time
	MinWidth, MaxWidth            *int32 // pixels
	MinHeight, MaxHeight          *int32
	Orientation                   *Orientation
	DateAfter, DateBefore         *time.Time // compared with TakenAt or, if that is unknown, with the last change
	MinRating, MaxRating          *int32     // 0..5; 0 means not rated
	Favorite                      *bool
	Tags                          []string // the file must have all of them; at most maxTags
	Color                         *ColourFilter
	Camera, Lens                  string // words of the name; empty means no condition
	Folder                        string // words of folder names, or a path that starts with a slash
	HasGps                        *bool
	Place                         string // name of a city, region or country, or words of it
	Near                          *NearFilter
	Bounds                        *Bounds
	IsBroken                      *bool // pictures (by their names) that cannot be decoded or are truncated
	IsTemplate                    *bool // saved templates (by their names)
}

// The states of analysis that a filter can select, as the index stores them.
const (
	StateNone   int8 = 3 // not a picture, according to its name
	StateBroken int8 = 4 // the content is not a valid picture
)

// Filter adds the conditions of a filter. It returns fault.Invalid, which names the invalid field.
func (c *Conditions) Filter(ctx context.Context, f Filter) error {
	rest := f
	if rest.IsTemplate != nil && !*rest.IsTemplate {
		c.noTemplates, rest.IsTemplate = true, nil
	}
	rest.Formats = nil
	c.narrowed = c.narrowed || !reflect.ValueOf(rest).IsZero()
	if len(f.Formats) > 0 {
		c.narrowed = c.narrowed || len(c.types) > 0 // the formats of both filters
		c.types = formatNames(f.Formats)
		c.add(entry.TypeIn(c.types...))
	}
	bounds(c, entry.FieldSize, f.MinSize, f.MaxSize)
	bounds(c, entry.FieldModified, nanoseconds(f.ModifiedAfter), nanoseconds(f.ModifiedBefore))
	bounds(c, entry.FieldTaken, nanoseconds(f.TakenAfter), nanoseconds(f.TakenBefore))
	bounds(c, entry.FieldTakenKey, nanoseconds(f.DateAfter), nanoseconds(f.DateBefore))
	bounds(c, entry.FieldWidth, f.MinWidth, f.MaxWidth)
	bounds(c, entry.FieldHeight, f.MinHeight, f.MaxHeight)
	if f.MaxWidth != nil || f.MaxHeight != nil {
		known := int32(1) // 0 means unknown
		bounds(c, entry.FieldWidth, &known, nil)
	}
	if f.HasGps != nil {
		c.add(entry.HasGps(*f.HasGps))
	}
	if err := c.located(ctx, f); err != nil {
		return err
	}
	if err := c.states(ctx, f); err != nil {
		return err
	}
	if f.Orientation != nil {
		c.add(orientation(*f.Orientation))
	}
	if err := c.rated(ctx, f); err != nil {
		return err
	}
	if f.Color != nil {
		if err := c.colour(ctx, *f.Color); err != nil {
			return err
		}
	}
	if n := len(f.Tags); n > maxTags {
		return fault.OnField(
			fault.Invalid, "filter.tags", "the filter has %d tags, expected at most %d", n, maxTags,
		)
	}
	for _, t := range f.Tags {
		if err := database.CheckSearchText("filter.tags", t); err != nil {
			return err
		}
		if err := c.tag(ctx, t); err != nil {
			return err
		}
	}
	if f.Folder != "" {
		if err := c.inFolder(ctx, f.Folder); err != nil {
			return err
		}
	}
	for model, words := range map[Model]string{Camera: f.Camera, Lens: f.Lens} {
		if words != "" {
			if err := c.model(ctx, model, words); err != nil {
				return err
			}
		}
	}
	return nil
}

// states selects broken files and templates. There are few broken files, so they are resolved to a list.
func (c *Conditions) states(ctx context.Context, f Filter) error {
	if f.IsTemplate != nil {
		if err := c.template(ctx, *f.IsTemplate); err != nil {
			return err
		}
	}
	if f.IsBroken == nil {
		return nil
	}
	if !*f.IsBroken {
		c.Predicates = append(c.Predicates, entry.Not(broken))
		return nil
	}
	c.Predicates = append(c.Predicates, broken)
	return c.resolveFew(ctx, broken, entry.Kind(KindFile), entry.Hidden(false))
}

// broken selects files whose content is not a valid picture, or is truncated. Both conditions have an index,
// but SQLite would not use either for an OR.
func broken(s *entsql.Selector) {
	s.Where(entsql.P(func(b *entsql.Builder) {
		b.Ident(s.C(entry.FieldID)).WriteString(" IN (SELECT id FROM entries WHERE meta_state = ").Arg(StateBroken)
		b.WriteString(" UNION ALL SELECT id FROM entries WHERE truncated)")
	}))
}

// formatNames returns formats as the index stores them.
func formatNames(list []imaging.Format) []string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = string(f)
	}
	return names
}

const second = int64(time.Second)

// nanoseconds converts a time to the format of the index, clamped to the years 1678 to 2262.
func nanoseconds(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	n := max(math.MinInt64/second, min(math.MaxInt64/second-1, t.Unix()))*second + int64(t.Nanosecond())
	return &n
}

func bounds[T int32 | int64](c *Conditions, column string, low, high *T) {
	if low != nil {
		c.add(entsql.FieldGTE(column, *low))
	}
	if high != nil {
		c.add(entsql.FieldLTE(column, *high))
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

// colour selects pictures in which a color similar to the requested one is noticeable, according to
// gallery/colors.
func (c *Conditions) colour(ctx context.Context, f ColourFilter) error {
	colour, err := imaging.ParseColour(f.Colour)
	if err != nil || colour.Word != "" {
		return fault.OnField(
			fault.Invalid, "filter.color.color",
			"the color %.40q is not valid, expected a name or hexadecimal digits", f.Colour,
		)
	}
	if f.Within != nil && !(*f.Within >= 0 && *f.Within <= 1) {
		return fault.OnField(fault.Invalid, "filter.color.within", "the distance is %g, expected 0 to 1", *f.Within)
	}
	cells := colors.Like(imaging.RGB{R: colour.R, G: colour.G, B: colour.B}, f.Within)
	class := colors.Class(cells)
	has := func(s *entsql.Selector) *entsql.Predicate {
		return entsql.P(func(b *entsql.Builder) {
			if b.Ident(s.C(entry.FieldColors)); c.db.IsPostgres() {
				b.WriteString(" ~ ").Arg("[" + class + "]")
			} else {
				b.WriteString(" GLOB ").Arg("*[" + class + "]*")
			}
		})
	}
	if c.listed {
		c.add(func(s *entsql.Selector) { s.Where(has(s)) })
		return nil
	}
	c.someMatches, err = c.sample(ctx, has)
	if err != nil {
		return err
	}
	if c.someMatches == nil {
		if few, err := c.few(ctx, list{cells: cells}); err != nil || few {
			return err
		}
	}
	c.common(has)
	return nil
}

// sample tests 2,000 entries of a large table, in 20 places, and returns the ids of those that meet a
// condition. It returns nil for a small table, and if so few entries match that the condition may be rare.
// This is a shortcut for common colors, which the index of colors lists slowly.
func (c *Conditions) sample(ctx context.Context, where func(*entsql.Selector) *entsql.Predicate) ([]int, error) {
	const places, each, enough = 20, 100, 100
	last, err := number(ctx, c.db, lastID)
	if err != nil || last < 20*MaxCandidates {
		return nil, err
	}
	var ids []int
	err = c.db.Entry.Query().
		Where(func(s *entsql.Selector) {
			var ranges []*entsql.Predicate
			for n := range places {
				first := last / places * n
				ranges = append(ranges, entsql.And(
					entsql.GT(s.C(entry.FieldID), first),
					entsql.LTE(s.C(entry.FieldID), first+each),
				))
			}
			s.Where(entsql.And(entsql.Or(ranges...), where(s)))
		}).
		Select(entry.FieldID).
		Scan(ctx, &ids)
	if err != nil || len(ids) < enough {
		return nil, database.Translate(err)
	}
	return ids, nil
}

const maxRating = 5

// rated selects files by rating and favorite mark. There are few rated files, so a condition that excludes
// the others is resolved to a list.
func (c *Conditions) rated(ctx context.Context, f Filter) error {
	for field, v := range map[string]*int32{"minRating": f.MinRating, "maxRating": f.MaxRating} {
		if v != nil && (*v < 0 || *v > maxRating) {
			return fault.OnField(fault.Invalid, "filter."+field, "%s is %d, expected 0 to %d", field, *v, maxRating)
		}
	}
	bounds(c, entry.FieldRating, f.MinRating, f.MaxRating)
	if f.MinRating != nil && *f.MinRating > 0 {
		err := c.resolveFew(ctx, entry.Kind(KindFile), entry.Hidden(false), entry.RatingGTE(int8(*f.MinRating)))
		if err != nil {
			return err
		}
	}
	if f.Favorite == nil {
		return nil
	}
	c.Predicates = append(c.Predicates, entry.Favorite(*f.Favorite))
	if !*f.Favorite {
		return nil
	}
	return c.resolveFew(ctx, entry.Favorite(true))
}

// resolveFew makes the entries that meet a condition the candidates, unless there are more than
// MaxCandidates.
func (c *Conditions) resolveFew(ctx context.Context, where ...predicate.Entry) error {
	if c.listed {
		return nil
	}
	var ids []int
	query := c.db.Entry.Query().Where(where...)
	// usually there are very many, and returning 10,000 ids takes ten times as long as this check
	if err := query.Clone().Offset(MaxCandidates).Limit(1).Select(entry.FieldID).Scan(ctx, &ids); err != nil {
		return database.Translate(err)
	}
	if len(ids) > 0 {
		return nil
	}
	if err := query.Limit(MaxCandidates+1).Select(entry.FieldID).Scan(ctx, &ids); err != nil {
		return database.Translate(err)
	}
	if len(ids) <= MaxCandidates {
		c.intersect(ids)
	}
	return nil
}

// maxTags is the maximum number of tags in a filter. Each of them is a query, or a condition of one.
const maxTags = 20

// tag selects files with a tag.
func (c *Conditions) tag(ctx context.Context, tag string) error {
	key := tokenizer.Fold(tag)
	var ids []int
	query := c.db.Tagging.Query().Where(tagging.Key(key))
	// returning 10,000 ids takes ten times as long as checking whether there are more
	many, err := query.Clone().Offset(MaxCandidates).Limit(1).Select(tagging.FieldEntryID).Ints(ctx)
	if err == nil && len(many) == 0 {
		err = query.Limit(MaxCandidates+1).Select(tagging.FieldEntryID).Scan(ctx, &ids)
	}
	if err != nil {
		return database.Translate(err)
	}
	if len(many) == 0 && len(ids) <= MaxCandidates {
		c.intersect(ids)
		return nil
	}
	c.add(func(s *entsql.Selector) {
		t := entsql.Table(tagging.Table)
		s.Where(entsql.Exists(entsql.Select(t.C(tagging.FieldID)).From(t).
			Where(entsql.And(
				entsql.EQ(t.C(tagging.FieldKey), key),
				entsql.ColumnsEQ(t.C(tagging.FieldEntryID), s.C(entry.FieldID)),
			)),
		))
	})
	return nil
}

package search

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/places"
)

// Position is a position on WGS 84, in degrees.
type Position struct{ Latitude, Longitude float64 }

// Bounds is an area of the earth in degrees. If West is greater than East, it crosses 180 degrees.
type Bounds struct{ South, West, North, East float64 }

// Center is the center of a circle. One of its fields is set.
type Center struct {
	City     *string // see places.Find
	Position *Position
}

// NearFilter selects pictures that were taken within a radius of a center.
type NearFilter struct {
	Center     Center
	Kilometers float64
}

// maxNear is the maximum radius of a NearFilter, in kilometers.
const maxNear = 2000

// maxPlaces is the maximum number of places that one condition selects: those of a country, or of a very
// common word.
const maxPlaces = 20_000

// located adds the conditions on where pictures were taken.
func (c *Conditions) located(ctx context.Context, f Filter) error {
	if f.Place != "" {
		if err := c.place(ctx, f.Place); err != nil {
			return err
		}
	}
	if f.Near != nil {
		boxes, err := f.Near.boxes()
		if err != nil {
			return err
		}
		if err := c.inBoxes(ctx, boxes); err != nil {
			return err
		}
	}
	if f.Bounds == nil {
		return nil
	}
	box, err := f.Bounds.Box("filter.bounds")
	if err != nil {
		return err
	}
	return c.inBoxes(ctx, []places.Box{box})
}

// place selects pictures by the places whose city, region or country is called name. If there is no such
// place, it selects pictures by the places whose names contain all words of name.
func (c *Conditions) place(ctx context.Context, name string) error {
	if _, err := wordsOf(name, "filter.place"); err != nil {
		return err
	}
	all, err := distinct(ctx, c.db, c.scope, entry.FieldPlace, maxPlaces)
	if err != nil {
		return err
	}
	var whole, some []string
	query := places.NewQuery(name)
	for _, stored := range all {
		if err := ctx.Err(); err != nil {
			return database.Translate(err)
		}
		p, _ := places.Parse(stored)
		isWhole, isSome := query.Matches(p.Folded())
		if isWhole {
			whole = append(whole, stored)
		}
		if isSome {
			some = append(some, stored)
		}
	}
	if len(whole) > 0 {
		some = whole
	}
	in := func(s *entsql.Selector) {
		s.Where(entsql.ExprP(s.C(entry.FieldPlace) + " <> ''")) // the condition of the partial index
		entsql.FieldIn(entry.FieldPlace, some[:min(len(some), maxPlaces)]...)(s)
	}
	c.add(in)
	return c.resolveFew(ctx, in)
}

// CountPlaces counts the visible pictures of each place.
func CountPlaces(ctx context.Context, db *database.DB, scope access.Scope) ([]ValueCount, error) {
	viewable, args, err := Viewable(ctx, db, scope, "parent_id")
	if err != nil {
		return nil, err
	}
	query := "SELECT place, count(*) FROM entries WHERE place <> '' AND hidden = FALSE" + viewable + " GROUP BY place"
	return database.Rows(
		ctx, db, db.Numbered(query), args, func(c *ValueCount) []any { return []any{&c.Name, &c.Files} },
	)
}

func (f NearFilter) boxes() ([]places.Box, error) {
	if !(f.Kilometers > 0 && f.Kilometers <= maxNear) {
		return nil, fault.OnField(
			fault.Invalid, "filter.near.kilometers", "the distance is %g km, expected more than 0 and at most %d",
			f.Kilometers, maxNear,
		)
	}
	at := f.Center.Position
	if name := f.Center.City; name != nil {
		if err := database.CheckSearchText("filter.near.center.city", *name); err != nil {
			return nil, err
		}
		city, ok := places.Find(*name)
		if !ok {
			return nil, fault.OnField(
				fault.Invalid, "filter.near.center.city",
				"no city is called %.60q: expected one with at least 5,000 people, or a position", *name,
			)
		}
		at = &Position{city.Latitude, city.Longitude}
	}
	if at == nil || !at.valid() {
		return nil, fault.OnField(
			fault.Invalid, "filter.near.center",
			"expected a city, or a latitude from -90 to 90 and a longitude from -180 to 180",
		)
	}
	return places.Around(at.Latitude, at.Longitude, f.Kilometers), nil
}

func (p Position) valid() bool {
	return p.Latitude >= -90 && p.Latitude <= 90 && p.Longitude >= -180 && p.Longitude <= 180
}

// Box converts the bounds to a part of the map. If they are not on earth, it returns fault.Invalid, which
// names field.
func (b Bounds) Box(field string) (places.Box, error) {
	southWest, northEast := Position{b.South, b.West}, Position{b.North, b.East}
	if !southWest.valid() || !northEast.valid() || b.South > b.North {
		return places.Box{}, fault.OnField(
			fault.Invalid, field,
			"the bounds are %g to %g north and %g to %g east, expected latitudes from -90 to 90, the southern one "+
				"first, and longitudes from -180 to 180", b.South, b.North, b.West, b.East,
		)
	}
	return places.BoxOf(b.South, b.West, b.North, b.East), nil
}

// inBoxes selects pictures in any of the parts of the map.
func (c *Conditions) inBoxes(ctx context.Context, boxes []places.Box) error {
	in := func(s *entsql.Selector) { s.Where(InBoxes(s, boxes)) }
	c.add(in)
	return c.resolveFew(ctx, in)
}

// InBoxes selects entries in any of the parts of the map. It contains the conditions of the partial index.
func InBoxes(s *entsql.Selector, boxes []places.Box) *entsql.Predicate {
	x, y := s.C(entry.FieldMapX), s.C(entry.FieldMapY)
	between := func(column string, low, high int) *entsql.Predicate {
		return entsql.And(entsql.GTE(column, low), entsql.LTE(column, high))
	}
	var parts []*entsql.Predicate
	west, east := places.Side, -1
	for _, b := range boxes {
		if b.West > b.East {
			west, east = 0, places.Side-1
			parts = append(parts, entsql.And(
				between(y, b.North, b.South),
				entsql.Or(entsql.GTE(x, b.West), entsql.LTE(x, b.East)),
			))
			continue
		}
		west, east = min(west, b.West), max(east, b.East)
		parts = append(parts, entsql.And(between(y, b.North, b.South), between(x, b.West, b.East)))
	}
	return entsql.And(between(x, west, east), entsql.Or(parts...))
}

package gallery

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/places"
	"github.com/safelight/safelight/gallery/search"
)

// Cluster is a group of pictures that are close together on a map.
type Cluster struct {
	Center search.Position
	Bounds search.Bounds
	Count  int32
	Place  *places.Place // what the places of the pictures have in common; nil if nothing, or if no picture has a place
	Cover  *File         // one of the pictures
}

const (
	maxZoom     = 22
	cellPixels  = 64   // side of the cells of the counting grid
	apartPixels = 56   // minimum distance between the centers of clusters
	maxCells    = 4096 // enough for 3,840 x 2,160 pixels and a margin
	maxClusters = 500
)

// cluster is a Cluster in units of the map. While clusters are merged, bounds may reach beyond the edge of the map.
type cluster struct {
	count                    int64
	x, y                     float64
	west, east, north, south int
	place                    places.Place // the zero value if they are in several countries
	placed                   bool         // a city is near at least one picture
	cover                    int
}

// Clusters groups the pictures in a part of the map. At zoom 0 to 22, the world is 256 * 2^zoom pixels wide,
// and the centers of the groups are at least 56 pixels apart. It returns at most 500 groups, the largest
// first. o gives the folder, the filter and the search.
func (g *Gallery) Clusters(ctx context.Context, o BrowseOptions, bounds search.Bounds, zoom int) ([]*Cluster, error) {
	if zoom < 0 || zoom > maxZoom {
		return nil, fault.OnField(fault.Invalid, "zoom", "zoom is %d, expected 0 to %d", zoom, maxZoom)
	}
	box, err := bounds.Box("bounds")
	if err != nil {
		return nil, err
	}
	cell := places.Side / (256 / cellPixels) >> zoom
	if n := cellsIn(box, cell); n > maxCells {
		return nil, fault.OnField(
			fault.Invalid, "bounds", "the bounds cover %d cells at this zoom, expected at most %d", n, maxCells,
		)
	}
	_, where, err := g.index.conditions(ctx, kindFile, o)
	if err != nil {
		return nil, err
	}
	found, err := g.countCells(ctx, where, o.Recursive, box, cell)
	if err != nil {
		return nil, err
	}
	return g.named(ctx, merge(found, float64(cell)*apartPixels/cellPixels))
}

// cellsIn returns how many cells of a grid a part of the map covers.
func cellsIn(b places.Box, cell int) int {
	wide := b.East/cell - b.West/cell + 1
	if b.West > b.East {
		wide += places.Side / cell
	}
	return wide * (b.South/cell - b.North/cell + 1)
}

// countCells groups the pictures by the cells of a grid.
func (g *Gallery) countCells(
	ctx context.Context,
	where *search.Conditions,
	recursive bool,
	box places.Box,
	cell int,
) ([]cluster, error) {
	s := entsql.Dialect(g.db.Dialect()).Select().From(entsql.Table(entry.Table))
	x, y := s.C(entry.FieldMapX), s.C(entry.FieldMapY)
	place := "NULLIF(" + s.C(entry.FieldPlace) + ", '')"
	if g.db.IsPostgres() {
		place += ` COLLATE "C"` // byte order, as in SQLite, so that parts of a place sort alike
	}
	const number = "CAST(%s AS DOUBLE PRECISION)"
	for _, column := range []string{
		"count(*)", "avg(" + fmt.Sprintf(number, x) + ")", "avg(" + fmt.Sprintf(number, y) + ")",
		"min(" + x + ")", "max(" + x + ")", "min(" + y + ")", "max(" + y + ")",
		"min(" + place + ")", "max(" + place + ")", "max(" + s.C(entry.FieldID) + ")",
	} {
		s.AppendSelectExpr(entsql.Raw(column))
	}
	where.Of(kindFile, recursive)(s)
	s.Where(search.InBoxes(s, []places.Box{box}))
	query, args := s.Query()
	query += fmt.Sprintf(" GROUP BY %s / %d, %s / %d", x, cell, y, cell)
	rows, err := g.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	var found []cluster
	for rows.Next() {
		var c cluster
		var first, last sql.NullString // null if no picture of the cell is near a city
		err := rows.Scan(&c.count, &c.x, &c.y, &c.west, &c.east, &c.north, &c.south, &first, &last, &c.cover)
		if err != nil {
			return nil, database.Translate(err)
		}
		from, _ := places.Parse(first.String)
		to, _ := places.Parse(last.String)
		c.place, c.placed = from.Common(to), first.Valid
		found = append(found, c)
	}
	return found, database.Translate(rows.Err())
}

// merge joins clusters whose centers are closer than apart, and returns the largest clusters.
func merge(found []cluster, apart float64) []cluster {
	slices.SortFunc(found, func(a, b cluster) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(b.cover, a.cover))
	})
	var kept []cluster
next:
	for _, c := range found {
		for i := range kept {
			if k := &kept[i]; math.Hypot(across(c.x-k.x), c.y-k.y) < apart {
				k.join(c)
				continue next
			}
		}
		kept = append(kept, c)
	}
	slices.SortStableFunc(kept, func(a, b cluster) int { return cmp.Compare(b.count, a.count) })
	return kept[:min(len(kept), maxClusters)]
}

// across returns the west-east distance of two points, the shorter way around the earth.
func across(distance float64) float64 { return distance - places.Side*math.Round(distance/places.Side) }

// join adds a smaller cluster. The center does not move, so that it cannot come too close to others.
func (c *cluster) join(other cluster) {
	shift := int(math.Round((c.x-other.x)/places.Side)) * places.Side // to the same side of 180 degrees
	c.west, c.east = min(c.west, other.west+shift), max(c.east, other.east+shift)
	c.north, c.south = min(c.north, other.north), max(c.south, other.south)
	switch {
	case !c.placed:
		c.place, c.placed = other.place, other.placed
	case other.placed:
		c.place = c.place.Common(other.place)
	}
	c.count += other.count
}

// named converts clusters to degrees and loads their covers.
func (g *Gallery) named(ctx context.Context, list []cluster) ([]*Cluster, error) {
	ids := make([]int, len(list))
	for i, c := range list {
		ids[i] = c.cover
	}
	covers, err := g.filesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	clusters := []*Cluster{}
	for _, c := range list {
		cover := covers[c.cover]
		if cover == nil {
			continue // deleted in the meantime
		}
		one := &Cluster{
			Center: degrees(int(c.x), int(c.y)),
			Count:  int32(min(c.count, math.MaxInt32)),
			Cover:  cover,
		}
		northWest, southEast := degrees(c.west, c.north), degrees(c.east, c.south)
		one.Bounds = search.Bounds{
			South: southEast.Latitude, West: northWest.Longitude, North: northWest.Latitude, East: southEast.Longitude,
		}
		if c.place.Country != "" {
			one.Place = &c.place
		}
		clusters = append(clusters, one)
	}
	return clusters, nil
}

// degrees converts a point on the map to a position. x may be beyond the edge of the map.
func degrees(x, y int) search.Position {
	latitude, longitude := places.Point{X: (x + places.Side) % places.Side, Y: y}.Degrees()
	return search.Position{Latitude: latitude, Longitude: longitude}
}

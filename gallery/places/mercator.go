package places

import "math"

// Side is the width and height of the world map in units. The map uses Web Mercator, like map tiles: x grows
// eastward from 180 degrees west, and y grows southward. A unit is at most 4 cm.
const Side = 1 << 30

// maxLatitude is the latitude of the northern edge of the square map.
const maxLatitude = 85.0511287798066

// Point is a position on the map. Positions beyond its northern and southern edges are moved to the edge.
type Point struct{ X, Y int }

// PointOf returns where a position in degrees is on the map.
func PointOf(latitude, longitude float64) Point {
	latitude = max(-maxLatitude, min(maxLatitude, latitude))
	sine := math.Sin(latitude * math.Pi / 180)
	return Point{
		X: onMap(longitude/360 + 0.5),
		Y: onMap(0.5 - math.Log((1+sine)/(1-sine))/(4*math.Pi)),
	}
}

func onMap(part float64) int { return max(0, min(Side-1, int(math.Floor(part*Side)))) }

// Degrees returns the position of a point.
func (p Point) Degrees() (latitude, longitude float64) {
	latitude = math.Atan(math.Sinh(math.Pi*(1-2*(float64(p.Y)+0.5)/Side))) * 180 / math.Pi
	return latitude, (float64(p.X)+0.5)/Side*360 - 180
}

// Box is a part of the map: West <= x <= East and North <= y <= South. If West is greater than East, the box
// crosses 180 degrees.
type Box struct{ West, North, East, South int }

// BoxOf returns the part of the map between degrees.
func BoxOf(south, west, north, east float64) Box {
	top, bottom := PointOf(north, west), PointOf(south, east)
	return Box{West: top.X, North: top.Y, East: bottom.X, South: bottom.Y}
}

// strips is how many boxes Around returns. With 32 boxes, the error of a circle is 3 % of its radius.
const strips = 32

// Around returns boxes from north to south that cover the circle around a position.
func Around(latitude, longitude, kilometers float64) []Box {
	const degree = math.Pi / 180
	radius := kilometers / kmPerDegree
	var boxes []Box
	for i := range strips {
		from := latitude + radius*(1-2*float64(i)/strips)
		to := latitude + radius*(1-2*float64(i+1)/strips)
		if to >= 90 || from <= -90 {
			continue
		}
		middle := max(-90, min(90, (from+to)/2))
		// The haversine formula, solved for the difference of longitudes.
		a := math.Sin((middle - latitude) * degree / 2)
		b := math.Sin(radius * degree / 2)
		h := (b*b - a*a) / (math.Cos(latitude*degree) * math.Cos(middle*degree))
		wide := 180.0
		if h < 1 {
			wide = 2 * math.Asin(math.Sqrt(max(0, h))) / degree
		}
		box := BoxOf(to, wrapped(longitude-wide), from, wrapped(longitude+wide))
		if wide >= 180 {
			box.West, box.East = 0, Side-1
		}
		boxes = append(boxes, box)
	}
	return boxes
}

// wrapped returns a longitude between -180 and 180 degrees.
func wrapped(longitude float64) float64 {
	return longitude - 360*math.Floor((longitude+180)/360)
}

// Has reports whether the box contains a point.
func (b Box) Has(p Point) bool {
	if p.Y < b.North || p.Y > b.South {
		return false
	}
	if b.West > b.East {
		return p.X >= b.West || p.X <= b.East
	}
	return p.X >= b.West && p.X <= b.East
}

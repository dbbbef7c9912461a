package metadata

import (
	"math"
	"strconv"
	"strings"
)

// Position is where a picture was taken, on WGS 84.
type Position struct {
	Latitude  float64  // degrees north of the equator, -90..90
	Longitude float64  // degrees east of Greenwich, -180..180
	Altitude  *float64 // meters above the sea; nil if it is not known
}

// PositionOf returns where a picture was taken. It returns false if the position is missing or not on earth.
// It also ignores 0, 0, which is in the ocean: devices write it if they do not know their position.
func PositionOf(fields map[string]any) (Position, bool) {
	latitude, north := angle(fields, "GPSLatitude", "N", "S", 90)
	longitude, east := angle(fields, "GPSLongitude", "E", "W", 180)
	if !north || !east || latitude == 0 && longitude == 0 {
		return Position{}, false
	}
	p := Position{Latitude: latitude, Longitude: longitude}
	if meters, ok := rationals(fields["GPSAltitude"], 1); ok && meters[0] <= maxAltitude {
		if text, _ := fields["GPSAltitudeRef"].(string); strings.HasPrefix(strings.ToLower(text), "below") ||
			text == "1" {
			meters[0] = -meters[0]
		}
		p.Altitude = &meters[0]
	}
	return p, true
}

// maxAltitude in meters. It is high enough for satellites.
const maxAltitude = 1e8

// angle parses degrees, minutes and seconds. positive and negative are the letters of the hemispheres.
func angle(fields map[string]any, name, positive, negative string, limit float64) (float64, bool) {
	parts, ok := rationals(fields[name], 3)
	if !ok {
		return 0, false
	}
	degrees := 0.0
	for i, unit := range []float64{1, 60, 3600} {
		if i < len(parts) {
			degrees += parts[i] / unit
		}
	}
	if degrees > limit {
		return 0, false
	}
	switch letter, _ := fields[name+"Ref"].(string); strings.ToUpper(strings.TrimSpace(letter)) {
	case positive:
		return degrees, true
	case negative:
		return -degrees, true
	}
	return 0, false
}

// rationals parses 1 to n non-negative numbers, such as `59/1 54/1 4583/100`.
func rationals(v any, n int) ([]float64, bool) {
	var list []float64
	text, _ := v.(string)
	if number, ok := v.(float64); ok { // a whole number in JSON
		text = strconv.FormatFloat(number, 'f', -1, 64)
	}
	for _, part := range strings.Fields(text) {
		above, below, fraction := strings.Cut(part, "/")
		value, err := strconv.ParseFloat(above, 64)
		if fraction && err == nil {
			var by float64
			by, err = strconv.ParseFloat(below, 64)
			value /= by
		}
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) || value < 0 || len(list) == n {
			return nil, false
		}
		list = append(list, math.Abs(value)) // avoids -0
	}
	return list, len(list) > 0
}

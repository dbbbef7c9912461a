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

// PositionOf returns where a picture was taken; false if it does not say so, or no place on earth. 0, 0 is none either:
// it lies in the ocean, and devices write it that know no position.
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

// maxAltitude is in meters: satellites take pictures too.
const maxAltitude = 1e8

// angle reads degrees, minutes and seconds, with the letter of the hemisphere that is positive or negative.
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

// rationals reads 1 to n numbers of 0 or more, such as `59/1 54/1 4583/100`.
func rationals(v any, n int) ([]float64, bool) {
	var list []float64
	text, _ := v.(string)
	if number, ok := v.(float64); ok { // JSON of a whole number
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
		list = append(list, math.Abs(value)) // no -0
	}
	return list, len(list) > 0
}

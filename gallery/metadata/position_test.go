package metadata_test

import (
	"math"
	"testing"

	"github.com/safelight/safelight/gallery/metadata"
)

func TestPositionOf(t *testing.T) {
	at := func(latitude, north, longitude, east any) map[string]any {
		return map[string]any{
			"GPSLatitude":     latitude,
			"GPSLatitudeRef":  north,
			"GPSLongitude":    longitude,
			"GPSLongitudeRef": east,
		}
	}
	for name, c := range map[string]struct {
		fields              map[string]any
		latitude, longitude float64
		ok                  bool
	}{
		"seconds":         {at("55/1 43/1 5287/100", "N", "12/1 34/1 0/1", "E"), 55.731353, 12.566667, true},
		"south and west":  {at("33/1 30/1 0/1", "S", "70/1 45/1 0/1", "W"), -33.5, -70.75, true},
		"minutes only":    {at("10/1 3000/100", "n", "20/1 1500/100", "e "), 10.5, 20.25, true},
		"a whole number":  {at(float64(10), "N", "20/1", "E"), 10, 20, true},
		"the equator":     {at("0/1 0/1 0/1", "N", "9/1 0/1 0/1", "E"), 0, 9, true},
		"Greenwich":       {at("9/1 0/1 0/1", "N", "0/1 0/1 0/1", "E"), 9, 0, true},
		"0, 0":            {at("0/1 0/1 0/1", "N", "0/1 0/1 0/1", "W"), 0, 0, false}, // unknown to the device
		"nothing":         {nil, 0, 0, false},
		"no letter":       {at("10/1", "", "20/1", "E"), 0, 0, false},
		"a wrong letter":  {at("10/1", "E", "20/1", "N"), 0, 0, false},
		"division by 0":   {at("10/0 0/0 0/0", "N", "20/1", "E"), 0, 0, false},
		"0 of 0":          {at("0/0 0/0 0/0", "N", "0/0 0/0 0/0", "E"), 0, 0, false},
		"beyond the pole": {at("90/1 0/1 1/1", "N", "20/1", "E"), 0, 0, false},
		"around again":    {at("10/1", "N", "180/1 1/1", "E"), 0, 0, false},
		"negative":        {at("-10/1", "N", "20/1", "E"), 0, 0, false},
		"four parts":      {at("1/1 1/1 1/1 1/1", "N", "20/1", "E"), 0, 0, false},
		"text":            {at("north", "N", "20/1", "E"), 0, 0, false},
		"infinite":        {at("Inf", "N", "20/1", "E"), 0, 0, false},
		"no number":       {at("NaN/1", "N", "20/1", "E"), 0, 0, false},
		"a list":          {at([]any{"10/1"}, "N", "20/1", "E"), 0, 0, false},
	} {
		got, ok := metadata.PositionOf(c.fields)
		if ok != c.ok || math.Abs(got.Latitude-c.latitude) > 1e-6 || math.Abs(got.Longitude-c.longitude) > 1e-6 {
			t.Errorf("%s: %v, %v, %v", name, got.Latitude, got.Longitude, ok)
		}
	}
}

func TestAltitude(t *testing.T) {
	for _, c := range []struct {
		altitude, below any
		want            float64 // NaN: no altitude
	}{
		{"90514/693", "Sea level", 90514.0 / 693}, {"40/1", "Below sea level", -40}, {"40/1", "1", -40},
		{float64(7), nil, 7},
		{"1/0", "Sea level", math.NaN()}, {"high", nil, math.NaN()}, {"4000000000/1", nil, math.NaN()},
		{nil, nil, math.NaN()},
	} {
		got, ok := metadata.PositionOf(
			map[string]any{"GPSLatitude": "1/1", "GPSLatitudeRef": "N", "GPSLongitude": "1/1", "GPSLongitudeRef": "E",
				"GPSAltitude": c.altitude, "GPSAltitudeRef": c.below},
		)
		switch {
		case !ok || (got.Altitude == nil) != math.IsNaN(c.want):
			t.Errorf("%v: %v, %v", c.altitude, got, ok)
		case got.Altitude != nil && math.Abs(*got.Altitude-c.want) > 1e-9:
			t.Errorf("%v: %v, expected %v", c.altitude, *got.Altitude, c.want)
		}
	}
}

package search_test

import (
	"reflect"
	"testing"

	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
)

// TestDecodeFilter checks that each field of a filter is decoded from the format of the API.
func TestDecodeFilter(t *testing.T) {
	f, err := search.DecodeFilter(`{
		"formats": ["JPEG", "WEBP"], "minSize": 1, "maxSize": "2",
		"modifiedAfter": "2026-01-01T00:00:00Z", "modifiedBefore": "2026-01-01T00:00:00+01:00",
		"takenAfter": "2026-01-01T00:00:00Z", "takenBefore": "2026-01-01T00:00:00Z",
		"dateAfter": "2026-01-01T00:00:00Z", "dateBefore": "2026-01-01T00:00:00Z",
		"minRating": 1, "maxRating": 2, "favorite": true, "minWidth": 1, "maxWidth": 2, "minHeight": 3, "maxHeight": 4,
		"orientation": "PORTRAIT", "tags": "one", "color": {"color": "teal", "within": 0.5}, "camera": "c", "lens": "l",
		"folder": "f", "hasGps": true, "place": "p",
		"near": {"center": {"position": {"latitude": 1, "longitude": 2}}, "kilometers": 3},
		"bounds": {"south": 1, "west": 2, "north": 3, "east": 4}, "isBroken": false, "isTemplate": true
	}`)
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s was not read", v.Type().Field(i).Name)
		}
	}
	if f.Formats[0] != imaging.JPEG || f.Formats[1] != imaging.WebP || *f.MaxSize != 2 || f.Tags[0] != "one" ||
		*f.Orientation != search.Portrait || f.Color.Colour != "teal" || *f.Color.Within != 0.5 ||
		f.Near.Center.Position.Longitude != 2 || f.Near.Kilometers != 3 || f.Bounds.East != 4 {
		t.Errorf("read as %+v", f)
	}
	for _, bad := range []string{"{", `{"minRating": "x"}`, `{"takenAfter": "yesterday"}`} {
		if _, err := search.DecodeFilter(bad); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

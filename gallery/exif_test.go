package gallery_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// TestExifOfAnyText stores and reads EXIF texts with characters that databases or JSON escape. NULs are
// removed, and everything else is kept.
func TestExifOfAnyText(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Engine.Exif = map[string]any{
			"Artist": `a \u0000 in letters`, "Copyright": "a \x00 byte", "Make": "Acme\x00\xff", "Software": `\`,
			"Title": "\"\\\u2028\n", "Numbers": []any{1, "\x00"},
		}
		s.onDisk("a.png", realPNG(t, 40, 30))
		s.run(gallery.RunConfig{MetadataWorkers: 1})
		var file *gallery.File
		s.until("the picture is known", func() bool {
			_, err := s.Names(access.All(t.Context()), "")
			must(t, err)
			file, err = s.File(access.All(t.Context()), "a.png")
			must(t, err)
			return file.Metadata() != gallery.MetadataPending
		})
		tags, err := file.Exif(access.All(t.Context()))
		must(t, err)
		have := map[string]string{}
		for _, e := range tags {
			have[e.Name] = e.Value
		}
		want := map[string]string{
			"Artist":    `a \u0000 in letters`,
			"Copyright": "a  byte",
			"Make":      "Acme\ufffd",
			"Software":  `\`,
			"Title":     "\"\\\u2028\n",
			"Numbers":   "[1 ]",
		}
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%q, expected %q", have, want)
		}
		// As an earlier version stored it.
		_, err = db.Exec(`UPDATE entries SET exif = '{"Artist":"\ in letters"}'`)
		must(t, err)
		file, err = s.File(access.All(t.Context()), "a.png")
		must(t, err)
		if tags, err := file.Exif(access.All(t.Context())); err != nil || tags != nil {
			t.Errorf("broken EXIF of an earlier version: %v, %v", tags, err)
		}
	})
}

// TestCoordinates reads where a picture was taken, and checks that a picture without a position has no
// coordinates.
func TestCoordinates(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Engine.Exif = map[string]any{
			"GPSLatitude":     "59/1 54/1 45/1",
			"GPSLatitudeRef":  "N",
			"GPSLongitude":    "10/1 44/1 46/1",
			"GPSLongitudeRef": "W",
			"GPSAltitude":     12,
		}
		s.onDisk("a.png", realPNG(t, 40, 30))
		file := func() *gallery.File {
			f, err := s.File(access.All(t.Context()), "a.png")
			must(t, err)
			return f
		}
		if at, err := file().Coordinates(access.All(t.Context())); at != nil || err != nil {
			t.Errorf("before the analysis: %v, %v", at, err)
		}
		s.run(gallery.RunConfig{MetadataWorkers: 1})
		s.until("the picture is known", func() bool { return file().Metadata() != gallery.MetadataPending })
		at, err := file().Coordinates(access.All(t.Context()))
		must(t, err)
		if got := fmt.Sprintf("%.4f %.4f %v", at.Latitude, at.Longitude, *at.Altitude); got != "59.9125 -10.7461 12" {
			t.Errorf("%s, expected 59.9125 -10.7461 12", got)
		}
	})
}

package gallery_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// TestExifOfAnyText reads EXIF back whose texts hold what databases or JSON escape: a NUL is left out, all else stays.
func TestExifOfAnyText(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Engine.Exif = map[string]any{
			"Artist": `a \u0000 in letters`, "Copyright": "a \x00 byte", "Make": "Acme\x00\xff", "Software": `\`, "Title": "\"\\\u2028\n", "Numbers": []any{1, "\x00"},
		}
		s.onDisk("a.png", realPNG(t, 40, 30))
		s.run(gallery.RunConfig{MetadataWorkers: 1})
		var file *gallery.File
		s.until("the picture is known", func() bool {
			_, err := s.ListFiles(t.Context(), "", gallery.ListFilesOptions{})
			must(t, err)
			file, err = s.File(t.Context(), "a.png")
			must(t, err)
			return file.Metadata() != gallery.MetadataPending
		})
		tags, err := file.Exif(t.Context())
		must(t, err)
		have := map[string]string{}
		for _, e := range tags {
			have[e.Name] = e.Value
		}
		want := map[string]string{"Artist": `a \u0000 in letters`, "Copyright": "a  byte", "Make": "Acme\ufffd", "Software": `\`, "Title": "\"\\\u2028\n", "Numbers": "[1 ]"}
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%q, expected %q", have, want)
		}
		// as an earlier version stored it
		_, err = db.Exec(`UPDATE entries SET exif = '{"Artist":"\ in letters"}'`)
		must(t, err)
		file, err = s.File(t.Context(), "a.png")
		must(t, err)
		if tags, err := file.Exif(t.Context()); err != nil || tags != nil {
			t.Errorf("broken EXIF of an earlier version: %v, %v", tags, err)
		}
	})
}

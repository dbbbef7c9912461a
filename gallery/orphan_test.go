package gallery_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/uploads"
)

// TestUploadTakesNoOrphanNotes removes a file without the gallery and uploads another one with its name. The
// new file must not get the notes of the old one, even if the index is lost.
func TestUploadTakesNoOrphanNotes(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		tags := []string{"old"}
		s.onDisk("a.png", png)
		_, err := s.UpdateFile(access.All(t.Context()), gallery.UpdateFileInput{Path: "a.png", Tags: &tags})
		must(t, err)
		sidecar := filepath.Join(s.Dir, ".safelight", "a.png.json")
		_, err = s.AddFile(access.All(t.Context()), uploads.AddFileInput{
			Path:       "a.png",
			Content:    strings.NewReader(png + "new"),
			OnConflict: gallery.ConflictReplace,
		})
		must(t, err)
		if _, err := os.Stat(sidecar); err != nil {
			t.Errorf("a file that was replaced keeps its notes: %v", err)
		}
		must(t, os.Remove(filepath.Join(s.Dir, "a.png")))
		_, err = s.AddFile(access.All(t.Context()),
			uploads.AddFileInput{Path: "a.png", Content: strings.NewReader(png)})
		must(t, err)
		if _, err := os.Stat(sidecar); !os.IsNotExist(err) {
			t.Errorf("the notes of the file that was removed are there still: %v", err)
		}
		_, err = db.Exec("DELETE FROM entries")
		must(t, err)
		f, err := s.File(access.All(t.Context()), "a.png")
		must(t, err)
		if got := f.Tags(); len(got) > 0 {
			t.Errorf("the new file has the tags %v of the old one", got)
		}
	})
}

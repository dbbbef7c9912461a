package gallery_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery"
)

// TestUploadTakesNoOrphanNotes removes a file behind the gallery's back and uploads another one of its name: what was
// said of the old one is not said of the new one, after the loss of the index neither.
func TestUploadTakesNoOrphanNotes(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallery.Config{})
		tags := []string{"old"}
		s.onDisk("a.png", png)
		_, err := s.UpdateFile(t.Context(), gallery.UpdateFileInput{Path: "a.png", Tags: &tags})
		must(t, err)
		sidecar := filepath.Join(s.dir, ".safelight", "a.png.json")
		_, err = s.AddFile(t.Context(), gallery.AddFileInput{Path: "a.png", Content: strings.NewReader(png + "new"), OnConflict: gallery.ConflictReplace})
		must(t, err)
		if _, err := os.Stat(sidecar); err != nil {
			t.Errorf("a file that was replaced keeps its notes: %v", err)
		}
		must(t, os.Remove(filepath.Join(s.dir, "a.png")))
		_, err = s.AddFile(t.Context(), gallery.AddFileInput{Path: "a.png", Content: strings.NewReader(png)})
		must(t, err)
		if _, err := os.Stat(sidecar); !os.IsNotExist(err) {
			t.Errorf("the notes of the file that was removed are there still: %v", err)
		}
		_, err = db.Exec("DELETE FROM entries")
		must(t, err)
		f, err := s.File(t.Context(), "a.png")
		must(t, err)
		if got := f.Tags(); len(got) > 0 {
			t.Errorf("the new file has the tags %v of the old one", got)
		}
	})
}

package gallery_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent/migrations"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/words"
)

// addParts is the statement of the migration that adds the ends of words.
func addParts(t *testing.T, name string) string {
	t.Helper()
	folder := map[string]string{"sqlite3": "sqlite", "postgres": "postgres"}[name]
	text, err := migrations.Files.ReadFile(folder + "/20261122041500_parts.sql")
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "UPDATE") {
			return line
		}
	}
	t.Fatal("the migration holds no UPDATE")
	return ""
}

// TestWordsOfOldRows: the migration adds to the words of rows what the program writes today.
func TestWordsOfOldRows(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		update := addParts(t, name)
		for _, c := range [][2]string{{"sunset.png", "sunset png"}, {"IMG2034.png", "img2034 img 2034 png"}, {"Été à la plage.jpg", "ete a la plage jpg"}, {"日本.png", "日 本 png"}, {strings.Repeat("a", 33) + ".png", strings.Repeat("a", 33) + " png"}} {
			s.Put(c[0], png)
			_, err := db.Exec("UPDATE entries SET words = '" + c[1] + "' WHERE path = '" + c[0] + "'")
			must(t, err)
		}
		_, err := db.Exec(update)
		must(t, err)
		rows, err := db.Query("SELECT path, words FROM entries WHERE kind = 1")
		must(t, err)
		defer rows.Close()
		n := 0
		for ; rows.Next(); n++ {
			var path, have string
			must(t, rows.Scan(&path, &have))
			got, want := strings.Fields(have), strings.Fields(words.Index(path))
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(slices.Compact(got), want) {
				t.Errorf("%s has %q, expected %q", path, got, want)
			}
		}
		if n != 5 {
			t.Errorf("%d rows", n)
		}
	})
}

package gallery_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
)

// TestTextsOfNoDatabase checks that texts that a database cannot store or search for are reported as the
// caller's error, or match no name, on both databases.
func TestTextsOfNoDatabase(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		ctx := s.As(s.Person("ann", auth.RoleAdmin))
		events := func(f audit.Filter) error { _, err := s.Audit.Events(ctx, f, 1, ""); return err }
		for doing, c := range map[string]struct {
			do    func(text string) error
			codes string
		}{
			"login": {func(text string) error { _, err := s.Login(ctx, text, password, "home"); return err },
				"LOGIN_FAILED"},
			"users":  {func(text string) error { _, _, err := s.Users(ctx, 0, 0, text); return err }, "INVALID"},
			"actor":  {func(text string) error { return events(audit.Filter{Actor: text}) }, "INVALID"},
			"action": {func(text string) error { return events(audit.Filter{Action: text + "."}) }, "INVALID"},
			"target": {func(text string) error { return events(audit.Filter{Target: text}) }, "INVALID"},
			"upload": {func(text string) error { _, err := s.Upload(ctx, text); return err },
				"NOT_FOUND INVALID"},
			"finish": {func(text string) error { _, _, err := s.FinishUpload(ctx, text); return err },
				"NOT_FOUND INVALID"},
			"restore": {func(text string) error { _, err := s.RestoreFile(ctx, text, ""); return err },
				"NOT_FOUND INVALID"},
			"purge a trash": {func(text string) error { return s.PurgeFile(ctx, text) }, "NOT_FOUND INVALID"},
		} {
			for _, text := range []string{"a\x00", strings.Repeat("x", 100_000)} {
				if err := c.do(text); err == nil || !strings.Contains(c.codes, string(fault.CodeOf(err))) {
					t.Errorf("%s of %.5q: %v, expected %s", doing, text, err, c.codes)
				}
			}
		}
	})
}

// TestFarTimes checks that a time beyond the range of the index is clamped and does not wrap around.
func TestFarTimes(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		ctx := s.As(s.Person("ann", auth.RoleAdmin))
		_, err := s.UploadFile(ctx, "a.png", strings.NewReader(png))
		must(t, err)
		late, early := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
		for _, c := range []struct {
			filter search.Filter
			found  int
		}{
			{search.Filter{ModifiedAfter: &late}, 0}, {search.Filter{ModifiedBefore: &late}, 1},
			{search.Filter{ModifiedAfter: &early}, 1}, {search.Filter{ModifiedBefore: &early}, 0},
		} {
			files, err := s.Files(ctx, gallery.BrowseOptions{Filter: c.filter})
			must(t, err)
			if n := len(files.Edges); n != c.found {
				t.Errorf("%+v: %d files, expected %d", c.filter, n, c.found)
			}
		}
	})
}

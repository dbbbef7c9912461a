package gallery_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// TestScanOfManyFolders checks that a scan writes several folders together, and parents before their content.
// If a folder's row were written after those inside, these would have to be read again. A scan that stops
// early must only leave complete folders.
func TestScanOfManyFolders(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		const folders = 1 + 4 + 4*20
		for i := range 4 {
			for j := range 20 {
				for k := range 40 {
					s.onDisk(fmt.Sprintf("trip %d/day %02d/%02d.png", i, j, k), png)
				}
			}
		}
		ctx, stop := context.WithCancel(s.Context())
		go func() {
			for range 200 {
				_, _ = s.Files(s.Context(), gallery.BrowseOptions{First: ptr(int32(1))})
			}
			stop()
		}()
		_ = s.ScanNow(ctx, "") // fails if it was stopped early enough
		if parts := s.rows("SELECT count(*) FROM (SELECT parent_id FROM entries WHERE kind = 1 GROUP BY parent_id " +
			"HAVING count(*) <> 40) AS parts"); parts > 0 {
			t.Errorf("%d folders are known in part", parts)
		}
		s.scan()
		if files := s.rows("SELECT count(*) FROM entries WHERE kind = 1"); files != 4*20*40 {
			t.Errorf("%d files", files)
		}
		if synced := s.rows("SELECT count(*) FROM entries WHERE kind = 0 AND synced > 0"); synced != folders {
			t.Errorf("%d folders are in sync, expected %d", synced, folders)
		}
	})
}

package storageconfig_test

import (
	"database/sql"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
)

// stage adds helpers that these tests share.
type stage struct{ *gallerytest.Stage }

func newStage(t *testing.T, db *sql.DB, name string, c gallerytest.Config) *stage {
	t.Helper()
	return &stage{gallerytest.New(t, db, name, c)}
}

var must, want = gallerytest.Must, gallerytest.Want

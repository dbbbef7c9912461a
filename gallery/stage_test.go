package gallery_test

import (
	"database/sql"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
)

const password = gallerytest.Password

// stage adds helpers that these tests share.
type stage struct{ *gallerytest.Stage }

func newStage(t *testing.T, db *sql.DB, name string, c gallerytest.Config) *stage {
	t.Helper()
	return &stage{gallerytest.New(t, db, name, c)}
}

// eachStore runs a test on each database and kind of storage.
func eachStore(t *testing.T, c gallerytest.Config, test func(*stage)) {
	t.Helper()
	gallerytest.EachStore(t, c, func(s *gallerytest.Stage) { test(&stage{s}) })
}

var must, want = gallerytest.Must, gallerytest.Want

func ptr[T any](v T) *T { return &v }

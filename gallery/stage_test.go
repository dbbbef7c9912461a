package gallery_test

import (
	"database/sql"
	"math/rand/v2"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
)

const password = gallerytest.Password

// stage adds what these tests share.
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

// halfOf is 0 or 1: with -short, tests that repeat one thing over many inputs take those with even or odd numbers.
var halfOf = rand.IntN(2)

// leftOut reports whether -short leaves out the input with that number.
func leftOut(n int) bool { return testing.Short() && n%2 != halfOf }

func ptr[T any](v T) *T { return &v }

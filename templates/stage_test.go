package templates_test

import (
	"database/sql"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// stage adds the fixtures of these tests.
type stage struct{ *gallerytest.Stage }

func newStage(t *testing.T, db *sql.DB, name string, c gallerytest.Config) *stage {
	t.Helper()
	return &stage{gallerytest.New(t, db, name, c)}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, err error, code fault.Code, doing string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("%s: %v, expected code %q", doing, err, code)
	}
}

func ptr[T any](v T) *T { return &v }

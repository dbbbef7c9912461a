package server_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/storage"
)

// slowMoves takes 200 ms for each move.
type slowMoves struct{ storage.Store }

func (s slowMoves) Move(ctx context.Context, from, to storage.Key) error {
	select {
	case <-time.After(200 * time.Millisecond):
		return s.Store.Move(ctx, from, to)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestBulkTimeout checks that the response to a change of many files says which files have changed if the request times
// out.
func TestBulkTimeout(t *testing.T) {
	t.Parallel()
	s := newStageOver(t, func(st storage.Store) storage.Store { return slowMoves{st} },
		func(c *server.Config, _ *gallerytest.Config) { c.GraphQLTimeout = 10 * time.Second }, func(*server.Deps) {})
	var paths []string
	for i := range 100 {
		name := fmt.Sprintf("f%02d.png", i)
		s.must(os.WriteFile(filepath.Join(s.files, name), []byte(png), 0o644))
		paths = append(paths, `"`+name+`"`)
	}
	a := s.graphQL("admin", `mutation { trashFiles(input: {paths: [`+strings.Join(paths, ",")+
		`]}) { results { item ok trashed { id } error { code message } } userErrors { code } } }`, nil)
	ok, late := strings.Count(a.body, `"ok":true`), strings.Count(a.body, `"code":"TIMEOUT"`)
	left, err := filepath.Glob(filepath.Join(s.files, "f*.png"))
	s.must(err)
	// When the time ended, one file may have been moved, but not yet entered in the trash. Healing completes that.
	gone := len(paths) - len(left)
	if ok == 0 || late == 0 || ok+late != len(paths) || gone != ok && gone != ok+1 {
		t.Errorf("%d ok, %d late, %d gone from the folder: %s", ok, late, gone, a.body)
	}
}

package gallery_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// TestTagsFromManyServers checks that servers that tag a file concurrently do not overwrite each other's
// tags, in the index and in the sidecar.
func TestTagsFromManyServers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		ctx := s.As(s.Person("ann", auth.RoleAdmin))
		_, err := s.UploadFile(ctx, "a.png", strings.NewReader(png))
		must(t, err)
		servers := []*gallery.Gallery{s.Gallery, s.Again().Gallery, s.Again().Gallery}
		var all sync.WaitGroup
		const each = 5
		for i := range each * len(servers) {
			all.Go(func() {
				list, err := servers[i%len(servers)].TagFiles(
					ctx, []string{"a.png"}, []string{fmt.Sprintf("t%02d", i)}, nil,
				)
				if err != nil || list[0].Err != nil {
					t.Errorf("tag %d: %v %v", i, err, list)
				}
			})
		}
		all.Wait()
		f, err := s.File(ctx, "a.png")
		must(t, err)
		tags := slices.Sorted(slices.Values(f.Tags()))
		if len(tags) != each*len(servers) {
			t.Errorf("the index has %d tags: %v", len(tags), tags)
		}
		files, err := filepath.Glob(filepath.Join(s.Dir, ".*", "a.png.json"))
		must(t, err)
		if len(files) != 1 {
			t.Fatalf("notes lie in %v", files)
		}
		beside, err := os.ReadFile(files[0])
		must(t, err)
		for _, tag := range tags {
			if !strings.Contains(string(beside), `"`+tag+`"`) {
				t.Errorf("%s is not beside the file: %s", tag, beside)
			}
		}
	})
}

package gallery_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// underWay is a storage in which each copy conflicts with another change.
type underWay struct {
	storage.Store
	copies int
}

func (s *underWay) Copy(context.Context, storage.Key, storage.Key) error {
	s.copies++
	f := fault.New(fault.Conflict, "a change is under way")
	f.RetryAfter = time.Second
	return f
}

// TestBusyName copies to a path where another change never ends. The name does not count as taken: no other
// names are tried, which would have to wait as well, and nothing is replaced.
func TestBusyName(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		store := &underWay{Store: storage.NewMemory()}
		s.Store = store
		s.Rules = s.Again()
		ctx := s.Someone(auth.RoleUser)
		s.Put("a.png", gallerytest.PNG)
		s.Put("f/a.png", gallerytest.PNG+"other")
		for _, policy := range []gallery.ConflictPolicy{
			gallery.ConflictError, gallery.ConflictRename, gallery.ConflictReplace} {
			store.copies = 0
			r, err := s.CopyFiles(ctx, []string{"a.png"}, gallery.Destination{Folder: "f", OnConflict: policy})
			must(t, err)
			if f := fault.Of(r[0].Err); f.Code != fault.Conflict || f.RetryAfter == 0 || store.copies != 1 {
				t.Errorf("%s: %v after %d copies", policy, r[0].Err, store.copies)
			}
			if st, err := store.Stat(ctx, "f/a.png"); err != nil || st.Size != int64(len(gallerytest.PNG)+5) {
				t.Errorf("%s: the file in its place is %+v, %v", policy, st, err)
			}
		}
	})
}

package gallery_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"image"
	encode "image/png"
	"testing"
	"time"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

func realPNG(t *testing.T, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	must(t, encode.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.String()
}

// run runs the background until the test ends.
func (s *stage) run(c gallery.RunConfig) {
	ctx, stop := context.WithCancel(s.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Gallery.Run(ctx, c)
	}()
	s.Cleanup(func() {
		stop()
		<-done
	})
}

// until waits for a result of the background work. The timeout of go test stops the test if it never occurs.
func (s *stage) until(what string, holds func() bool) {
	s.Helper()
	s.Logf("waiting until %s", what)
	for !holds() {
		time.Sleep(20 * time.Millisecond)
	}
}

// TestHeal makes the first half of changes by hand, as a crash leaves them.
func TestHeal(t *testing.T) {
	for name, bucket := range map[string]bool{"local": false, "bucket": true} {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, dialect string) {
				s := newStage(t, db, dialect, gallerytest.Config{})
				if bucket {
					s.toBucket()
				}
				heal(s, db, bucket)
			})
		})
	}
}

func heal(s *stage, db *sql.DB, bucket bool) {
	tags := []string{"kept"}
	for _, p := range []string{"file.png", "gone/x.png", "gone/y.png", "tree/a.png", "tree/sub/b.png", "told.png",
		"solo.png"} {
		s.Put(p, png)
		_, err := s.UpdateFile(s.Context(), gallery.UpdateFileInput{Path: p, Tags: &tags})
		must(s.T, err)
	}
	intend := func(change, source, target string) {
		_, err := db.Exec(
			"INSERT INTO intents (owner, change, source, target, seen) VALUES ('dead', '" + change + "', '" + source +
				"', '" + target + "', 0)",
		)
		must(s.T, err)
	}
	intend("move", "file.png", "to/file.png")
	must(s.T, s.Store.Move(s.Context(), "file.png", "to/file.png")) // but not its notes
	intend("delete", "gone", "")
	intend("move", "tree", "other")
	if bucket {
		must(s.T, s.Store.Delete(s.Context(), "gone/x.png"))
		must(s.T, s.Store.Copy(s.Context(), "tree/a.png", "other/a.png"))
	} else {
		must(s.T, s.Store.Delete(s.Context(), "gone"))
		must(s.T, s.Store.Move(s.Context(), "tree", "other"))
	}
	intend("delete", "solo.png", "")
	must(s.T, s.Store.Delete(s.Context(), "solo.png")) // but not its sidecar
	intend("describe", "told.png", "")
	must(s.T, s.Store.Delete(s.Context(), ".safelight/told.png.json"))
	intend("move", "never", "begun")
	must(s.T, s.Heal(s.Context(), s.Clock.Now()))
	for path, tagged := range map[string]bool{"to/file.png": true, "other/a.png": true, "other/sub/b.png": true,
		"told.png": false} {
		f, err := s.File(s.Context(), path)
		if err != nil || (len(f.Tags()) == 1) != tagged {
			s.Errorf("%s after healing: %v, %v", path, f, err)
		}
	}
	s.lists("", "other to told.png")
	if _, err := s.Store.Stat(s.Context(), ".safelight/solo.png.json"); fault.CodeOf(err) != fault.NotFound {
		s.Errorf("the sidecar of a healed deletion: %v", err)
	}
	var left int
	must(s.T, db.QueryRow("SELECT count(*) FROM intents").Scan(&left))
	if left != 0 {
		s.Errorf("%d intents are left", left)
	}
	if have := s.all(gallery.BrowseOptions{Recursive: true}, 50); len(have) != 4 {
		s.Errorf("the index holds %v", have)
	}
}

// toBucket replaces the storage by one that moves objects one by one.
func (s *stage) toBucket() {
	s.Store = storage.NewMemory()
	s.Rules = s.Again()
}

// TestHealLeavesLiveChanges heals while changes are in progress: one of another server that renews its
// intent, and one of this server whose intent is old. A heal that waited for the latter would hang.
func TestHealLeavesLiveChanges(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, dialect string) {
		s := newStage(t, db, dialect, gallerytest.Config{})
		count := func() (n int) {
			must(t, db.QueryRow("SELECT count(*) FROM intents").Scan(&n))
			return n
		}
		healed := errors.New("the storage never asked")
		s.Store = &healingStore{Store: s.Store, during: func() {
			healed = s.Heal(s.Context(), s.Clock.Time.Add(time.Hour))
			if n := count(); n != 1 {
				t.Errorf("%d intents are left of a change under way", n)
			}
		}}
		s.Rules = s.Again()
		must(t, s.CreateFolder(s.Context(), "folder"))
		must(t, healed)

		s.Put("other.png", png)
		_, err := db.Exec(
			fmt.Sprintf(
				"INSERT INTO intents (owner, change, source, target, seen) VALUES ('other', 'delete', 'other.png', "+
					"'', %d)",
				s.Clock.Time.UnixNano(),
			),
		)
		must(t, err)
		must(t, s.Heal(s.Context(), s.Clock.Time))
		if _, err := s.Store.Stat(s.Context(), "other.png"); err != nil || count() != 1 {
			t.Errorf("another server's change was healed while it renews its intent: %d intents, %v", count(), err)
		}
	})
}

// healingStore calls during while it creates a folder. Like a bucket, it is not watched.
type healingStore struct {
	storage.Store
	during func()
}

func (h *healingStore) CreateFolder(ctx context.Context, k storage.Key) error {
	h.during()
	return h.Store.CreateFolder(ctx, k)
}

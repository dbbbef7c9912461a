package gallery_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
)

// troubledEngine fails for some pictures, depending on their names.
type troubledEngine struct {
	imaging.Engine
	mu    sync.Mutex
	asked map[string]int
	stop  func() // called for the picture stop.jpg
}

func (e *troubledEngine) Info(
	ctx context.Context,
	src imaging.Source,
	req imaging.InfoRequest,
	_ imaging.Limits,
) (*imaging.Info, error) {
	name := path.Base(src.Name)
	e.mu.Lock()
	e.asked[name]++
	tries := e.asked[name]
	e.mu.Unlock()
	switch name {
	case "panic.jpg":
		panic("at this picture")
	case "corrupt.jpg":
		return nil, fault.New(fault.CorruptImage, "refused")
	case "later.jpg":
		if tries < 2 {
			return nil, fault.New(fault.Unavailable, "not now")
		}
	case "slow.svg":
		if req.Operations.Height > 0 {
			return nil, fault.New(fault.Timeout, "too slow")
		}
	case "stop.jpg":
		if e.stop != nil {
			e.stop()
			return nil, ctx.Err()
		}
	}
	return &imaging.Info{Format: imaging.JPEG, Width: 40, Height: 30, Pages: 1, PHash: "00000000000000ff"}, nil
}

// TestAnalyzeMany checks that a failing picture does not affect the others in its batch, and is retried alone
// as often as before. If the server stops while it analyzes a batch, no picture is lost.
func TestAnalyzeMany(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		engine := &troubledEngine{asked: map[string]int{}}
		rules, err := gallerytest.NewRules(
			access.All(t.Context()), gallerytest.Config{}, database.New(db, name), s.Store, engine, s.Keys,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		s.Rules = rules
		data := string(grayJPEG(t, 40, 30))
		names := []string{"panic.jpg", "corrupt.jpg", "later.jpg", "stop.jpg"}
		for n := range 60 {
			names = append(names, fmt.Sprintf("folder %d/%02d.jpg", n%3, n))
		}
		for _, n := range names {
			s.Put(n, data)
		}
		states := func() map[gallery.MetadataState][]string {
			list := map[gallery.MetadataState][]string{}
			for _, n := range names {
				f, err := s.File(access.All(t.Context()), n)
				must(t, err)
				list[f.Metadata()] = append(list[f.Metadata()], n)
			}
			return list
		}
		ctx, stop := context.WithCancel(access.All(t.Context()))
		engine.stop = stop
		// It ends at stop.jpg. Another worker could lose what it has just found, and ask for corrupt.jpg again.
		s.Gallery.Run(ctx, gallery.RunConfig{MetadataWorkers: 1})
		engine.stop = nil
		s.run(gallery.RunConfig{MetadataWorkers: 2})
		s.until("all is known or failed", func() bool { return len(states()[gallery.MetadataPending]) == 0 })
		got := states()
		if !slices.Equal(got[gallery.MetadataFailed], []string{"panic.jpg", "corrupt.jpg"}) ||
			len(got[gallery.MetadataKnown]) != len(names)-2 {
			t.Errorf("%v, expected only panic.jpg and corrupt.jpg not to be known", got)
		}
		// The stop may have used up one of three attempts for the pictures in its batch.
		if n := engine.asked["panic.jpg"]; n < 2 || n > 3 || engine.asked["corrupt.jpg"] != 1 ||
			engine.asked["later.jpg"] != 2 {
			t.Errorf("tries: %v", engine.asked)
		}
	})
}

// TestSlowThumbnail checks that a drawing whose thumbnail takes too long is marked, so that pages do not
// request it.
func TestSlowThumbnail(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		engine := &troubledEngine{asked: map[string]int{}}
		rules, err := gallerytest.NewRules(
			access.All(t.Context()), gallerytest.Config{}, database.New(db, name), s.Store, engine, s.Keys,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		s.Rules = rules
		want := map[string]gallery.MetadataState{
			"slow.svg": gallery.MetadataFailed,
			"fine.svg": gallery.MetadataKnown,
			"slow.jpg": gallery.MetadataKnown,
		}
		for n := range want {
			data := `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>`
			if path.Ext(n) == ".jpg" {
				data = string(grayJPEG(t, 40, 30))
			}
			s.Put(n, data)
		}
		s.run(gallery.RunConfig{MetadataWorkers: 2})
		for n, state := range want {
			s.until(n+" is "+string(state), func() bool {
				f, err := s.File(access.All(t.Context()), n)
				must(t, err)
				return f.Metadata() == state
			})
		}
	})
}

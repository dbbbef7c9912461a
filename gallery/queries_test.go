package gallery_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
)

// TestQueriesOfAPage counts what a page of 100 files with every field costs the database.
func TestQueriesOfAPage(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for i := range 120 {
			s.onDisk(fmt.Sprintf("%c/%03d.png", 'a'+i%7, i), png)
		}
		s.scan()
		var queries atomic.Int32
		client := ent.NewClient(ent.Driver(dialect.DebugWithContext(entsql.OpenDB(name, db), func(_ context.Context, said ...any) {
			if strings.Contains(fmt.Sprint(said...), "query=") {
				queries.Add(1)
			}
		})))
		maxNumbered := database.New(db, name)
		maxNumbered.Client = client
		g, err := gallery.New(gallery.Config{}, maxNumbered, s.Audit, s.Signer, s.Store, s.Engine, slog.New(slog.DiscardHandler))
		must(t, err)
		for _, o := range []gallery.BrowseOptions{
			{Recursive: true},
			{Recursive: true, Search: "png", Order: gallery.OrderTaken, Descending: true},
			{Recursive: true, Search: "1", Filter: search.Filter{Types: []string{"png"}}},
		} {
			queries.Store(0)
			first := int32(100)
			o.First = &first
			c, err := g.Files(t.Context(), o)
			must(t, err)
			if _, err := c.TotalCount(t.Context()); err != nil || len(c.Nodes()) < 20 {
				t.Fatalf("%d files, %v", len(c.Nodes()), err)
			}
			for _, f := range c.Nodes() {
				folder, err := f.Folder(t.Context())
				must(t, err)
				if folder.Path() == "" {
					t.Errorf("%s lies in %q", f.Path(), folder.Path())
				}
				_, err = folder.Parent(t.Context())
				must(t, err)
				_, err = f.Exif(t.Context())
				must(t, err)
				_, err = f.URL(t.Context(), imaging.Operations{Width: 300}, s.Clock.Time)
				must(t, err)
				_, _, _, _ = f.Tags(), f.Thumbnails(), f.TakenAt(), f.FocalPoint()
			}
			limit := int32(6)
			if name == "postgres" { // asks bitmaps whether very many match
				limit++
			}
			if n := queries.Load(); n < 4 || n > limit {
				t.Errorf("%+v: %d queries", o, n)
			} else {
				t.Logf("%d queries", n)
			}
		}
	})
}

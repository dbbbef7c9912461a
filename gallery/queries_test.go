package gallery_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
)

// TestTotalsLoadNoFiles checks that counts of folders and groups load neither ids nor files, and that
// subscribers share the count of pending files.
func TestTotalsLoadNoFiles(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, p := range []string{"f/a.png", "f/b.png", "f/g/c.png", "d.png"} {
			s.onDisk(p, png)
			s.scan()
			s.hashed(db, p, 1, "01")
		}
		var said []string
		client := ent.NewClient(
			ent.Driver(dialect.DebugWithContext(entsql.OpenDB(name, db), func(_ context.Context, text ...any) {
				said = append(said, fmt.Sprint(text...))
			})),
		)
		watched := database.New(db, name)
		watched.Client = client
		g, err := gallery.New(
			gallery.Config{}, watched, s.Audit, s.Signer, s.Store, s.Engine, slog.New(slog.DiscardHandler),
		)
		must(t, err)
		f, err := g.Folder(access.All(t.Context()), "f")
		must(t, err)
		check := func(what string, queries int, do func()) {
			t.Helper()
			said = nil
			if do(); len(said) != queries {
				t.Errorf("%s takes %d queries, expected %d: %s", what, len(said), queries, strings.Join(said, "\n"))
			}
		}
		check("the total of a folder", 1, func() {
			if n, err := f.TotalFiles(access.All(t.Context())); err != nil || n != 3 {
				t.Error(n, err)
			}
		})
		var p *database.Page[*gallery.DuplicateGroup]
		check("a page of groups", 1, func() { p, err = g.Duplicates(access.All(t.Context()), 10, "") })
		must(t, err)
		check("the files of its groups", 2, func() {
			if files, err := p.Items[0].Files(access.All(t.Context())); err != nil || len(files) != 4 {
				t.Error(len(files), err)
			}
		})
		var q *database.Page[*gallery.SimilarGroup]
		check("a page of similar groups", 1, func() { q, err = g.SimilarGroups(access.All(t.Context()), 10, "") })
		must(t, err)
		if len(q.Items) > 0 {
			t.Error("files with the same bytes are similar")
		}
		check("a hundred subscribers", 1, func() {
			for range 100 {
				status, err := g.SharedStatus(access.All(t.Context()), time.Hour)
				must(t, err)
				if n, err := status.PendingFiles(access.All(t.Context())); err != nil || n != 0 {
					t.Error(n, err)
				}
			}
		})
	})
}

// TestQueriesOfAPage counts the queries for a page of 100 files with all fields.
func TestQueriesOfAPage(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for i := range 120 {
			s.onDisk(fmt.Sprintf("%c/%03d.png", 'a'+i%7, i), png)
		}
		s.scan()
		var queries atomic.Int32
		client := ent.NewClient(
			ent.Driver(dialect.DebugWithContext(entsql.OpenDB(name, db), func(_ context.Context, said ...any) {
				if strings.Contains(fmt.Sprint(said...), "query=") {
					queries.Add(1)
				}
			})),
		)
		maxNumbered := database.New(db, name)
		maxNumbered.Client = client
		g, err := gallery.New(
			gallery.Config{}, maxNumbered, s.Audit, s.Signer, s.Store, s.Engine,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		for _, o := range []gallery.BrowseOptions{
			{Recursive: true},
			{Recursive: true, Search: "png", Sort: gallery.SortTaken, Descending: true},
			{Recursive: true, Search: "1", Filter: search.Filter{Formats: []imaging.Format{imaging.PNG}}},
		} {
			queries.Store(0)
			first := int32(100)
			o.First = &first
			c, err := g.Files(access.All(t.Context()), o)
			must(t, err)
			if _, err := c.TotalCount(access.All(t.Context()), false); err != nil || len(c.Nodes()) < 20 {
				t.Fatalf("%d files, %v", len(c.Nodes()), err)
			}
			for _, f := range c.Nodes() {
				folder, err := f.Folder(access.All(t.Context()))
				must(t, err)
				if folder.Path() == "" {
					t.Errorf("%s lies in %q", f.Path(), folder.Path())
				}
				_, err = folder.Parent(access.All(t.Context()))
				must(t, err)
				_, err = f.Exif(access.All(t.Context()))
				must(t, err)
				_, err = f.URL(access.All(t.Context()), imaging.Operations{Width: 300}, s.Clock.Time)
				must(t, err)
				_, _, _, _ = f.Tags(), f.Thumbnails(), f.TakenAt(), f.FocalPoint()
			}
			most := int32(6)
			if o.Search != "" {
				most++ // for counting the files in folders with such names
			}
			if n := queries.Load(); n < 4 || n > most {
				t.Errorf("%+v: %d queries", o, n)
			} else {
				t.Logf("%d queries", n)
			}
		}
	})
}

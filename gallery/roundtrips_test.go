package gallery_test

import (
	"context"
	"database/sql"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// TestStatementsOfAChange checks how many statements a change sends to PostgreSQL, including begin and
// commit.
func TestStatementsOfAChange(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		if name != dialect.Postgres {
			t.Skip("on SQLite a statement is no round trip")
		}
		s := gallerytest.New(t, db, name, gallerytest.Config{})
		s.Store = storage.NewMemory()
		var sent atomic.Int32
		client := ent.NewClient(
			ent.Driver(dialect.DebugWithContext(entsql.OpenDB(name, db), func(context.Context, ...any) {
				sent.Add(1)
			})),
		)
		counted := database.New(db, name)
		counted.Client = client
		g, err := gallery.New(
			gallery.Config{}, counted, s.Audit, s.Signer, s.Store, s.Engine, slog.New(slog.DiscardHandler),
		)
		must(t, err)
		ctx := s.Someone(auth.RoleAdmin)
		create := func(k storage.Key) func() error {
			return func() error {
				_, err := g.CreateFile(ctx, k, strings.NewReader(png), storage.CreateOptions{})
				return err
			}
		}
		must(t, create("a/1.png")())
		must(t, create("b/1.png")())
		// Two of the statements check whether there are webhooks and share links that must follow the files.
		for _, c := range []struct {
			name string
			max  int32
			do   func() error
		}{
			{"create", 10, create("a/2.png")},
			{"rename", 15, func() error { return g.MoveFile(ctx, "a/2.png", "a/3.png") }},
			{"move", 15, func() error { return g.MoveFile(ctx, "a/3.png", "b/3.png") }},
			{"trash", 12, func() error { _, err := g.TrashFile(ctx, "b/3.png"); return err }},
		} {
			sent.Store(0)
			must(t, c.do())
			if n := sent.Load(); n > c.max {
				t.Errorf("%s sends %d statements, expected at most %d", c.name, n, c.max)
			}
		}
	})
}

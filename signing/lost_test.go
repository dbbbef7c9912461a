package signing_test

import (
	"database/sql"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/signing"
)

// TestLostKeyFile opens the database with another key file than the one that sealed its secret: a generated secret is
// replaced, one that an admin has set is asked for, and URLs work meanwhile.
func TestLostKeyFile(t *testing.T) {
	const configured = "a secret that somebody chose, long enough"
	for what, change := range map[string]signing.ProcessorInput{
		"generated": {}, "configured": {Secret: ptr(configured)}} {
		t.Run(what, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
				s := newStage(t, db, name, gallerytest.Config{})
				if change.Secret != nil {
					_, err := s.ConfigureProcessor(t.Context(), change)
					must(t, err)
				}
				before := s.SignPath("a")
				keys, err := auth.OpenKeyring(auth.KeyringConfig{
					File:     filepath.Join(t.TempDir(), "keys.json"),
					Lifetime: time.Hour,
					Log:      slog.New(slog.DiscardHandler),
				})
				must(t, err)
				open := func() *signing.Signer {
					s, err := signing.New(
						t.Context(), signing.Config{Now: s.Clock.Now}, database.New(db, name), s.Audit, keys,
						slog.New(slog.DiscardHandler),
					)
					must(t, err)
					return s
				}
				if err := signing.CheckSealed(t.Context(), database.New(db, name), keys); err == nil {
					t.Error("the check does not notice the other key file")
				}
				after := open()
				if !gallerytest.Verifies(after, after.SignPath("a")) || gallerytest.Verifies(after, before) {
					t.Error("after the loss, new URLs must be accepted and old ones rejected")
				}
				replaced := what == "generated" && name == dialect.SQLite
				if err := after.CheckReadable(); (err == nil) != replaced ||
					err != nil && fault.CodeOf(err) != fault.Unavailable {
					t.Errorf("ready: %v", err)
				}
				status, err := after.ProcessorStatus(t.Context())
				must(t, err)
				if status.Configured != replaced || gallerytest.Verifies(open(), after.SignPath("a")) != replaced {
					t.Errorf("status %+v, expected configured %v", status, replaced)
				}
				if replaced {
					must(t, signing.CheckSealed(t.Context(), database.New(db, name), keys))
					return
				}
				_, err = after.ConfigureProcessor(t.Context(), signing.ProcessorInput{SignerTruncate: ptr(40)})
				want(t, err, fault.Invalid, "a change that leaves the lost secret")
				status, err = after.ConfigureProcessor(t.Context(), signing.ProcessorInput{Secret: ptr(configured)})
				must(t, err)
				must(t, after.CheckReadable())
				if !status.Configured || gallerytest.Verifies(open(), before) != (what == "configured") {
					t.Errorf("status %+v after the secret was set again", status)
				}
			})
		})
	}
}

package gallery_test

import (
	"database/sql"
	"testing"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// TestMissingThingsAreNamed requests a missing row from every package. The message must say what is missing.
func TestMissingThingsAreNamed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Put("a.png", png)
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		id := uuid.New()
		for expected, do := range map[string]func() error{
			"the user does not exist":                  func() error { _, err := s.User(ctx, id); return err },
			"the API token does not exist":             func() error { return s.RevokeAPIToken(ctx, id) },
			"the upload does not exist or has expired": func() error { _, err := s.Upload(ctx, "none"); return err },
			"the item does not exist in the trash":     func() error { _, err := s.RestoreFile(ctx, "none", ""); return err },
			"none.png does not exist":                  func() error { _, err := s.File(ctx, "none.png"); return err },
			"none.template.json does not exist":        func() error { _, err := s.Template(ctx, "none.template.json"); return err },
			"the file or folder does not exist":        func() error { _, err := s.NodeByID(ctx, "RmlsZTo5OTk5OTk"); return err },
		} {
			if f := fault.Of(do()); f == nil || f.Code != fault.NotFound || f.Message != expected {
				t.Errorf("%v, expected NOT_FOUND: %s", f, expected)
			}
		}
		for doing, err := range map[string]error{
			"ReactivateAccount": s.ReactivateAccount(ctx, id), "DeactivateAccount": s.DeactivateAccount(ctx, &id), "DeleteUser": s.DeleteUser(ctx, id),
			"LogoutEverywhere": s.LogoutEverywhere(ctx, accounts.EndSessions{UserID: &id}), "ChangePassword": s.ChangePassword(ctx, accounts.NewPassword{UserID: &id, Password: "a completely other one"}),
		} {
			if f := fault.Of(err); f == nil || f.Code != fault.NotFound || f.Message != "the user does not exist" {
				t.Errorf("%s of nobody: %v", doing, err)
			}
		}
	})
}

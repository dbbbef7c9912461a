package audit_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/signing/presets"
	"github.com/safelight/safelight/templates"
)

// TestAuditOfEveryChange makes each change once and checks its event.
func TestAuditOfEveryChange(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Accounts: accounts.Config{Guest: true, Registration: true}})
		admin, user := s.Person("admin", auth.RoleAdmin), s.Person("user", auth.RoleUser)
		ctx := fault.WithRequestID(auth.WithAddress(s.As(admin), "192.0.2.7"), "request-1")
		var token *ent.APIToken
		id := &user.User.ID
		for _, c := range []struct {
			action audit.Action
			target string
			do     func() error
		}{
			{audit.ActionUserCreate, "user:", func() error {
				_, err := s.CreateUser(ctx, accounts.CreateUserInput{
					DisplayName: "x", Username: "x", Password: password, Role: auth.RoleUser})
				return err
			}},
			{audit.ActionUserUpdate, "user:" + id.String(), func() error {
				_, err := s.UpdateProfile(ctx, id, accounts.UpdateProfileInput{DisplayName: ptr("New")})
				return err
			}},
			{audit.ActionUserPassword, "user:" + id.String(), func() error {
				return s.ChangePassword(ctx, accounts.NewPassword{UserID: id, Password: "a completely other one"})
			}},
			{audit.ActionLogoutEverywhere, "user:" + id.String(),
				func() error { return s.LogoutEverywhere(ctx, accounts.EndSessions{UserID: id}) }},
			{audit.ActionUserDeactivate, "user:" + id.String(), func() error { return s.DeactivateAccount(ctx, id) }},
			{audit.ActionUserReactivate, "user:" + id.String(), func() error { return s.ReactivateAccount(ctx, *id) }},
			{audit.ActionUserDelete, "user:" + id.String(), func() error { return s.DeleteUser(ctx, *id) }},
			{audit.ActionTokenCreate, "token:", func() (err error) {
				token, _, err = s.CreateAPIToken(ctx,
					accounts.CreateAPITokenInput{Name: "job", Scopes: []auth.Scope{auth.ScopeRead}})
				return err
			}},
			{audit.ActionTokenRevoke, "token:", func() error { return s.RevokeAPIToken(ctx, token.ID) }},
			{audit.ActionProcessor, "processor", func() error {
				_, err := s.ConfigureProcessor(ctx, signing.ProcessorInput{Secret: ptr("hush hush")})
				return err
			}},
			{audit.ActionFamilyKeyCreate, "family-key:k", func() error {
				_, _, err := s.CreateFamilyKey(ctx, "k")
				return err
			}},
			{audit.ActionFamilyKeyRevoke, "family-key:k", func() error {
				_, err := s.RevokeFamilyKey(ctx, "k")
				return err
			}},
			{audit.ActionPresetSave, "preset:card", func() error {
				_, err := s.Presets.Save(ctx, presets.SaveInput{Name: "card"})
				return err
			}},
			{audit.ActionPresetDelete, "preset:card", func() error { return s.Presets.Delete(ctx, "card") }},
			{audit.ActionFolderCreate, "file:a", func() error { return s.CreateFolder(ctx, "a") }},
			{audit.ActionFileUpload, "file:a/b.png", func() error {
				_, err := s.UploadFile(ctx, "a/b.png", strings.NewReader("\x89PNG\r\n\x1A\n rest"))
				return err
			}},
			{audit.ActionFileCopy, "file:a/b.png", func() error { return s.CopyFile(ctx, "a/b.png", "a/c.png") }},
			{audit.ActionFileMove, "file:a/c.png", func() error { return s.MoveFile(ctx, "a/c.png", "a/d.png") }},
			{audit.ActionFileUpdate, "file:a/d.png", func() error {
				_, err := s.UpdateFile(ctx, gallery.UpdateFileInput{Path: "a/d.png", Tags: &[]string{"x"}})
				return err
			}},
			{audit.ActionFileDelete, "file:a/d.png", func() error { return s.DeleteFile(ctx, "a/d.png") }},
			{audit.ActionTemplateSave, "file:t.template.json", func() error {
				_, _,
					err := s.SaveTemplate(ctx, templates.SaveTemplateInput{
					Name: "t", Folder: ptr(""),
					Envelope: `{"version":"1.0","dimensionMode":"adaptive","transformations":{"imagePath":"a/b.png"}}`})
				return err
			}},
			{audit.ActionLogout, "user:" + admin.User.ID.String(), func() error { return s.Logout(ctx) }},
		} {
			before := len(s.Events(audit.Filter{}))
			must(t, c.do())
			all := s.Events(audit.Filter{})
			e := all[0]
			if len(all) != before+1 || e.Action != string(c.action) || !strings.HasPrefix(e.Target, c.target) {
				t.Errorf("%s: %d new events, the newest %+v", c.action, len(all)-before, e)
			}
			if e.ActorID == nil || *e.ActorID != admin.User.ID || e.ActorName != "admin" || e.TokenID == "" ||
				e.Address != "192.0.2.7" ||
				e.RequestID != "request-1" ||
				!e.At.Equal(s.Clock.Time) {
				t.Errorf("%s: who, where and when are %+v", c.action, e)
			}
			if text, _ := json.Marshal(e); strings.Contains(string(text), "hush") ||
				strings.Contains(string(text), "argon2") ||
				strings.Contains(string(text), "other one") {
				t.Errorf("%s tells a secret: %s", c.action, text)
			}
		}
	})
}

func TestAuditOfRefusals(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Accounts: accounts.Config{Guest: true, Registration: true}})
		admin, user := s.Person("admin", auth.RoleAdmin), s.Person("user", auth.RoleUser)
		before := len(s.Events(audit.Filter{}))
		want(t, s.DeactivateAccount(s.As(user), &admin.User.ID), fault.Forbidden, "a forbidden change")
		want(t, s.DeactivateAccount(s.As(admin), nil), fault.Conflict, "a change against the rules")
		_, err := s.CreateUser(
			s.As(admin),
			accounts.CreateUserInput{DisplayName: "x", Username: "USER", Password: password, Role: auth.RoleUser},
		)
		want(t, err, fault.UsernameExists, "a name that is taken")
		want(t, s.DeleteFile(s.As(admin), "none"), fault.NotFound, "deleting nothing")
		if n := len(s.Events(audit.Filter{})); n != before {
			t.Errorf("%d events of changes that were not made", n-before)
		}
		for name, target := range map[string]string{
			"USER": "user:" + user.User.ID.String(), "my password instead": ""} {
			_, err := s.Login(auth.WithAddress(t.Context(), "192.0.2.9"), name, "wrong", "192.0.2.9")
			want(t, err, fault.LoginFailed, "a wrong login")
			e := s.Events(audit.Filter{})[0]
			if e.Action != string(audit.ActionLoginFailed) || e.Target != target || e.ActorID != nil ||
				e.Address != "192.0.2.9" ||
				strings.Contains(fmt.Sprint(e), "instead") {
				t.Errorf("event of a failed login: %+v", e)
			}
		}
	})
}

func TestAuditIsAppendOnly(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Person("admin", auth.RoleAdmin)
		statements := []string{
			"UPDATE audit_events SET actor_name = 'nobody'",
			"DELETE FROM audit_events",
			"DELETE FROM audit_events WHERE action = 'login.success'",
		}
		if name == "postgres" {
			statements = append(statements, "TRUNCATE audit_events")
		}
		before := len(s.Events(audit.Filter{}))
		for _, statement := range statements {
			if _, err := db.Exec(statement); err == nil || !strings.Contains(err.Error(), "audit events cannot be") {
				t.Errorf("%s: %v", statement, err)
			}
		}
		if n := len(s.Events(audit.Filter{})); n != before {
			t.Errorf("%d events of %d are left", n, before)
		}
	})
}

func TestPruneAudit(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Person("admin", auth.RoleAdmin) // two events
		s.Clock.Time = s.Clock.Time.Add(48 * time.Hour)
		_, err := s.Login(t.Context(), "admin", password, "home")
		must(t, err)
		prune := func(keep time.Duration, gone, left int) {
			t.Helper()
			n, err := s.Audit.Prune(context.Background(), keep)
			if all := s.Events(audit.Filter{}); err != nil || n != gone || len(all) != left {
				t.Errorf("PruneAudit(%s) = %d, %v, and leaves %d events", keep, n, err, len(all))
			}
		}
		prune(0, 0, 3)
		prune(72*time.Hour, 0, 3)
		prune(24*time.Hour, 2, 2) // the login and the event of the pruning
		e := s.Events(audit.Filter{Action: string(audit.ActionAuditPrune)})
		if len(e) != 1 || e[0].After["olderThan"] == nil {
			t.Errorf("events of the pruning: %+v", e)
		}
		if _, err := db.Exec("DELETE FROM audit_events"); err == nil {
			t.Error("after a pruning everything may be deleted")
		}
		prune(24*time.Hour, 0, 2)
	})
}

func TestAuditEvents(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		for i := range 25 {
			s.Clock.Time = s.Clock.Time.Add(time.Second)
			must(t, s.CreateFolder(ctx, fmt.Sprintf("f%02d%%", i)))
		}
		var seen []int
		for after := ""; ; {
			p, err := s.Audit.Events(t.Context(), audit.Filter{Action: "folder."}, 10, after)
			must(t, err)
			for _, e := range p.Items {
				seen = append(seen, e.ID)
			}
			if n, err := p.Count(t.Context()); err != nil || n != 25 {
				t.Errorf("%d in all, %v", n, err)
			}
			if !p.After {
				break
			}
			after = p.Cursors[len(p.Cursors)-1]
		}
		for i := range seen[1:] {
			if seen[i] <= seen[i+1] {
				t.Errorf("ids %v are not in order", seen)
			}
		}
		end := s.Clock.Time
		for _, c := range []struct {
			filter audit.Filter
			want   int
		}{
			{audit.Filter{Actor: "admin"}, 26},
			{audit.Filter{Actor: auth.FromContext(ctx).UserID.String()}, 26},
			{audit.Filter{Actor: "adm"}, 0},
			{audit.Filter{Action: "folder.create"}, 25},
			{audit.Filter{Action: "folder"}, 0},
			{audit.Filter{Target: "file:f1"}, 10},
			{audit.Filter{Target: "file:f1%"}, 0},
			{audit.Filter{Since: end}, 1},
			{audit.Filter{Action: "folder.", Until: end}, 24},
			{audit.Filter{Action: "folder.", Since: end.Add(-4 * time.Second), Until: end}, 4},
		} {
			if n := len(s.Events(c.filter)); n != c.want {
				t.Errorf("%+v: %d events, expected %d", c.filter, n, c.want)
			}
		}
		if len(seen) != 25 {
			t.Errorf("%d events by pages", len(seen))
		}
		for _, first := range []int{0, -1, 101} {
			_, err := s.Audit.Events(t.Context(), audit.Filter{}, first, "")
			want(t, err, fault.Invalid, "a page of a wrong size")
		}
	})
}

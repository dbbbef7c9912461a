package accounts_test

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

func TestAPITokens(t *testing.T) {
	for name, test := range map[string]func(*stage){
		"making": makingTokens, "ends": endsOfTokens, "last use": lastUseOfTokens,
		"what they may not": whatTokensMayNot, "accounts": tokensAndAccounts,
	} {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, dialect string) {
				test(newStage(t, db, dialect, gallerytest.Config{Accounts: accounts.Config{Guest: true}}))
			})
		})
	}
}

// token creates an API token with all scopes of the session's account.
func (s *stage) token(session *accounts.Session) (*ent.APIToken, string) {
	s.Helper()
	t, secret, err := s.CreateAPIToken(
		s.As(session),
		accounts.CreateAPITokenInput{Name: "job", Scopes: session.User.Role.Scopes()},
	)
	must(s.T, err)
	return t, secret
}

// by returns a context authenticated by the API token.
func (s *stage) by(secret string) context.Context {
	s.Helper()
	i, err := s.AuthenticateAPIToken(s.Context(), secret)
	must(s.T, err)
	return auth.WithIdentity(s.Context(), i)
}

func (s *stage) refuses(secret, why string) {
	s.Helper()
	_, err := s.AuthenticateAPIToken(s.Context(), secret)
	want(s.T, err, fault.Unauthenticated, why)
}

func makingTokens(s *stage) {
	user := s.Person("user", auth.RoleUser)
	t, secret := s.token(user)
	if !strings.HasPrefix(secret, "slt_") || len(secret) != 47 || !strings.HasPrefix(secret, t.Prefix) ||
		t.UserID != user.User.ID {
		s.Errorf("token %+v, secret of %d bytes", t, len(secret))
	}
	i := auth.FromContext(s.by(secret))
	if i.UserID != user.User.ID || i.Name != "user" || !i.Has(auth.ScopeWrite) || i.Has(auth.ScopeAdmin) ||
		!i.APIToken ||
		i.TokenID != t.ID.String() {
		s.Errorf("identity %+v", i)
	}
	make := func(in accounts.CreateAPITokenInput) error {
		_, _, err := s.CreateAPIToken(s.As(user), in)
		return err
	}
	read := []auth.Scope{auth.ScopeRead}
	for field, err := range map[string]error{
		"name":      make(accounts.CreateAPITokenInput{Name: " ", Scopes: read}),
		"scopes":    make(accounts.CreateAPITokenInput{Name: "x", Scopes: []auth.Scope{auth.ScopeWrite}}),
		"expiresAt": make(accounts.CreateAPITokenInput{Name: "x", Scopes: read, ExpiresAt: &s.Clock.Time}),
	} {
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != field {
			s.Errorf("field %s: %v", field, err)
		}
	}
	want(
		s.T, make(accounts.CreateAPITokenInput{Name: "x", Scopes: auth.RoleAdmin.Scopes()}), fault.Forbidden,
		"a scope that the maker lacks",
	)
	guest, err := s.GuestSession(s.Context())
	must(s.T, err)
	_, _, err = s.CreateAPIToken(s.As(guest), accounts.CreateAPITokenInput{Name: "x", Scopes: read})
	want(s.T, err, fault.Forbidden, "a guest's token")
	for _, bad := range []string{"", "slt_", secret + "x", secret[:46], "slt_" + strings.Repeat("A", 43),
		strings.ToUpper(secret)} {
		s.refuses(bad, "the token "+bad)
	}
	var err2 error
	for range 200 {
		if err2 = make(accounts.CreateAPITokenInput{Name: "x", Scopes: read}); err2 != nil {
			break
		}
	}
	want(s.T, err2, fault.Conflict, "tokens without end")
}

func endsOfTokens(s *stage) {
	admin, user := s.Person("admin", auth.RoleAdmin), s.Person("user", auth.RoleUser)
	t, secret := s.token(user)
	of, adminSecret := s.token(admin)
	want(s.T, s.RevokeAPIToken(s.As(user), of.ID), fault.NotFound, "revoking somebody else's token")
	want(s.T, s.RevokeAPIToken(s.As(user), uuid.New()), fault.NotFound, "revoking no token")
	must(s.T, s.RevokeAPIToken(s.As(user), t.ID))
	must(s.T, s.RevokeAPIToken(s.As(user), t.ID))
	s.refuses(secret, "a revoked token")
	t, secret = s.token(user)
	must(s.T, s.RevokeAPIToken(s.As(admin), t.ID))
	s.refuses(secret, "a token that an admin revoked")

	must(s.T, s.Logout(s.by(adminSecret)))
	s.refuses(adminSecret, "a token that logged itself out")

	until := s.Clock.Time.Add(time.Minute)
	_, secret, err := s.CreateAPIToken(
		s.As(user),
		accounts.CreateAPITokenInput{Name: "short", Scopes: []auth.Scope{auth.ScopeRead}, ExpiresAt: &until},
	)
	must(s.T, err)
	s.by(secret)
	s.Clock.Time = until
	s.refuses(secret, "an expired token")

	page, err := s.APITokens(s.As(user), accounts.TokenFilter{}, 10, "")
	if err != nil || len(page.Items) != 1 || page.Items[0].Name != "short" {
		s.Errorf("APITokens = %v, %v", page, err)
	}
	all := accounts.TokenFilter{UserID: &user.User.ID, Revoked: true}
	page, err = s.APITokens(s.As(admin), all, 10, "")
	if err != nil || len(page.Items) != 3 || page.Before || page.After {
		s.Errorf("APITokens of another = %v, %v", page, err)
	}
	newest, err := s.APITokens(s.As(admin), all, 1, "")
	if err != nil || len(newest.Items) != 1 || newest.Items[0].ID != page.Items[0].ID || newest.Before ||
		!newest.After {
		s.Fatalf("the newest of them = %v, %v", newest, err)
	}
	rest, err := s.APITokens(s.As(admin), all, 10, newest.Cursors[0])
	if err != nil || len(rest.Items) != 2 || rest.Items[0].ID != page.Items[1].ID || !rest.Before || rest.After {
		s.Errorf("the others = %v, %v", rest, err)
	}
	if n, err := rest.Count(s.As(admin)); err != nil || n != 3 {
		s.Errorf("%d of them, %v", n, err)
	}
	own, err := s.APITokens(s.As(admin), accounts.TokenFilter{}, 10, newest.Cursors[0])
	if err != nil || len(own.Items) != 0 {
		s.Errorf("the cursor of another account's list selects %v, %v, expected none of its tokens", own, err)
	}
	_, err = s.APITokens(s.As(admin), all, 10, newest.Items[0].ID.String())
	want(s.T, err, fault.Invalid, "a cursor of nothing")
	_, err = s.APITokens(s.As(admin), all, 101, "")
	want(s.T, err, fault.Invalid, "a page of 101 tokens")
	_, err = s.APITokens(s.As(user), accounts.TokenFilter{UserID: &admin.User.ID, Revoked: true}, 10, "")
	want(s.T, err, fault.Forbidden, "looking at somebody else's tokens")
}

func lastUseOfTokens(s *stage) {
	user := s.Person("user", auth.RoleUser)
	_, secret := s.token(user)
	used := func() time.Time {
		page, err := s.APITokens(s.As(user), accounts.TokenFilter{}, 1, "")
		must(s.T, err)
		if page.Items[0].LastUsedAt == nil {
			return time.Time{}
		}
		return *page.Items[0].LastUsedAt
	}
	if !used().IsZero() {
		s.Error("a new token was used")
	}
	first := s.Clock.Time
	for _, c := range []struct {
		after time.Duration
		want  time.Time
	}{{0, first}, {59 * time.Second, first}, {time.Minute, first.Add(time.Minute)}} {
		s.Clock.Time = first.Add(c.after)
		s.by(secret)
		if got := used(); !got.Equal(c.want) {
			s.Errorf("used after %s: last use %s, expected %s", c.after, got, c.want)
		}
	}
}

// whatTokensMayNot checks that a leaked token cannot create access that outlives its revocation: accounts,
// passwords or other tokens.
func whatTokensMayNot(s *stage) {
	admin, user := s.Person("admin", auth.RoleAdmin), s.Person("user", auth.RoleUser)
	t, secret := s.token(admin)
	ctx := s.by(secret)
	_, errCreate := s.CreateUser(
		ctx,
		accounts.CreateUserInput{DisplayName: "x", Username: "x", Password: password, Role: auth.RoleAdmin},
	)
	_, errProfile := s.UpdateProfile(ctx, &user.User.ID, accounts.UpdateProfileInput{Role: ptr(auth.RoleAdmin)})
	_, _, errToken := s.CreateAPIToken(
		ctx,
		accounts.CreateAPITokenInput{Name: "x", Scopes: []auth.Scope{auth.ScopeRead}},
	)
	for what, err := range map[string]error{
		"CreateUser": errCreate, "UpdateProfile": errProfile, "CreateAPIToken": errToken,
		"ChangePassword, own": s.ChangePassword(
			ctx, accounts.NewPassword{Current: password, Password: "a completely other one"}),
		"ChangePassword, another's": s.ChangePassword(
			ctx, accounts.NewPassword{UserID: &user.User.ID, Password: "a completely other one"}),
		"DeactivateAccount": s.DeactivateAccount(ctx, &user.User.ID),
		"ReactivateAccount": s.ReactivateAccount(ctx, user.User.ID),
		"DeleteUser":        s.DeleteUser(ctx, user.User.ID),
		"LogoutEverywhere":  s.LogoutEverywhere(ctx, accounts.EndSessions{}),
		"RevokeAPIToken":    s.RevokeAPIToken(ctx, t.ID),
	} {
		want(s.T, err, fault.Forbidden, what+" by an API token")
	}
	_, err := s.Refresh(s.Context(), secret)
	want(s.T, err, fault.Unauthenticated, "Refresh of an API token")
	if _, _, err := s.Users(ctx, 0, 0, ""); err != nil {
		s.Error(err)
	}
	if _, err := s.APITokens(ctx, accounts.TokenFilter{}, 1, ""); err != nil {
		s.Error(err)
	}
}

func tokensAndAccounts(s *stage) {
	root, admin := s.Person("root", auth.RoleAdmin), s.Person("admin", auth.RoleAdmin)
	_, secret := s.token(admin)
	role := func(r auth.Role) {
		_, err := s.UpdateProfile(s.As(root), &admin.User.ID, accounts.UpdateProfileInput{Role: &r})
		must(s.T, err)
	}
	role(auth.RoleUser)
	if i := auth.FromContext(s.by(secret)); !slices.Equal(i.Scopes, auth.RoleUser.Scopes()) {
		s.Errorf("after a demotion the token has %v", i.Scopes)
	}
	must(s.T,
		s.ChangePassword(s.As(root), accounts.NewPassword{UserID: &admin.User.ID, Password: "a completely other one"}))
	s.by(secret)
	must(s.T, s.LogoutEverywhere(s.As(root), accounts.EndSessions{UserID: &admin.User.ID}))
	s.by(secret)
	must(s.T, s.LogoutEverywhere(s.As(root), accounts.EndSessions{UserID: &admin.User.ID, APITokens: true}))
	s.refuses(secret, "a token after logging out everywhere, tokens too")

	again, err := s.Login(s.Context(), "admin", "a completely other one", "home")
	must(s.T, err)
	_, secret = s.token(again)
	must(s.T, s.DeactivateAccount(s.As(root), &admin.User.ID))
	s.refuses(secret, "a token of a closed account")
	must(s.T, s.ReactivateAccount(s.As(root), admin.User.ID))
	s.refuses(secret, "an old token of an account that was opened again")

	again, err = s.Login(s.Context(), "admin", "a completely other one", "home")
	must(s.T, err)
	_, secret = s.token(again)
	must(s.T, s.DeleteUser(s.As(root), admin.User.ID))
	s.refuses(secret, "a token of an account that is gone")
	if s.Admits(again) {
		s.Error("a session of an account that is gone")
	}
	want(s.T, s.DeleteUser(s.As(root), admin.User.ID), fault.NotFound, "deleting nobody")
	want(s.T, s.DeleteUser(s.As(root), root.User.ID), fault.Conflict, "deleting the last admin")
}

package accounts_test

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"
	"testing"
	"time"

	"entgo.io/ent"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// TestRefreshDuringLogoutEverywhere logs an account out everywhere just after a refresh has checked the
// version of its token. The refreshed session must have ended as well.
func TestRefreshDuringLogoutEverywhere(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		ada := s.Person("ada", auth.RoleUser)
		db := database.New(pool, dialect)
		slow, err := accounts.New(
			t.Context(), accounts.Config{Now: s.Clock.Now}, db, s.Audit, s.Keys,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		ctx, checks := s.As(ada), 0
		db.User.Intercept(ent.InterceptFunc(func(next ent.Querier) ent.Querier {
			return ent.QuerierFunc(func(c context.Context, q ent.Query) (ent.Value, error) {
				v, err := next.Query(c, q)
				if checks++; checks == 1 {
					must(t, s.LogoutEverywhere(ctx, accounts.EndSessions{APITokens: true}))
				}
				return v, err
			})
		}))
		late, err := slow.Refresh(t.Context(), ada.Token)
		if checks == 0 {
			t.Fatal("the refresh did not read the account")
		}
		if err != nil {
			return // an immediate rejection is also correct
		}
		claims, err := s.Keys.Parse(late.Token)
		must(t, err)
		_, err = s.Authenticate(t.Context(), claims)
		want(t, err, fault.Unauthenticated, "the session of a refresh that was overtaken")
	})
}

// TestLoginsDoNotWait logs in while another login has read the policy for second factors but is not complete
// yet.
func TestLoginsDoNotWait(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		if dialect != "postgres" {
			t.Skip("SQLite has one writer at a time")
		}
		s := newStage(t, pool, dialect, gallerytest.Config{})
		s.Person("ann", auth.RoleUser)
		s.Person("ben", auth.RoleUser)
		db := database.New(pool, dialect)
		slow, err := accounts.New(
			t.Context(), accounts.Config{Now: s.Clock.Now}, db, s.Audit, s.Keys,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		policies := 0
		db.FactorPolicy.Intercept(ent.InterceptFunc(func(next ent.Querier) ent.Querier {
			return ent.QuerierFunc(func(c context.Context, q ent.Query) (ent.Value, error) {
				v, err := next.Query(c, q)
				policies++
				ctx, stop := context.WithTimeout(t.Context(), time.Minute) // a blocked login would wait forever
				defer stop()
				if _, err := s.Login(ctx, "ben", password, "there"); err != nil {
					t.Errorf("the second login: %v", err)
				}
				return v, err
			})
		}))
		_, err = slow.Login(t.Context(), "ann", password, "here")
		must(t, err)
		if policies != 1 {
			t.Errorf("the policy was read %d times", policies)
		}
	})
}

// TestInvitationDuringLogoutEverywhere logs an account out everywhere just after an invitation was accepted.
// The session of the invitation must have ended as well.
func TestInvitationDuringLogoutEverywhere(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		admin, ada := s.Person("admin", auth.RoleAdmin), s.Person("ada", auth.RoleUser)
		token, _, err := s.Invite(s.As(admin), ada.User.ID)
		must(t, err)
		db := database.New(pool, dialect)
		slow, err := accounts.New(
			t.Context(), accounts.Config{Now: s.Clock.Now}, db, s.Audit, s.Keys,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		recorded, ended := false, false
		end := func() {
			if recorded && !ended {
				ended = true
				must(t, s.LogoutEverywhere(s.As(admin), accounts.EndSessions{UserID: &ada.User.ID, APITokens: true}))
			}
		}
		db.AuditEvent.Use(func(next ent.Mutator) ent.Mutator {
			return ent.MutateFunc(func(c context.Context, m ent.Mutation) (ent.Value, error) {
				v, err := next.Mutate(c, m)
				recorded = true // the last statement of the transaction
				return v, err
			})
		})
		db.User.Intercept(ent.InterceptFunc(func(next ent.Querier) ent.Querier {
			return ent.QuerierFunc(func(c context.Context, q ent.Query) (ent.Value, error) {
				end()
				return next.Query(c, q)
			})
		}))
		late, err := slow.AcceptInvitation(t.Context(), token, "a completely other one")
		must(t, err)
		end()
		claims, err := s.Keys.Parse(late.Token)
		must(t, err)
		_, err = s.Authenticate(t.Context(), claims)
		want(t, err, fault.Unauthenticated, "the session of an invitation that was overtaken")
	})
}

// TestAPITokenAfterLogoutEverywhere creates an API token in a request that was authenticated before all sessions and
// tokens were ended.
func TestAPITokenAfterLogoutEverywhere(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		ctx := s.As(s.Person("ada", auth.RoleUser))
		in := accounts.CreateAPITokenInput{Name: "script", Scopes: []auth.Scope{auth.ScopeRead}}
		_, _, err := s.CreateAPIToken(ctx, in)
		must(t, err)
		must(t, s.LogoutEverywhere(ctx, accounts.EndSessions{APITokens: true}))
		_, _, err = s.CreateAPIToken(ctx, in)
		want(t, err, fault.Unauthenticated, "a token of a session that has ended")
	})
}

// TestFirstAdminOfTwoServers starts a second server on an empty database just after the first one has found
// no accounts and before it creates the admin. There must be only one admin.
func TestFirstAdminOfTwoServers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		db := database.New(pool, dialect)
		slow, err := accounts.New(
			t.Context(), accounts.Config{Now: s.Clock.Now}, db, s.Audit, s.Keys,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		looks := 0
		db.User.Intercept(ent.InterceptFunc(func(next ent.Querier) ent.Querier {
			return ent.QuerierFunc(func(c context.Context, q ent.Query) (ent.Value, error) {
				v, err := next.Query(c, q)
				if looks++; looks == 1 {
					created, _, err := s.EnsureAdmin(t.Context(), "first", password)
					must(t, err)
					if !created {
						t.Error("the first server created no admin")
					}
				}
				return v, err
			})
		}))
		created, generated, err := slow.EnsureAdmin(t.Context(), "second", password)
		if err != nil || created || generated != "" || slow.SetupToken() != "" {
			t.Errorf("the second server: %v, %q, %v", created, generated, err)
		}
		if _, n, err := s.Users(t.Context(), 0, 0, ""); n != 1 {
			t.Errorf("%d accounts, %v", n, err)
		}
	})
}

// TestSetupTokenOfAnotherProcess creates the first admin in a different process than the one that printed the
// setup token.
func TestSetupTokenOfAnotherProcess(t *testing.T) {
	for registration, code := range map[bool]fault.Code{false: fault.RegistrationDisabled, true: ""} {
		databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
			s := newStage(t, pool, dialect, gallerytest.Config{Accounts: accounts.Config{Registration: registration}})
			other := s.Again()
			if _, _, err := other.EnsureAdmin(s.Context(), "root", password); err != nil {
				t.Fatal(err)
			}
			session, err := s.Register(s.Context(), accounts.RegisterInput{
				DisplayName: "M",
				Username:    "mallory",
				Password:    password,
				SetupToken:  s.SetupToken(),
			})
			want(t, err, code, "the setup token after the first admin")
			if err == nil && session.User.Role != auth.RoleUser {
				t.Errorf("the setup token made a second %s", session.User.Role)
			}
		})
	}
}

// TestParallelLogins makes more concurrent logins with one name from one address than may fail, all with the
// correct password.
func TestParallelLogins(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		s.Person("ada", auth.RoleUser)
		var wg sync.WaitGroup
		for range 15 {
			wg.Go(func() {
				_, err := s.Login(t.Context(), "ada", password, "192.0.2.1")
				want(t, err, "", "one of 15 logins at once")
			})
		}
		wg.Wait()
	})
}

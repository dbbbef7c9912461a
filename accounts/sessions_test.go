package accounts_test

import (
	"context"
	"database/sql"
	"log/slog"
	"testing"
	"time"

	"entgo.io/ent"
	"github.com/golang-jwt/jwt/v5"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// refreshed returns a new token of a session.
func (s *stage) refreshed(session *accounts.Session) *accounts.Session {
	s.Helper()
	next, err := s.Refresh(s.Context(), session.Token)
	must(s.T, err)
	return next
}

// withoutSession signs the token of a session again as versions did that knew no claim sid.
func (s *stage) withoutSession(session *accounts.Session) *accounts.Session {
	s.Helper()
	claims, err := s.Keys.Parse(session.Token)
	must(s.T, err)
	first, _, err := jwt.NewParser().ParseUnverified(session.Token, &auth.Claims{})
	must(s.T, err)
	key, err := s.Keys.KeyFunc()(first)
	must(s.T, err)
	claims.Session = ""
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	token.Header["kid"] = first.Header["kid"]
	old := *session
	old.Token, err = token.SignedString(key)
	must(s.T, err)
	return &old
}

// TestLogoutEndsTheSession logs out with each token of a session that was refreshed twice: all are refused, also by
// another server and when they are refreshed, and other sessions go on.
func TestLogoutEndsTheSession(t *testing.T) {
	begin := map[string]func(*stage) *accounts.Session{
		"user": func(s *stage) *accounts.Session {
			session, err := s.Login(s.Context(), "ann", password, "home")
			must(s.T, err)
			return session
		},
		"guest": func(s *stage) *accounts.Session {
			session, err := s.GuestSession(s.Context())
			must(s.T, err)
			return session
		},
		"token without sid": func(s *stage) *accounts.Session {
			session, err := s.Login(s.Context(), "ann", password, "home")
			must(s.T, err)
			return s.withoutSession(session)
		},
	}
	for name, login := range begin {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
				s := newStage(t, pool, dialect, gallerytest.Config{Accounts: accounts.Config{Guest: true}})
				other := s.Person("ann", auth.RoleUser)
				server := s.Again()
				for last := range 3 {
					first := login(s)
					second := s.refreshed(first)
					all := []*accounts.Session{first, second, s.refreshed(second)}
					for i, session := range all {
						if !s.Admits(session) {
							t.Fatalf("token %d is refused before the logout", i)
						}
					}
					must(t, s.Logout(s.As(all[last])))
					for i, session := range all {
						if s.Admits(session) {
							t.Errorf("token %d is accepted after a logout with token %d", i, last)
						}
						_, err := server.Refresh(s.Context(), session.Token)
						want(t, err, fault.Unauthenticated, "refreshing a token of an ended session at another server")
					}
				}
				if !s.Admits(other) {
					t.Error("a logout ends another session")
				}
			})
		})
	}
}

// TestRefreshDuringLogout logs out right after a refresh has checked its token, and issues the new token a while later:
// it is refused for its whole lifetime.
func TestRefreshDuringLogout(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		ada, bob := s.Person("ada", auth.RoleUser), s.Person("bob", auth.RoleUser)
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
					must(t, s.Logout(ctx))
					s.Clock.Time = s.Clock.Time.Add(20 * time.Second)
				}
				return v, err
			})
		}))
		late, err := slow.Refresh(t.Context(), ada.Token)
		must(t, err)
		if checks == 0 {
			t.Fatal("the refresh did not read the account")
		}
		bob = s.refreshed(bob)
		s.Clock.Time = s.Clock.Time.Add(time.Hour - time.Second) // a lifetime
		must(t, s.Logout(s.As(bob)))                             // forgets sessions whose tokens have expired
		if s.Admits(late) {
			t.Error("the token of a refresh beside the logout is accepted")
		}
	})
}

// TestRegisterHoldsNoLock stops a registration while it stores the account: the setup token can be read meanwhile, and
// another registration gives up when its client leaves.
func TestRegisterHoldsNoLock(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		db := database.New(pool, dialect)
		a, err := accounts.New(
			t.Context(), accounts.Config{Now: s.Clock.Now, Registration: true}, db, s.Audit, s.Keys,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		storing, goOn := make(chan struct{}), make(chan struct{})
		db.User.Use(func(next ent.Mutator) ent.Mutator {
			return ent.MutateFunc(func(ctx context.Context, m ent.Mutation) (ent.Value, error) {
				close(storing)
				<-goOn
				return next.Mutate(ctx, m)
			})
		})
		in := accounts.RegisterInput{
			DisplayName: "Ann",
			Username:    "ann",
			Password:    password,
			SetupToken:  a.SetupToken(),
		}
		first := make(chan error, 1)
		go func() {
			_, err := a.Register(t.Context(), in)
			first <- err
		}()
		<-storing
		ctx, leave := context.WithCancel(t.Context())
		second := make(chan error, 1)
		go func() {
			if a.SetupToken() == "" {
				t.Error("the setup token is used up before there is an account")
			}
			leave()
			_, err := a.Register(ctx, in)
			second <- err
		}()
		select {
		case err := <-second:
			want(t, err, fault.Canceled, "a registration whose client has left")
		case <-time.After(30 * time.Second):
			t.Error("a registration waits for another one although its client has left")
		}
		close(goOn)
		must(t, <-first)
		if a.SetupToken() != "" {
			t.Error("the setup token is not used up")
		}
	})
}

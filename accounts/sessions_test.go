package accounts_test

import (
	"context"
	"database/sql"
	"log/slog"
	"strings"
	"testing"
	"time"

	entgo "entgo.io/ent"
	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/session"
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

// TestLogoutEndsTheSession logs out with each token of a session that was refreshed twice. All its tokens
// must be rejected, also by another server and for a refresh. Other sessions must stay valid.
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

// sessions returns the sessions of an account as its owner sees them.
func (s *stage) sessions(session *accounts.Session) []*ent.Session {
	s.Helper()
	p, err := s.Sessions(s.As(session), session.User.ID, 100, "")
	must(s.T, err)
	return p.Items
}

// idOf returns the id of a session.
func (s *stage) idOf(session *accounts.Session) uuid.UUID {
	s.Helper()
	claims, err := s.Keys.Parse(session.Token)
	must(s.T, err)
	return uuid.MustParse(claims.Session)
}

// TestSessionsAreListed logs in from two places. Each session must be listed with its client until it ends.
func TestSessionsAreListed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		first := s.Person("ann", auth.RoleUser)
		s.Person("bob", auth.RoleUser)
		s.Clock.Time = s.Clock.Time.Add(time.Second)
		agent := strings.Repeat("a", 255) + "\u00fc"
		ctx := auth.WithUserAgent(auth.WithAddress(s.Context(), "192.0.2.1"), agent)
		second, err := s.Login(ctx, "ann", password, "192.0.2.1")
		must(t, err)
		list := s.sessions(first)
		if len(list) != 2 || list[0].ID != s.idOf(second) || list[1].ID != s.idOf(first) {
			t.Fatalf("the sessions are %v", list)
		}
		if got := list[0]; got.Address != "192.0.2.1" || got.UserAgent != agent[:255] ||
			!got.LastUsedAt.Equal(s.Clock.Time) || !got.ExpiresAt.Equal(s.Clock.Time.Add(time.Hour)) {
			t.Errorf("the session is %v", got)
		}

		claims, err := s.Keys.Parse(second.Token)
		must(t, err)
		for _, use := range []struct {
			after   time.Duration
			address string
			want    string
		}{{59 * time.Second, "192.0.2.2", "192.0.2.1"}, {time.Second, "192.0.2.3", "192.0.2.3"}} {
			s.Clock.Time = s.Clock.Time.Add(use.after)
			_, err = s.Authenticate(auth.WithAddress(s.Context(), use.address), claims)
			must(t, err)
			if got := s.sessions(first)[0].Address; got != use.want {
				t.Errorf("a use from %s is stored as %s, expected %s", use.address, got, use.want)
			}
		}

		s.Clock.Time = s.Clock.Time.Add(time.Hour - 2*time.Minute)
		second = s.refreshed(second)
		s.Clock.Time = s.Clock.Time.Add(time.Minute) // more than an hour after the first login
		if list := s.sessions(second); len(list) != 1 || list[0].ID != s.idOf(second) {
			t.Errorf("after the first session expired there are %v", list)
		}
	})
}

// TestEndSession ends a session on one server. The other server must then reject it.
func TestEndSession(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{Accounts: accounts.Config{Guest: true}})
		root, bob, ann := s.Person("root", auth.RoleAdmin), s.Person("bob", auth.RoleUser),
			s.Person("ann", auth.RoleUser)
		other, err := s.Login(s.Context(), "ann", password, "home")
		must(t, err)
		server := s.Again()
		want(t, s.EndSession(s.As(bob), s.idOf(ann)), fault.NotFound, "ending another's session")
		_, err = s.OneSession(s.As(bob), s.idOf(ann))
		want(t, err, fault.NotFound, "reading another's session")
		_, err = s.Sessions(s.As(bob), ann.User.ID, 1, "")
		want(t, err, fault.Forbidden, "listing another's sessions")
		guest, err := s.GuestSession(s.Context())
		must(t, err)
		want(t, s.EndSession(s.As(guest), s.idOf(ann)), fault.Forbidden, "a guest ending a session")
		if !s.Admits(ann) || !s.Admits(other) {
			t.Fatal("a refused change has ended a session")
		}

		must(t, server.EndSession(s.As(ann), s.idOf(other)))
		if s.Admits(other) || !s.Admits(ann) {
			t.Error("the session is still valid on the other server, or another session has ended")
		}
		want(t, s.EndSession(s.As(ann), s.idOf(other)), fault.NotFound, "ending a session again")
		must(t, server.EndSession(s.As(root), s.idOf(ann)))
		if s.Admits(ann) {
			t.Error("the session that an admin has ended is still valid")
		}
		if events := s.Events(audit.Filter{Action: string(audit.ActionSessionEnd)}); len(events) != 2 {
			t.Errorf("%d events, expected 2", len(events))
		}
	})
}

// TestEndOtherSessions checks that the session that ends all others stays valid, with the tokens that it has
// issued.
func TestEndOtherSessions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		ann, bob := s.Person("ann", auth.RoleAdmin), s.Person("bob", auth.RoleUser)
		other, err := s.Login(s.Context(), "ann", password, "home")
		must(t, err)
		invitation, _, err := s.Invite(s.As(other), bob.User.ID)
		must(t, err)
		must(t, s.LogoutEverywhere(s.As(ann), accounts.EndSessions{KeepCurrent: true}))
		if s.Admits(other) || !s.Admits(ann) || !s.Admits(s.refreshed(ann)) || !s.Admits(bob) {
			t.Error("expected that only the other session of the account ends")
		}
		_, err = s.AcceptInvitation(s.Context(), invitation, "a completely other one")
		want(t, err, fault.Forbidden, "an invitation that an ended session made")

		asAnn := s.As(ann)
		must(t, s.LogoutEverywhere(s.As(ann), accounts.EndSessions{}))
		want(t, s.LogoutEverywhere(asAnn, accounts.EndSessions{KeepCurrent: true}), fault.Unauthenticated,
			"keeping a session that has ended")
	})
}

// TestSessionsAreBounded logs in more often than an account may have sessions. The least recently used
// sessions must end.
func TestSessionsAreBounded(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		bob, ann := s.Person("bob", auth.RoleUser), s.Person("ann", auth.RoleUser)
		second, err := s.Login(s.Context(), "ann", password, "home")
		must(t, err)
		for range 49 {
			s.Clock.Time = s.Clock.Time.Add(time.Minute / 2)
			ann = s.refreshed(ann)
			_, err = s.Login(s.Context(), "ann", password, "home")
			must(t, err)
		}
		if list := s.sessions(ann); len(list) != 50 {
			t.Errorf("the account has %d sessions, expected 50", len(list))
		}
		if s.Admits(second) || !s.Admits(bob) {
			t.Error("expected that only the session ends that was not used for longest")
		}
	})
}

// TestRefreshDuringLogout logs out just after a refresh has checked its token. If the refresh still issues a
// token, it must be rejected during its whole lifetime.
func TestRefreshDuringLogout(t *testing.T) {
	for _, role := range []auth.Role{auth.RoleUser, auth.RoleGuest} {
		t.Run(string(role), func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
				config := accounts.Config{Guest: true}
				s := newStage(t, pool, dialect, gallerytest.Config{Accounts: config})
				s.refreshDuringLogout(role, pool, dialect)
			})
		})
	}
}

func (s *stage) refreshDuringLogout(role auth.Role, pool *sql.DB, dialect string) {
	begin := func(name string) *accounts.Session {
		if role == auth.RoleUser {
			return s.Person(name, role)
		}
		guest, err := s.GuestSession(s.Context())
		must(s.T, err)
		return guest
	}
	ada, bob := begin("ada"), begin("bob")
	db := database.New(pool, dialect)
	slow, err := accounts.New(
		s.Context(), accounts.Config{Now: s.Clock.Now, Guest: true}, db, s.Audit, s.Keys,
		slog.New(slog.DiscardHandler),
	)
	must(s.T, err)
	ctx, checks := s.As(ada), 0
	logout := entgo.InterceptFunc(func(next entgo.Querier) entgo.Querier {
		return entgo.QuerierFunc(func(c context.Context, q entgo.Query) (entgo.Value, error) {
			v, err := next.Query(c, q)
			if checks++; checks == 1 {
				must(s.T, s.Logout(ctx))
				s.Clock.Time = s.Clock.Time.Add(20 * time.Second)
			}
			return v, err
		})
	})
	db.Session.Intercept(logout)
	db.RevokedToken.Intercept(logout)
	late, err := slow.Refresh(s.Context(), ada.Token)
	if checks == 0 {
		s.Fatal("the refresh did not read the session")
	}
	if err != nil {
		want(s.T, err, fault.Unauthenticated, "a refresh that was overtaken")
		return
	}
	bob = s.refreshed(bob)
	s.Clock.Time = s.Clock.Time.Add(time.Hour - time.Second) // a lifetime
	must(s.T, s.Logout(s.As(bob)))                           // removes sessions whose tokens have expired
	if s.Admits(late) {
		s.Error("the token of a refresh beside the logout is accepted")
	}
}

// TestRegisterHoldsNoLock pauses a registration while it stores the account. Meanwhile, the setup token can
// be read, and another registration stops when its client disconnects.
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
		db.User.Use(func(next entgo.Mutator) entgo.Mutator {
			return entgo.MutateFunc(func(ctx context.Context, m entgo.Mutation) (entgo.Value, error) {
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
		case <-time.After(time.Minute):
			t.Error("a registration waits for another one although its client has disconnected")
		}
		close(goOn)
		must(t, <-first)
		if a.SetupToken() != "" {
			t.Error("the setup token is not used up")
		}
	})
}

// TestKeepsNoSessionThatHasEnded checks that a session that ended after its request was authenticated is not
// kept.
func TestKeepsNoSessionThatHasEnded(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		root, ada := s.Person("root", auth.RoleAdmin), s.Person("ada", auth.RoleUser)
		ctx := s.As(ada)
		must(
			t, s.ChangePassword(s.As(root), accounts.NewPassword{
				UserID: &ada.User.ID, Password: "a completely other one"}))
		err := s.LogoutEverywhere(ctx, accounts.EndSessions{KeepCurrent: true})
		want(t, err, fault.Unauthenticated, "keeping a session that has ended")
		if s.Admits(ada) {
			t.Error("the session has begun anew")
		}
	})
}

// TestEndedSessionsLeaveNoRows checks that sessions that end together do not count against the limit of later
// ones.
func TestEndedSessionsLeaveNoRows(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		root := s.Person("root", auth.RoleAdmin)
		db := database.New(pool, dialect)
		for name, end := range map[string]func(id uuid.UUID) error{
			"password": func(id uuid.UUID) error {
				return s.ChangePassword(s.As(root),
					accounts.NewPassword{UserID: &id, Password: "a completely other one"})
			},
			"role": func(id uuid.UUID) error {
				_, err := s.UpdateProfile(s.As(root), &id, accounts.UpdateProfileInput{Role: ptr(auth.RoleAdmin)})
				return err
			},
			"deactivation": func(id uuid.UUID) error { return s.DeactivateAccount(s.As(root), &id) },
		} {
			who := s.Person(name, auth.RoleUser)
			must(t, end(who.User.ID))
			n, err := db.Session.Query().Where(session.UserID(who.User.ID)).Count(t.Context())
			if err != nil || n != 0 {
				t.Errorf("%s leaves %d sessions, %v", name, n, err)
			}
		}
		ann := s.Person("ann", auth.RoleUser)
		token, _, err := s.Invite(s.As(root), ann.User.ID)
		must(t, err)
		_, err = s.AcceptInvitation(t.Context(), token, "a completely other one")
		must(t, err)
		n, err := db.Session.Query().Where(session.UserID(ann.User.ID)).Count(t.Context())
		if err != nil || n != 1 {
			t.Errorf("an invitation leaves %d sessions, %v, expected the one that it began", n, err)
		}
	})
}

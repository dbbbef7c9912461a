package accounts_test

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

func TestAccounts(t *testing.T) {
	for name, test := range map[string]func(*stage){
		"first admin": firstAdmin, "login": login, "refresh": refresh, "logout": logout, "guest": guests,
		"names":   usernames,
		"profile": profile, "password": passwords, "invitations": invitations, "last admin": lastAdmin,
		"deactivate": deactivate, "list": list, "ready": ready,
	} {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, dialect string) {
				test(
					newStage(
						t, db, dialect,
						gallerytest.Config{Accounts: accounts.Config{Guest: true, Registration: name == "first admin"}},
					),
				)
			})
		})
	}
}

func firstAdmin(s *stage) {
	token := s.SetupToken()
	in := accounts.RegisterInput{DisplayName: "Ann", Username: "ann", Password: password}
	_, err := s.Register(s.Context(), in)
	want(s.T, err, fault.Forbidden, "registering without the setup token")
	in.SetupToken = token + "x"
	_, err = s.Register(s.Context(), in)
	want(s.T, err, fault.Forbidden, "registering with a wrong setup token")
	in.SetupToken = token
	var wg sync.WaitGroup
	var mu sync.Mutex
	admins := 0
	for _, name := range []string{"ann", "bob", "cid"} {
		wg.Go(func() {
			in := in
			in.Username = name
			session, err := s.Register(s.Context(), in)
			must(s.T, err)
			mu.Lock()
			defer mu.Unlock()
			if session.User.Role == auth.RoleAdmin {
				admins++
			}
		})
	}
	wg.Wait()
	if admins != 1 || s.SetupToken() != "" || s.Again().SetupToken() != "" {
		s.Errorf("%d admins, setup token %q", admins, s.SetupToken())
	}
	created, _, err := s.EnsureAdmin(s.Context(), "other", "")
	if created || err != nil {
		s.Errorf("EnsureAdmin beside accounts: %v, %v", created, err)
	}
}

func login(s *stage) {
	created, generated, err := s.EnsureAdmin(s.Context(), "Änne", "")
	if !created || len(generated) < 16 || err != nil {
		s.Fatalf("EnsureAdmin = %v, %q, %v", created, generated, err)
	}
	for _, name := range []string{"Änne", "änne", " ÄNNE", "a\u0308nne"} {
		session, err := s.Login(s.Context(), name, generated, "home")
		if err != nil || session.User.Role != auth.RoleAdmin || session.ExpiresIn != 3600 ||
			session.User.Username != "Änne" {
			s.Errorf("Login(%q) = %+v, %v", name, session, err)
		}
	}
	closed := s.Person("closed", auth.RoleUser)
	must(s.T, s.DeactivateAccount(s.As(closed), nil))
	var messages []string
	for name, p := range map[string]string{"nobody": password, "Änne": "wrong", "closed": password, "": ""} {
		_, err := s.Login(s.Context(), name, p, "away")
		want(s.T, err, fault.LoginFailed, "Login of "+name)
		messages = append(messages, err.Error())
	}
	for _, m := range messages {
		if m != messages[0] {
			s.Errorf("%q and %q tell accounts apart", m, messages[0])
		}
	}
	limit(s, generated)
}

func limit(s *stage, right string) {
	for range 10 {
		_, err := s.Login(s.Context(), "victim", "wrong", "attacker")
		want(s.T, err, fault.LoginFailed, "an attempt")
	}
	_, err := s.Login(s.Context(), "VICTIM", "wrong", "attacker")
	want(s.T, err, fault.RateLimited, "the eleventh attempt")
	if fault.Of(err).RetryAfter <= 0 {
		s.Error("the limit does not say when it ends")
	}
	if _, err := s.Login(s.Context(), "victim", "wrong", "someone"); fault.CodeOf(err) != fault.LoginFailed {
		s.Errorf("the same name from another place: %v", err)
	}
	for i := range 90 {
		_, _ = s.Login(s.Context(), fmt.Sprint("name", i), "wrong", "attacker")
	}
	_, err = s.Login(s.Context(), "name 91", "wrong", "attacker")
	want(s.T, err, fault.RateLimited, "spraying one password over many names")
	s.Clock.Time = s.Clock.Time.Add(30 * time.Second)
	_, err = s.Login(s.Context(), "Änne", right, "elsewhere")
	if err != nil {
		s.Errorf("another place: %v", err)
	}
	s.Clock.Time = s.Clock.Time.Add(time.Minute)
	_, err = s.Login(s.Context(), "victim", "wrong", "attacker")
	want(s.T, err, fault.LoginFailed, "an attempt after a minute")
}

func refresh(s *stage) {
	session := s.Person("ann", auth.RoleUser)
	next, err := s.Refresh(s.Context(), session.Token)
	if err != nil || next.Token == session.Token || next.User.ID != session.User.ID || !s.Admits(session) ||
		!s.Admits(next) {
		s.Errorf("Refresh = %+v, %v", next, err)
	}
	for _, bad := range []string{"", "x", session.Token + "x"} {
		_, err := s.Refresh(s.Context(), bad)
		want(s.T, err, fault.Unauthenticated, "Refresh of a bad token")
	}
	s.Clock.Time = s.Clock.Time.Add(time.Hour)
	_, err = s.Refresh(s.Context(), session.Token)
	want(s.T, err, fault.Unauthenticated, "Refresh of an expired token")
}

func logout(s *stage) {
	one := s.Person("ann", auth.RoleUser)
	two, err := s.Login(s.Context(), "ann", password, "home")
	must(s.T, err)
	ctx := s.As(one)
	must(s.T, s.Logout(ctx))
	must(s.T, s.Logout(ctx))
	if s.Admits(one) || !s.Admits(two) {
		s.Error("a logout ends the wrong tokens")
	}
	want(s.T, s.Logout(s.Context()), fault.Unauthenticated, "Logout of nobody")
	_, err = s.Refresh(s.Context(), one.Token)
	want(s.T, err, fault.Unauthenticated, "Refresh of a logged-out token")
}

func guests(s *stage) {
	session, err := s.GuestSession(s.Context())
	must(s.T, err)
	ctx := s.As(session)
	me, err := s.Me(ctx)
	if err != nil || string(me.Role) != "guest" || me.ID != session.User.ID {
		s.Errorf("Me = %+v, %v", me, err)
	}
	next, err := s.Refresh(s.Context(), session.Token)
	if err != nil || next.User.ID != session.User.ID {
		s.Errorf("Refresh of a guest: %+v, %v", next, err)
	}
	_, err = s.UpdateProfile(ctx, nil, accounts.UpdateProfileInput{})
	want(s.T, err, fault.Forbidden, "UpdateProfile of a guest")
	want(s.T, s.ChangePassword(ctx, accounts.NewPassword{Current: "x", Password: password}), fault.Forbidden,
		"ChangePassword of a guest")
	want(s.T, s.DeactivateAccount(ctx, nil), fault.Forbidden, "DeactivateAccount of a guest")
	must(s.T, s.Logout(ctx))
	if s.Admits(session) {
		s.Error("a guest's logout is not heeded")
	}
}

func usernames(s *stage) {
	s.Person("Ann", auth.RoleUser)
	create := func(username, display, pass string, role auth.Role) error {
		_, err := s.CreateUser(
			s.Context(),
			accounts.CreateUserInput{DisplayName: display, Username: username, Password: pass, Role: role},
		)
		return err
	}
	want(s.T, create("aNN", "x", password, auth.RoleUser), fault.UsernameExists, "the same name in other letters")
	want(s.T, create("ａｎｎ", "x", password, auth.RoleUser), fault.UsernameExists, "the same name in full width")
	for field, err := range map[string]error{
		"username": create("", "x", password, auth.RoleUser), "displayName": create("x", " ", password, auth.RoleUser),
		"password": create("x", "x", "short", auth.RoleUser), "role": create("x", "x", password, "root"),
	} {
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != field {
			s.Errorf("field %s: %v", field, err)
		}
	}
	want(s.T, create("a b", "x", password, auth.RoleUser), fault.Invalid, "a name with a space")
	want(s.T, create("x", "x", password, auth.RoleGuest), fault.Invalid, "an account of role guest")
}

func profile(s *stage) {
	admin, user := s.Person("admin", auth.RoleAdmin), s.Person("user", auth.RoleUser)
	u, err := s.UpdateProfile(s.As(user), nil, accounts.UpdateProfileInput{DisplayName: ptr("New Name")})
	if err != nil || u.DisplayName != "New Name" || u.Username != "user" || !s.Admits(user) {
		s.Errorf("UpdateProfile = %+v, %v", u, err)
	}
	_, err = s.UpdateProfile(s.As(user), nil, accounts.UpdateProfileInput{Username: ptr("ADMIN")})
	want(s.T, err, fault.UsernameExists, "taking a name")
	_, err = s.UpdateProfile(s.As(user), &admin.User.ID, accounts.UpdateProfileInput{})
	want(s.T, err, fault.Forbidden, "somebody else's profile")
	_, err = s.UpdateProfile(s.As(user), nil, accounts.UpdateProfileInput{Role: ptr(auth.RoleAdmin)})
	want(s.T, err, fault.Forbidden, "making oneself admin")
	_, err = s.UpdateProfile(s.As(admin), ptr(uuid.New()), accounts.UpdateProfileInput{})
	want(s.T, err, fault.NotFound, "nobody's profile")
	_, err = s.UpdateProfile(s.As(admin), &user.User.ID, accounts.UpdateProfileInput{Role: ptr(auth.RoleAdmin)})
	if err != nil || s.Admits(user) {
		s.Errorf("a new role must end the tokens: %v", err)
	}
}

func passwords(s *stage) {
	admin, user := s.Person("admin", auth.RoleAdmin), s.Person("user", auth.RoleUser)
	const next = "a completely other one"
	for _, c := range []struct {
		what string
		in   accounts.NewPassword
		code fault.Code
	}{
		{"a wrong current password", accounts.NewPassword{Current: "wrong", Password: next}, fault.Invalid},
		{"a short password", accounts.NewPassword{Current: password, Password: "short"}, fault.Invalid},
		{"somebody else's password", accounts.NewPassword{UserID: &admin.User.ID, Current: password, Password: next},
			fault.Forbidden},
	} {
		want(s.T, s.ChangePassword(s.As(user), c.in), c.code, c.what)
	}
	must(s.T, s.ChangePassword(s.As(user), accounts.NewPassword{Current: password, Password: next}))
	if s.Admits(user) {
		s.Error("a new password must end the tokens")
	}
	_, err := s.Login(s.Context(), "user", password, "home")
	want(s.T, err, fault.LoginFailed, "the old password")
	_, err = s.Login(s.Context(), "user", next, "home")
	must(s.T, err)
	must(s.T, s.ChangePassword(s.As(admin), accounts.NewPassword{UserID: &user.User.ID, Password: password}))
	_, err = s.Login(s.Context(), "user", password, "home")
	must(s.T, err)
}

func lastAdmin(s *stage) {
	one := s.Person("one", auth.RoleAdmin)
	ctx := s.As(one)
	_, err := s.UpdateProfile(ctx, nil, accounts.UpdateProfileInput{Role: ptr(auth.RoleUser)})
	want(s.T, err, fault.Conflict, "demoting the last admin")
	want(s.T, s.DeactivateAccount(ctx, nil), fault.Conflict, "deactivating the last admin")
	two := s.Person("two", auth.RoleAdmin)
	// Each deactivates the other concurrently. One must stay active.
	for range 5 {
		contexts := []context.Context{s.As(one), s.As(two)}
		ids := []*uuid.UUID{&two.User.ID, &one.User.ID}
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() { errs[i] = s.DeactivateAccount(contexts[i], ids[i]) })
		}
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			s.Fatalf("both deactivations end as %v, %v", errs[0], errs[1])
		}
		gone, name := &two, "two"
		if errs[1] == nil {
			gone, name = &one, "one"
		}
		must(s.T, s.ReactivateAccount(s.Context(), (*gone).User.ID))
		*gone, err = s.Login(s.Context(), name, password, "home")
		must(s.T, err)
		s.Clock.Time = s.Clock.Time.Add(time.Minute)
	}
}

func deactivate(s *stage) {
	admin, user := s.Person("admin", auth.RoleAdmin), s.Person("user", auth.RoleUser)
	want(s.T, s.DeactivateAccount(s.As(user), &admin.User.ID), fault.Forbidden, "somebody else's account")
	must(s.T, s.DeactivateAccount(s.As(admin), &user.User.ID))
	if s.Admits(user) {
		s.Error("a deactivation must end the tokens")
	}
	must(s.T, s.ReactivateAccount(s.As(admin), user.User.ID))
	if s.Admits(user) {
		s.Error("a reactivation must not bring old tokens back")
	}
	_, err := s.Login(s.Context(), "user", password, "home")
	must(s.T, err)
	want(s.T, s.ReactivateAccount(s.As(admin), uuid.New()), fault.NotFound, "nobody's account")
}

func list(s *stage) {
	for _, name := range []string{"ann", "bob", "Anton"} {
		s.Clock.Time = s.Clock.Time.Add(time.Second)
		s.Person(name, auth.RoleUser)
	}
	for _, c := range []struct {
		offset, limit int
		search, want  string
		total         int
	}{{0, 0, "", "ann bob Anton ", 3}, {1, 1, "", "bob ", 3}, {5, 0, "", "", 3}, {0, 0, "AN", "ann Anton ", 2},
		{0, 0, "%", "", 0}, {0, 0, "_", "", 0}} {
		users, total, err := s.Users(s.Context(), c.offset, c.limit, c.search)
		must(s.T, err)
		got := ""
		for _, u := range users {
			got += u.Username + " "
		}
		if got != c.want || total != c.total {
			s.Errorf("Users(%+v) = %q of %d", c, got, total)
		}
	}
	_, _, err := s.Users(s.Context(), -1, 0, "")
	want(s.T, err, fault.Invalid, "a negative offset")
}

func ready(s *stage) { must(s.T, s.Ready(s.Context())) }

// TestLookalikes checks that a new name cannot be mistaken for that of another account, and that accounts
// with existing names can still log in.
func TestLookalikes(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Person("admin", auth.RoleAdmin)
		s.Person("bob", auth.RoleUser)
		// As earlier versions allowed.
		_, err := db.Exec(
			"UPDATE users SET username = '\u0430dm1n', username_key = '\u0430dm1n' WHERE username = 'bob'",
		)
		must(t, err)
		_, err = s.Login(s.Context(), "\u0430dm1n", password, "home")
		must(t, err)
		create := func(name string) error {
			_, err := s.CreateUser(
				s.Context(),
				accounts.CreateUserInput{DisplayName: "x", Username: name, Password: password, Role: auth.RoleUser},
			)
			return err
		}
		for name, code := range map[string]fault.Code{"\u0430dmin": fault.Invalid, "adm1n": fault.UsernameExists,
			"ADMlN": fault.UsernameExists, "adrnin": fault.UsernameExists,
			"Admin": fault.UsernameExists, "admins": "", "\u0438\u0432\u0430\u043d": ""} {
			want(t, create(name), code, name)
		}
		ann := s.As(s.Person("ann", auth.RoleUser))
		_, err = s.UpdateProfile(ann, nil, accounts.UpdateProfileInput{Username: ptr("adnin")})
		must(t, err)
		_, err = s.UpdateProfile(ann, nil, accounts.UpdateProfileInput{Username: ptr("ad\u0131nin")})
		must(t, err)
		_, err = s.UpdateProfile(ann, nil, accounts.UpdateProfileInput{Username: ptr("admln")})
		want(t, err, fault.UsernameExists, "a profile's name like admin")
		_, err = s.UpdateProfile(ann, nil, accounts.UpdateProfileInput{Username: ptr("Ad\u0131nin")})
		must(t, err) // the account's own name in a different case
	})
}

// TestSpraying tries 40 names from one address with three passwords each. The limit by address must stop it,
// without affecting other addresses.
func TestSpraying(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), dialect.SQLite, gallerytest.Config{})
	s.Person("ann", auth.RoleUser)
	codes := map[fault.Code]int{}
	for range 3 {
		for i := range 40 {
			_, err := s.Login(s.Context(), fmt.Sprintf("name %d", i), "Password1234", "2001:db8:0:1::7")
			codes[fault.CodeOf(err)]++
		}
	}
	if codes[fault.LoginFailed] != 100 || codes[fault.RateLimited] != 20 {
		t.Errorf("%v, expected 100 failures and 20 refused", codes)
	}
	_, err := s.Login(s.Context(), "ann", password, "2001:db8:0:1::ffff")
	want(t, err, fault.RateLimited, "another address of the same /64")
	_, err = s.Login(s.Context(), "ann", password, "2001:db8:0:2::7")
	must(t, err)
}

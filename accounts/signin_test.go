package accounts_test

import (
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/accounts/signin"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

var flows int

// person returns a person whom a provider has signed in, each with a separate flow.
func (s *stage) person(subject string, c signin.Config) *signin.Person {
	flows++
	c.ID, c.Name = "one", "One"
	return &signin.Person{Provider: c, Issuer: "https://id.example", Subject: subject, State: fmt.Sprint(flows),
		Ends: s.Clock.Time.Add(time.Minute), Session: "session of " + subject}
}

var creates = signin.Config{CreateAccounts: true}

// eachStage runs a test on each database, with an admin named root.
func eachStage(t *testing.T, test func(s *stage, root *accounts.Session)) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		test(s, s.Person("root", auth.RoleAdmin))
	})
}

// TestFirstSignIn creates an account, which is then linked to the subject.
func TestFirstSignIn(t *testing.T) {
	eachStage(t, func(s *stage, _ *accounts.Session) {
		_, err := s.SignIn(s.Context(), s.person("1", signin.Config{}))
		want(s.T, err, fault.Forbidden, "a new subject where no account is created")

		p := s.person("1", creates)
		p.Username, p.Name = "Ada@example.com", "Ada Lovelace"
		first, err := s.SignIn(s.Context(), p)
		must(s.T, err)
		if u := first.User; u.Username != "Ada" || u.DisplayName != "Ada Lovelace" || u.Role != auth.RoleUser {
			s.Errorf("the account is %+v", u)
		}
		_, err = s.SignIn(s.Context(), p)
		want(s.T, err, fault.Unauthenticated, "the same sign-in again")
		_, err = s.Login(s.Context(), "Ada", "", "home")
		want(s.T, err, fault.LoginFailed, "a login without a password")

		again := s.person("1", signin.Config{})
		again.Username = "another"
		second, err := s.Again().SignIn(s.Context(), again)
		must(s.T, err)
		other := s.person("2", creates)
		other.Username = "ada"
		third, err := s.SignIn(s.Context(), other)
		must(s.T, err)
		elsewhere := s.person("1", creates)
		elsewhere.Issuer = "https://other.example"
		fourth, err := s.SignIn(s.Context(), elsewhere)
		must(s.T, err)
		if second.User.ID != first.User.ID || third.User.ID == first.User.ID || fourth.User.ID == first.User.ID {
			s.Error("expected an account for each subject of each issuer")
		}
		if third.User.Username != "ada-2" || fourth.User.Username != "user" {
			s.Errorf("the names are %s and %s", third.User.Username, fourth.User.Username)
		}
		if n := len(s.Events(audit.Filter{Action: string(audit.ActionUserLink)})); n != 3 {
			s.Errorf("%d events of links, expected 3", n)
		}
	})
}

// TestLinkByEmail links an account to a subject with its verified address, once per issuer.
func TestLinkByEmail(t *testing.T) {
	eachStage(t, func(s *stage, _ *accounts.Session) {
		ada := s.Person("ada@example.com", auth.RoleUser)
		p := s.person("1", creates)
		p.Email = "ada@example.com"
		off, err := s.SignIn(s.Context(), p)
		must(s.T, err)
		links := signin.Config{LinkByEmail: true}
		p = s.person("2", links)
		p.Username = "ada@example.com" // without a verified address
		_, err = s.SignIn(s.Context(), p)
		want(s.T, err, fault.Forbidden, "an address that is not verified")
		p = s.person("2", links)
		p.Email = "Ada@Example.com"
		on, err := s.SignIn(s.Context(), p)
		must(s.T, err)
		if off.User.ID == ada.User.ID || on.User.ID != ada.User.ID {
			s.Error("expected the account only for the verified address where the setting allows it")
		}
		p = s.person("3", links)
		p.Email = "ada@example.com"
		_, err = s.SignIn(s.Context(), p)
		want(s.T, err, fault.Forbidden, "another subject with the address of an account that is linked")
	})
}

// TestFilledEmail checks that accounts get the address that a provider has verified, if its addresses are
// trusted, and that handing over an account removes an address that somebody else has set.
func TestFilledEmail(t *testing.T) {
	eachStage(t, func(s *stage, root *accounts.Session) {
		sign := func(subject, address string, c signin.Config) string {
			p := s.person(subject, c)
			p.Email, p.Username = address, "somebody"
			session, err := s.SignIn(s.Context(), p)
			must(s.T, err)
			u, err := s.User(s.Context(), session.User.ID)
			must(s.T, err)
			return u.Email
		}
		trusted := signin.Config{LinkByEmail: true, CreateAccounts: true}
		if got := sign("1", "Bob@example.com", trusted); got != "Bob@example.com" {
			s.Errorf("the address of a new account is %q", got)
		}
		if got := sign("2", "cy@example.com", creates); got != "" {
			s.Errorf("a provider whose addresses are not trusted sets %q", got)
		}
		if got := sign("3", `"a b"@example.com`, trusted); got != "" {
			s.Errorf("a message would go to %q", got)
		}

		// Somebody has named their account like ada's address, and would reset its password later.
		squatter := s.Person("ada@example.com", auth.RoleUser)
		own := "squatter@example.com"
		_, err := s.UpdateProfile(s.As(root), &squatter.User.ID, accounts.UpdateProfileInput{Email: &own})
		must(s.T, err)
		if got := sign("4", "ada@example.com", trusted); got != "ada@example.com" {
			s.Errorf("the address of an account that was handed over is %q", got)
		}

		taken := s.Person("eve@example.com", auth.RoleUser)
		address := "eve@example.com"
		_, err = s.UpdateProfile(s.As(root), &root.User.ID, accounts.UpdateProfileInput{Email: &address})
		must(s.T, err)
		_, err = s.UpdateProfile(s.As(root), &taken.User.ID, accounts.UpdateProfileInput{Email: &own})
		must(s.T, err)
		if got := sign("5", "eve@example.com", trusted); got != "" {
			s.Errorf("an account that was handed over keeps %q", got)
		}
	})
}

// TestLongNames checks that names may have as many characters as the errors say, in any script.
func TestLongNames(t *testing.T) {
	eachStage(t, func(s *stage, root *accounts.Session) {
		name, login := strings.Repeat("写", 100), strings.Repeat("写", 64)
		u, err := s.UpdateProfile(s.As(root), nil, accounts.UpdateProfileInput{DisplayName: &name, Username: &login})
		must(s.T, err)
		if u.DisplayName != name || u.Username != login {
			s.Errorf("the names are %s and %s", u.DisplayName, u.Username)
		}
		name += "写"
		_, err = s.UpdateProfile(s.As(root), nil, accounts.UpdateProfileInput{DisplayName: &name})
		want(s.T, err, fault.Invalid, "a name of 101 characters")
	})
}

// TestUnlink removes the link between an account and its subject, who gets a different account at the next
// sign-in.
func TestUnlink(t *testing.T) {
	eachStage(t, func(s *stage, root *accounts.Session) {
		first, err := s.SignIn(s.Context(), s.person("1", creates))
		must(s.T, err)
		want(s.T, s.Unlink(s.As(first), first.User.ID), fault.Forbidden, "unlinking as a user")
		want(s.T, s.Unlink(s.As(root), root.User.ID), fault.Conflict, "unlinking an account without a provider")
		must(s.T, s.Unlink(s.As(root), first.User.ID))
		if s.Admits(first) {
			s.Error("a session is still valid")
		}
		second, err := s.SignIn(s.Context(), s.person("1", creates))
		must(s.T, err)
		if second.User.ID == first.User.ID {
			s.Error("the subject still has the account")
		}
		if n := len(s.Events(audit.Filter{Action: "user.unlink"})); n != 1 {
			s.Errorf("%d events", n)
		}
	})
}

// TestHandOver checks that whoever named an account after somebody else's address loses all access to it.
func TestHandOver(t *testing.T) {
	eachStage(t, func(s *stage, root *accounts.Session) {
		before := s.Person("boss@example.com", auth.RoleUser)
		_, secret, err := s.CreateAPIToken(s.As(before), accounts.CreateAPITokenInput{
			Name: "script", Scopes: []auth.Scope{auth.ScopeRead},
		})
		must(s.T, err)
		invitation, _, err := s.Invite(s.As(root), before.User.ID)
		must(s.T, err)
		p := s.person("1", signin.Config{LinkByEmail: true})
		p.Email = "boss@example.com"
		boss, err := s.SignIn(s.Context(), p)
		must(s.T, err)
		if boss.User.ID != before.User.ID || !s.Admits(boss) {
			s.Errorf("the owner of the address got %+v", boss.User)
		}
		if s.Admits(before) {
			s.Error("an earlier session is still valid")
		}
		_, err = s.Login(s.Context(), "boss@example.com", password, "home")
		want(s.T, err, fault.LoginFailed, "the password of the time before")
		_, err = s.AuthenticateAPIToken(s.Context(), secret)
		want(s.T, err, fault.Unauthenticated, "an API token of the time before")
		_, err = s.AcceptInvitation(s.Context(), invitation, "a completely other one")
		want(s.T, err, fault.Forbidden, "an invitation of the time before")

		must(
			s.T, s.ChangePassword(s.As(root), accounts.NewPassword{
				UserID: &boss.User.ID, Password: "a completely other one"}))
		_, err = s.Login(s.Context(), "boss@example.com", "a completely other one", "home")
		must(s.T, err)
	})
}

// TestHandOverUnlinks checks that handing an account over removes the subjects of providers that do not link by e-mail:
// somebody may have named the account by the address of another person. Subjects of the other providers stay.
func TestHandOverUnlinks(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		s.Person("root", auth.RoleAdmin)
		eve := func() *accounts.Session {
			p := s.person("eve", creates)
			p.Issuer = "https://anybody.example"
			session, err := s.SignIn(s.Context(), p)
			must(t, err)
			return session
		}
		before, address := eve(), "boss@example.com"
		_, err := s.UpdateProfile(s.As(before), nil, accounts.UpdateProfileInput{Username: &address})
		must(t, err)
		issuers := []string{"https://id.example", "https://second.example"}
		links := s.with(accounts.Config{LinkIssuers: issuers}, pool, dialect)
		boss := func(issuer string) uuid.UUID {
			p := s.person("boss", signin.Config{LinkByEmail: true})
			p.Issuer, p.Email = issuer, address
			session, err := links.SignIn(s.Context(), p)
			must(t, err)
			return session.User.ID
		}
		for _, issuer := range append(issuers, issuers...) {
			if id := boss(issuer); id != before.User.ID {
				t.Fatalf("%s leads into another account", issuer)
			}
		}
		var linked int
		must(t, s.Pool.QueryRow("SELECT count(*) FROM identities").Scan(&linked))
		if linked != 2 {
			t.Errorf("%d subjects are linked, expected those of both issuers", linked)
		}
		if after := eve(); after.User.ID == before.User.ID {
			t.Error("who had the account before still has it")
		}
	})
}

// TestAddressesBelongToTheirOwners checks that only admins can set a username that a provider could link to the owner
// of the address.
func TestAddressesBelongToTheirOwners(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		root, ann := s.Person("root", auth.RoleAdmin), s.Person("ann", auth.RoleUser)
		register := func(a *accounts.Accounts, name string) error {
			_, err := a.Register(s.Context(), accounts.RegisterInput{
				DisplayName: "x", Username: name, Password: password})
			return err
		}
		rename := func(a *accounts.Accounts, by *accounts.Session, name string) error {
			_, err := a.UpdateProfile(s.As(by), &ann.User.ID, accounts.UpdateProfileInput{Username: &name})
			return err
		}
		links := s.with(accounts.Config{Registration: true, LinkIssuers: []string{"https://id.example"}}, pool, dialect)
		want(t, register(links, "boss@example.com"), fault.Forbidden, "registering with an address")
		want(t, rename(links, ann, "boss@example.com"), fault.Forbidden, "renaming to an address")
		must(t, rename(links, root, "ann@example.com"))
		must(t, rename(links, ann, "Ann@example.com")) // another spelling of the same name
		off := s.with(accounts.Config{Registration: true}, pool, dialect)
		must(t, register(off, "boss@example.com"))
		must(t, rename(off, ann, "anna@example.com"))
	})
}

// TestAddressesInUnicode checks that such addresses are never linked, because usernames are normalized more
// than addresses.
func TestAddressesInUnicode(t *testing.T) {
	eachStage(t, func(s *stage, _ *accounts.Session) {
		s.Person("kim@example.com", auth.RoleUser)
		s.Person("straße@example.com", auth.RoleUser)
		for _, address := range []string{
			"\u212Aim@example.com", "\uff4bim@example.com", "strasse@example.com", "straße@example.com", "root",
		} {
			p := s.person(address, signin.Config{LinkByEmail: true})
			p.Email = address
			_, err := s.SignIn(s.Context(), p)
			want(s.T, err, fault.Forbidden, address)
		}
	})
}

// TestMappedRoles changes the role at each sign-in, which ends the sessions with the previous role.
func TestMappedRoles(t *testing.T) {
	eachStage(t, func(s *stage, root *accounts.Session) {
		sign := func(role auth.Role) (*accounts.Session, error) {
			p := s.person("1", creates)
			p.Role = role
			return s.SignIn(s.Context(), p)
		}
		user, err := sign(auth.RoleUser)
		must(s.T, err)
		admin, err := sign(auth.RoleAdmin)
		must(s.T, err)
		same, err := sign("")
		must(s.T, err)
		if s.Admits(user) || !s.Admits(admin) || !s.Admits(same) || same.User.Role != auth.RoleAdmin {
			s.Error("expected that the role changed once")
		}
		must(s.T, s.DeactivateAccount(s.As(root), nil))
		_, err = sign(auth.RoleUser)
		want(s.T, err, fault.Conflict, "the last admin losing the role")
		if !s.Admits(admin) {
			s.Error("a refused sign-in has ended a session")
		}
	})
}

// TestDeactivatedSignIn checks that a deactivated account cannot sign in.
func TestDeactivatedSignIn(t *testing.T) {
	eachStage(t, func(s *stage, root *accounts.Session) {
		ann, err := s.SignIn(s.Context(), s.person("1", creates))
		must(s.T, err)
		must(s.T, s.DeactivateAccount(s.As(root), &ann.User.ID))
		p := s.person("1", creates)
		p.Role = auth.RoleAdmin
		_, err = s.SignIn(s.Context(), p)
		want(s.T, err, fault.Forbidden, "a deactivated account")
		if u, err := s.User(s.Context(), ann.User.ID); err != nil || u.Role != "user" {
			s.Errorf("a refused sign-in left the account as %v, %v", u, err)
		}
		bob := s.Person("bob@example.com", auth.RoleUser)
		must(s.T, s.DeactivateAccount(s.As(root), &bob.User.ID))
		p = s.person("2", signin.Config{LinkByEmail: true})
		p.Email = "bob@example.com"
		_, err = s.SignIn(s.Context(), p)
		want(s.T, err, fault.Forbidden, "a deactivated account that has the address")
		if n := len(s.Events(audit.Filter{Action: string(audit.ActionUserLink)})); n != 1 {
			s.Errorf("%d events of links, expected that of the first sign-in", n)
		}
		must(s.T, s.DeleteUser(s.As(root), ann.User.ID))
		next, err := s.SignIn(s.Context(), s.person("1", creates))
		must(s.T, err)
		if next.User.ID == ann.User.ID {
			s.Error("the account was deleted")
		}
	})
}

// TestRefusedSignInsAreRecorded checks that audit events contain the provider, the subject, and the account
// if there is one.
func TestRefusedSignInsAreRecorded(t *testing.T) {
	eachStage(t, func(s *stage, _ *accounts.Session) {
		ann, err := s.SignIn(s.Context(), s.person("1", creates))
		must(s.T, err)
		denied := s.person("1", creates)
		denied.Denied = true
		_, err = s.SignIn(s.Context(), denied)
		want(s.T, err, fault.Forbidden, "claims that map to no role")
		if text := fault.Of(err).Message; text != "Your account at One has no access here" {
			s.Errorf("the person reads %q", text)
		}
		_, err = s.SignIn(s.Context(), s.person("2", signin.Config{}))
		want(s.T, err, fault.Forbidden, "somebody without an account")
		events := s.Events(audit.Filter{Action: string(audit.ActionLoginFailed)}) // newest first
		if len(events) != 2 {
			s.Fatalf("%d events, expected 2", len(events))
		}
		for i, c := range []struct{ target, subject string }{{"", "2"}, {"user:" + ann.User.ID.String(), "1"}} {
			after := fmt.Sprint(events[i].After)
			if events[i].Target != c.target || !strings.Contains(after, "subject:"+c.subject) ||
				!strings.Contains(after, "provider:one") {
				s.Errorf("event %d has target %q and %s", i, events[i].Target, after)
			}
		}
	})
}

// TestFirstAccountThroughProvider checks that the setup token becomes invalid, whichever process created the
// account.
func TestFirstAccountThroughProvider(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		other := s.Again()
		_, err := s.SignIn(s.Context(), s.person("1", creates))
		want(t, err, fault.Forbidden, "a first account that is no admin")
		admin := s.person("1", creates)
		admin.Role = auth.RoleAdmin
		_, err = s.SignIn(s.Context(), admin)
		must(t, err)
		if s.SetupToken() != "" {
			t.Error("the setup token is still there")
		}
		_, err = other.SignIn(s.Context(), s.person("2", creates))
		must(t, err)
	})
}

// TestProviderEndsSessions checks that a provider ends the sessions that it names, and no sessions that
// started elsewhere.
func TestProviderEndsSessions(t *testing.T) {
	eachStage(t, func(s *stage, root *accounts.Session) {
		for _, c := range []struct {
			ended     signin.Ended
			one, both bool // of the first subject: the named session, and one whose id the provider did not send
		}{
			{signin.Ended{Session: "session of 1"}, true, false},
			{signin.Ended{Session: "session of 1", Subject: "1"}, true, true},
			{signin.Ended{Session: "another", Subject: "1"}, false, true},
			{signin.Ended{Subject: "1"}, true, true},
			{signin.Ended{Session: "session of 1", Subject: "2"}, false, false},
			{signin.Ended{Session: "unknown"}, false, false},
			{signin.Ended{Provider: "two", Subject: "1"}, false, false},
			{signin.Ended{Subject: "1", Until: s.Clock.Time.Add(-time.Second)}, false, false},
		} {
			named, err := s.SignIn(s.Context(), s.person("1", creates))
			must(s.T, err)
			p := s.person("1", creates)
			p.Session = ""
			other, err := s.SignIn(s.Context(), p)
			must(s.T, err)
			stranger, err := s.SignIn(s.Context(), s.person("2", creates))
			must(s.T, err)
			c.ended.Issuer, c.ended.Token = "https://id.example", fmt.Sprint("logout ", flows)
			c.ended.Expires = s.Clock.Time.Add(time.Minute)
			if c.ended.Until.IsZero() {
				c.ended.Until = s.Clock.Time
			}
			if c.ended.Provider == "" {
				c.ended.Provider = "one"
			}
			must(s.T, s.Again().EndProviderSessions(s.Context(), &c.ended))
			if s.Admits(named) == c.one || s.Admits(other) == c.both || !s.Admits(stranger) || !s.Admits(root) {
				s.Errorf("%+v: the session is still valid: %v, the other session: %v", c.ended, s.Admits(named), s.Admits(other))
			}
		}
	})
}

// TestLogoutTokenOnce checks that a used logout token does not end sessions.
func TestLogoutTokenOnce(t *testing.T) {
	eachStage(t, func(s *stage, _ *accounts.Session) {
		ended := &signin.Ended{Provider: "one", Issuer: "https://id.example", Subject: "1", Token: "t",
			Expires: s.Clock.Time.Add(time.Minute), Until: s.Clock.Time.Add(time.Minute)}
		for i := range 2 {
			session, err := s.SignIn(s.Context(), s.person("1", creates))
			must(s.T, err)
			must(s.T, s.Again().EndProviderSessions(s.Context(), ended))
			if s.Admits(session) != (i == 1) {
				s.Errorf("use %d: the session is still valid: %v", i+1, s.Admits(session))
			}
		}
	})
}

// TestNoPasswords checks that nobody can log in with a password except an admin with an emergency password.
func TestNoPasswords(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, dialect string) {
		s := newStage(t, pool, dialect, gallerytest.Config{})
		root, ann := s.Person("root", auth.RoleAdmin), s.Person("ann", auth.RoleUser)
		operator, err := s.User(s.As(root), root.User.ID)
		must(s.T, err)
		user, err := s.User(s.As(root), ann.User.ID)
		must(s.T, err)
		_, err = s.EmergencyPassword(s.Context(), operator)
		want(s.T, err, fault.Conflict, "an emergency while password login is on")
		invitation, _, err := s.Invite(s.As(root), ann.User.ID)
		must(s.T, err)

		server := s.with(accounts.Config{NoPasswords: true, Registration: true}, pool, dialect)
		login := func(name, with string) error {
			_, err := server.Login(s.Context(), name, with, name)
			return err
		}
		want(s.T, login("root", password), fault.LoginFailed, "a password")
		_, err = server.AcceptInvitation(s.Context(), invitation, "a completely other one")
		want(s.T, err, fault.Forbidden, "an invitation")
		_, _, err = server.Invite(s.As(root), ann.User.ID)
		want(s.T, err, fault.Conflict, "inviting somebody")
		_, err = server.Register(s.Context(), accounts.RegisterInput{
			DisplayName: "x", Username: "x", Password: password})
		want(s.T, err, fault.RegistrationDisabled, "a registration")
		_, err = server.EmergencyPassword(s.Context(), user)
		want(s.T, err, fault.Forbidden, "an emergency of an account that is no admin")
		emergency, err := server.EmergencyPassword(s.Context(), operator)
		must(s.T, err)
		want(s.T, login("ann", emergency), fault.LoginFailed, "the emergency password of another account")
		want(s.T, login("root", emergency[:len(emergency)-1]+"x"), fault.LoginFailed, "a changed emergency password")
		must(s.T, login("root", emergency))
		logins := s.Events(audit.Filter{Action: string(audit.ActionLogin)})
		if len(logins) == 0 || !strings.Contains(fmt.Sprint(logins[0].After), "emergency") {
			t.Errorf("the login is recorded as %v", logins)
		}
		want(t, login("root", emergency), fault.LoginFailed, "an emergency password that was used")
		s.Clock.Time = s.Clock.Time.Add(time.Second)
		emergency, err = server.EmergencyPassword(s.Context(), operator)
		must(t, err)
		_, err = s.Login(s.Context(), "root", emergency, "home")
		want(s.T, err, fault.LoginFailed, "an emergency password while password login is on")
		s.Clock.Time = s.Clock.Time.Add(15 * time.Minute)
		want(s.T, login("root", emergency), fault.LoginFailed, "an emergency password after 15 minutes")
		_, err = server.SignIn(s.Context(), s.person("1", creates))
		must(s.T, err)
	})
}

// with returns another server on the same database with a different configuration.
func (s *stage) with(c accounts.Config, pool *sql.DB, dialect string) *accounts.Accounts {
	s.Helper()
	c.Now = s.Clock.Now
	a, err := accounts.New(s.Context(), c, database.New(pool, dialect), s.Audit, s.Keys, slog.New(slog.DiscardHandler))
	must(s.T, err)
	return a
}

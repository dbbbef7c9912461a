package accounts_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/accounts/signin"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// codeAt returns the code of an authenticator app. It does not use the server's implementation.
func codeAt(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	must(t, err)
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, at.Unix()/30)
	sum := mac.Sum(nil)
	number := binary.BigEndian.Uint32(sum[sum[19]&15:]) & (1<<31 - 1)
	return fmt.Sprintf("%06d", number%1e6)
}

func eachFactor(t *testing.T, c accounts.Config, test func(*stage)) {
	t.Helper()
	c.PublicURL = testOrigin
	gallerytest.Each(t, gallerytest.Config{Accounts: c}, func(s *gallerytest.Stage) { test(&stage{s}) })
}

// addApp sets up an authenticator app and returns its secret and the recovery codes.
func (s *stage) addApp(session *accounts.Session) (secret string, codes []string) {
	s.Helper()
	offer, err := s.OfferFactor(s.As(session), testHost, "", accounts.FactorApp)
	must(s.T, err)
	added, err := s.AddFactor(s.As(session), "", accounts.NewFactor{
		Challenge: offer.Challenge, Code: codeAt(s.T, offer.Secret, s.Clock.Now()),
	})
	must(s.T, err)
	s.wait(30 * time.Second) // the code of this step was used
	return offer.Secret, added.RecoveryCodes
}

// addPasskey creates a passkey for a session.
func (s *stage) addPasskey(session *accounts.Session) *authenticator {
	s.Helper()
	device := newAuthenticator(s.T)
	offer, err := s.OfferFactor(s.As(session), testHost, "", accounts.FactorPasskey)
	must(s.T, err)
	_, err = s.AddFactor(s.As(session), "", accounts.NewFactor{
		Challenge: offer.Challenge, Credential: device.register(offer.PasskeyChallenge), Name: "Key",
	})
	must(s.T, err)
	return device
}

// pending logs in with a password and returns the login that needs a second factor.
func (s *stage) pending(name string) *accounts.PendingLogin {
	s.Helper()
	session, err := s.Login(s.Context(), name, password, "home")
	must(s.T, err)
	if session.Pending == nil || session.Token != "" {
		s.Fatalf("the login of %s needs no second factor: %+v", name, session)
	}
	return session.Pending
}

// wait advances the clock.
func (s *stage) wait(d time.Duration) { s.Clock.Time = s.Clock.Time.Add(d) }

// TestAppAtLogin logs in with an app. The password alone must not start a session, each code must be accepted
// only once on all servers, and the pending login must be used up.
func TestAppAtLogin(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		secret, codes := s.addApp(s.Person("ann", auth.RoleUser))
		if len(codes) != 10 {
			s.Errorf("there are %d recovery codes", len(codes))
		}
		p := s.pending("ann")
		if fmt.Sprint(p.Factors) != "[app]" {
			s.Errorf("the login may be completed with %v", p.Factors)
		}
		code := codeAt(s.T, secret, s.Clock.Now())
		session, err := s.SecondStep(s.Context(), p.Token, accounts.Proof{Code: code[:3] + " " + code[3:]})
		must(s.T, err)
		if !s.Admits(session) {
			s.Error("the session is not accepted")
		}
		server := s.Again()
		_, err = server.SecondStep(s.Context(), s.pending("ann").Token, accounts.Proof{Code: code})
		want(s.T, err, fault.LoginFailed, "using a code again, at another server")
		s.wait(30 * time.Second)
		next := accounts.Proof{Code: codeAt(s.T, secret, s.Clock.Now())}
		_, err = server.SecondStep(s.Context(), p.Token, next)
		want(s.T, err, fault.Unauthenticated, "completing a login again")
		if n := len(s.Events(audit.Filter{Action: "factor.failure"})); n != 1 {
			s.Errorf("%d wrong codes are recorded", n)
		}
	})
}

// TestPasswordAloneIsRecorded logs in without completing the second step. The owner must see this, once per
// minute.
func TestPasswordAloneIsRecorded(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		session := s.Person("ann", auth.RoleUser)
		s.addApp(session)
		s.Clock.Time = s.Clock.Time.Truncate(time.Minute).Add(time.Minute)
		for range 3 {
			s.pending("ann")
		}
		s.wait(time.Minute)
		s.pending("ann")
		page, err := s.SecurityEvents(s.As(session), session.User.ID, 10, "")
		must(s.T, err)
		n := 0
		for _, e := range page.Items {
			if e.Action == "login.pending" {
				n++
			}
		}
		if n != 2 {
			s.Errorf("%d events for logins in two minutes", n)
		}
	})
}

// TestClockSkew checks that the codes of one step before and after are accepted, and none further away.
func TestClockSkew(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		secret, _ := s.addApp(s.Person("ann", auth.RoleUser))
		for _, c := range []struct {
			skew time.Duration
			code fault.Code
		}{{-time.Minute, fault.LoginFailed}, {time.Minute, fault.LoginFailed}, {-30 * time.Second, ""},
			{30 * time.Second, ""}} {
			s.wait(5 * time.Minute)
			proof := accounts.Proof{Code: codeAt(s.T, secret, s.Clock.Now().Add(c.skew))}
			_, err := s.SecondStep(s.Context(), s.pending("ann").Token, proof)
			want(s.T, err, c.code, "a code from a clock that differs by "+c.skew.String())
		}
	})
}

// TestOneCodeAtOnce completes ten logins with the same code concurrently on two servers. Only one session
// must start.
func TestOneCodeAtOnce(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		secret, codes := s.addApp(s.Person("ann", auth.RoleUser))
		servers := []*gallerytest.Rules{s.Rules, s.Again()}
		for _, code := range []string{codeAt(s.T, secret, s.Clock.Now()), codes[0]} {
			var group sync.WaitGroup
			var mu sync.Mutex
			began := 0
			for i := range 10 {
				p := s.pending("ann")
				group.Go(func() {
					session, err := servers[i%2].SecondStep(s.Context(), p.Token, accounts.Proof{Code: code})
					mu.Lock()
					defer mu.Unlock()
					if err == nil && session.Token != "" {
						began++
					}
				})
			}
			group.Wait()
			if began != 1 {
				s.Errorf("one code began %d sessions", began)
			}
			s.wait(2 * time.Hour) // resets the limit of wrong codes
		}
	})
}

// TestGuessing tries wrong codes from many addresses and on two servers. After five, the account must wait
// longer each time, even with the correct code, while a recovery code still works.
func TestGuessing(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		secret, codes := s.addApp(s.Person("ann", auth.RoleUser))
		servers := []*gallerytest.Rules{s.Rules, s.Again()}
		tried := 0
		begin := s.Clock.Now()
		for i := range 400 {
			ctx := auth.WithAddress(s.Context(), fmt.Sprintf("10.0.%d.%d", i/250, i%250))
			_, err := servers[i%2].SecondStep(ctx, s.pending("ann").Token, accounts.Proof{Code: "000000"})
			if f := fault.Of(err); f.Code == fault.RateLimited {
				if f.RetryAfter <= 0 || f.RetryAfter > time.Hour {
					s.Fatalf("the account waits for %s", f.RetryAfter)
				}
				right := accounts.Proof{Code: codeAt(s.T, secret, s.Clock.Now())}
				_, err := s.SecondStep(s.Context(), s.pending("ann").Token, right)
				want(s.T, err, fault.RateLimited, "the right code meanwhile")
				s.wait(f.RetryAfter)
				continue
			}
			want(s.T, err, fault.LoginFailed, "a wrong code")
			tried++
			if s.Clock.Now().Sub(begin) > 24*time.Hour {
				break
			}
		}
		if tried > 40 {
			s.Errorf("%d codes were tried in a day", tried)
		}
		_, err := s.SecondStep(s.Context(), s.pending("ann").Token, accounts.Proof{Code: codes[0]})
		must(s.T, err)
	})
}

// TestLockoutEnds locks an app by wrong codes. A recovery code, a passkey and a new password must each unlock
// it.
func TestLockoutEnds(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		session := s.Person("ann", auth.RoleUser)
		secret, codes := s.addApp(session)
		device := s.addPasskey(session)
		for what, end := range map[string]func() error{
			"a recovery code": func() error {
				_, err := s.SecondStep(s.Context(), s.pending("ann").Token, accounts.Proof{Code: codes[0]})
				return err
			},
			"a passkey": func() error {
				c, err := s.PasskeyOptions(s.Context(), testHost, "")
				must(s.T, err)
				_, err = s.PasskeyLogin(s.Context(),
					accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)})
				return err
			},
			"a new password": func() error {
				admin := s.Person("root", auth.RoleAdmin)
				return s.ChangePassword(s.As(admin), accounts.NewPassword{UserID: &session.User.ID, Password: password})
			},
		} {
			s.wait(2 * time.Hour)
			for locked := time.Duration(0); locked < 10*time.Minute; {
				s.wait(locked)
				_, err := s.SecondStep(s.Context(), s.pending("ann").Token, accounts.Proof{Code: "000000"})
				locked = fault.Of(err).RetryAfter
			}
			want(s.T, s.useApp(s.Rules, "ann", secret), fault.RateLimited, "a code after wrong ones")
			must(s.T, end())
			want(s.T, s.useApp(s.Rules, "ann", secret), "", "a code after "+what)
		}
	})
}

// TestRecoveryCodes checks that each code works once, in any spelling, and that new codes replace the old
// ones.
func TestRecoveryCodes(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		session := s.Person("ann", auth.RoleUser)
		_, codes := s.addApp(session)
		used := accounts.Proof{Code: " " + strings.ToUpper(strings.ReplaceAll(codes[3], "-", "")) + " "}
		_, err := s.SecondStep(s.Context(), s.pending("ann").Token, used)
		must(s.T, err)
		_, err = s.SecondStep(s.Context(), s.pending("ann").Token, accounts.Proof{Code: codes[3]})
		want(s.T, err, fault.LoginFailed, "using a recovery code again")
		factors, err := s.Factors(s.As(session), session.User.ID)
		must(s.T, err)
		if factors.RecoveryCodesLeft != 9 {
			s.Errorf("%d codes are left", factors.RecoveryCodesLeft)
		}
		fresh, err := s.NewRecoveryCodes(s.As(session))
		must(s.T, err)
		_, err = s.SecondStep(s.Context(), s.pending("ann").Token, accounts.Proof{Code: codes[4]})
		want(s.T, err, fault.LoginFailed, "using an old code after new ones")
		_, err = s.SecondStep(s.Context(), s.pending("ann").Token, accounts.Proof{Code: fresh[9]})
		must(s.T, err)

		s.Person("ben", auth.RoleUser)
		other := s.secondSession("ben")
		s.addApp(other)
		_, err = s.SecondStep(s.Context(), s.pending("ben").Token, accounts.Proof{Code: fresh[0]})
		want(s.T, err, fault.LoginFailed, "using the code of another account")
		var stored string
		must(s.T, s.Pool.QueryRow("SELECT recovery_codes FROM users WHERE username = 'ann'").Scan(&stored))
		if strings.Contains(stored, strings.ReplaceAll(fresh[0], "-", "")) {
			s.Error("codes are stored as they are")
		}
	})
}

// secondSession logs in once more to an account without a second factor.
func (s *stage) secondSession(name string) *accounts.Session {
	s.Helper()
	session, err := s.Login(s.Context(), name, password, "home")
	must(s.T, err)
	return session
}

// TestPendingLoginIsNoSession uses the token of a pending login wherever a token is accepted.
func TestPendingLoginIsNoSession(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		ann := s.Person("ann", auth.RoleUser)
		secret, _ := s.addApp(ann)
		token := s.pending("ann").Token
		_, err := s.Refresh(s.Context(), token)
		want(s.T, err, fault.Unauthenticated, "refreshing it")
		_, err = s.AuthenticateAPIToken(s.Context(), token)
		want(s.T, err, fault.Unauthenticated, "as an API token")
		_, err = s.AcceptInvitation(s.Context(), token, "another long password")
		want(s.T, err, fault.Forbidden, "as an invitation")
		_, err = s.OfferFactor(s.Context(), testHost, token, accounts.FactorApp)
		want(s.T, err, fault.Unauthenticated, "adding another factor")
		_, err = s.PasskeyLogin(s.Context(), accounts.Proof{Challenge: token, Credential: []byte("{}")})
		want(s.T, err, fault.Unauthenticated, "as a challenge")

		right := accounts.Proof{Code: codeAt(s.T, secret, s.Clock.Now())}
		for what, text := range map[string]string{
			"a session": ann.Token, "nothing": "", "a changed one": "A" + token[1:], "half of it": token[:len(token)/2],
		} {
			_, err = s.SecondStep(s.Context(), text, right)
			want(s.T, err, fault.Unauthenticated, "a second step with the token of "+what)
		}
		s.wait(10 * time.Minute)
		right.Code = codeAt(s.T, secret, s.Clock.Now())
		_, err = s.SecondStep(s.Context(), token, right)
		want(s.T, err, fault.Unauthenticated, "completing it after ten minutes")

		token = s.pending("ann").Token
		must(s.T, s.LogoutEverywhere(s.As(ann), accounts.EndSessions{}))
		_, err = s.SecondStep(s.Context(), token, right)
		want(s.T, err, fault.Unauthenticated, "completing it after all sessions have ended")
	})
}

// TestPasskeyAtLogin completes a login with a passkey, and signs in with only a passkey.
func TestPasskeyAtLogin(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		device := s.addPasskey(s.Person("ann", auth.RoleUser))
		p := s.pending("ann")
		c, err := s.PasskeyOptions(s.Context(), "elsewhere:1", p.Token)
		must(s.T, err)
		o := device.read(*c)
		if o.RPID != testHost || o.UserVerification != "required" || len(o.AllowCredentials) != 1 {
			s.Errorf("the challenge is %+v", o)
		}
		proof := accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)}
		session, err := s.SecondStep(s.Context(), p.Token, proof)
		must(s.T, err)
		if !s.Admits(session) {
			s.Error("the session is not accepted")
		}

		server := s.Again()
		if c, err = server.PasskeyOptions(s.Context(), testHost, ""); err != nil {
			s.Fatal(err)
		}
		if o = device.read(*c); len(o.AllowCredentials) != 0 {
			s.Error("the challenge names passkeys of accounts")
		}
		proof = accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)}
		session, err = s.PasskeyLogin(s.Context(), proof)
		must(s.T, err)
		if session.User.Username != "ann" || !s.Admits(session) {
			s.Errorf("signed in as %+v", session.User)
		}
		_, err = server.PasskeyLogin(s.Context(), proof)
		want(s.T, err, fault.Unauthenticated, "sending the answer again, to another server")
	})
}

// TestUselessAnswers sends responses that no passkey has made. Nothing must be stored for them, and a used
// challenge that is sent again must count as a failure.
func TestUselessAnswers(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		device := s.addPasskey(s.Person("ann", auth.RoleUser))
		stored := func() (n int) {
			must(s.T, s.Pool.QueryRow("SELECT COUNT(*) FROM revoked_tokens").Scan(&n))
			return n
		}
		before := stored()
		c, err := s.PasskeyOptions(s.Context(), testHost, "")
		must(s.T, err)
		stranger := newAuthenticator(s.T)
		stranger.register(*c)
		for _, answer := range [][]byte{[]byte("{}"), stranger.assert(*c)} {
			_, err = s.PasskeyLogin(s.Context(), accounts.Proof{Challenge: c.Challenge, Credential: answer})
			want(s.T, err, fault.LoginFailed, "an answer of no passkey")
		}
		if n := stored(); n != before {
			s.Errorf("%d rows are stored for answers of no passkey", n-before)
		}
		proof := accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)}
		_, err = s.PasskeyLogin(s.Context(), proof)
		must(s.T, err)
		for range 20 {
			_, err = s.PasskeyLogin(s.Context(), proof)
		}
		want(s.T, err, fault.RateLimited, "sending a used challenge twenty times")
	})
}

// TestHostilePasskeys sends responses that must be rejected.
func TestHostilePasskeys(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		device := s.addPasskey(s.Person("ann", auth.RoleUser))
		other := s.addPasskey(s.Person("ben", auth.RoleUser))
		for what, answer := range map[string]func(*authenticator, accounts.PasskeyChallenge) []byte{
			"of another origin": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.origin = "https://photos.example.com.evil.example"
				return a.assert(c)
			},
			"of another port": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.origin = testOrigin + ":8443"
				return a.assert(c)
			},
			"without TLS": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.origin = "http://photos.example.com"
				return a.assert(c)
			},
			"for another host": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.host = "example.com"
				return a.assert(c)
			},
			"without verification of the person": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.verifies = false
				return a.assert(c)
			},
			"with a counter that stands still": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.counter--
				return a.assert(c)
			},
			"with a counter that went back": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.counter = 0
				return a.sign(a.read(c).Challenge)
			},
			"to another challenge": func(a *authenticator, _ accounts.PasskeyChallenge) []byte {
				a.counter++
				return a.sign(b64([]byte("a challenge of somebody else....")))
			},
			"of another key": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.key = newAuthenticator(a.T).key
				return a.assert(c)
			},
			"for another account": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.handle = other.handle
				return a.assert(c)
			},
			"for no account": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				a.handle = make([]byte, 16)
				return a.assert(c)
			},
			"that is a registration": func(a *authenticator, c accounts.PasskeyChallenge) []byte {
				copied := *a
				return copied.register(c)
			},
			"that is empty": func(*authenticator, accounts.PasskeyChallenge) []byte { return []byte("{}") },
			"that is huge": func(*authenticator, accounts.PasskeyChallenge) []byte {
				return []byte(`{"id":"` + strings.Repeat("A", 100_000) + `"}`)
			},
		} {
			s.wait(2 * time.Minute) // resets the limit of failures
			c, err := s.PasskeyOptions(s.Context(), testHost, "")
			must(s.T, err)
			attacker := *device
			_, err = s.PasskeyLogin(s.Context(), accounts.Proof{
				Challenge: c.Challenge, Credential: answer(&attacker, *c)})
			want(s.T, err, fault.LoginFailed, "signing in with an answer "+what)

			p := s.pending("ann")
			c, err = s.PasskeyOptions(s.Context(), testHost, p.Token)
			must(s.T, err)
			attacker = *device
			proof := accounts.Proof{Challenge: c.Challenge, Credential: answer(&attacker, *c)}
			_, err = s.SecondStep(s.Context(), p.Token, proof)
			want(s.T, err, fault.LoginFailed, "a second step with an answer "+what)
		}
		// Two counters, each sent twice.
		if copied := s.Events(audit.Filter{Action: "factor.copied"}); len(copied) != 4 ||
			copied[0].After["name"] != "Key" {
			s.Errorf("%d passkeys are recorded as copied", len(copied))
		}

		s.wait(2 * time.Minute)
		p := s.pending("ann")
		c, err := s.PasskeyOptions(s.Context(), testHost, p.Token)
		must(s.T, err)
		_, err = s.SecondStep(s.Context(), p.Token,
			accounts.Proof{Challenge: c.Challenge, Credential: other.assert(*c)})
		want(s.T, err, fault.LoginFailed, "a second step with the passkey of another account")
		c, err = s.PasskeyOptions(s.Context(), testHost, p.Token)
		must(s.T, err)
		again := accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)}
		_, err = s.SecondStep(s.Context(), s.pending("ann").Token, again)
		want(s.T, err, fault.Unauthenticated, "a second step with the challenge of another login")
		_, err = s.PasskeyLogin(s.Context(), again)
		want(s.T, err, fault.Unauthenticated, "signing in with the challenge of a login")
		s.wait(10 * time.Minute)
		c, err = s.PasskeyOptions(s.Context(), testHost, "")
		must(s.T, err)
		late := accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)}
		s.wait(10 * time.Minute)
		_, err = s.PasskeyLogin(s.Context(), late)
		want(s.T, err, fault.Unauthenticated, "answering after ten minutes")
		c, err = s.PasskeyOptions(s.Context(), testHost, "")
		must(s.T, err)
		_, err = s.PasskeyLogin(s.Context(), accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)})
		must(s.T, err)
	})
}

// TestHostileRegistrations adds passkeys that must be rejected.
func TestHostileRegistrations(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		ann, ben := s.Person("ann", auth.RoleUser), s.Person("ben", auth.RoleUser)
		offer := func(session *accounts.Session) *accounts.FactorOffer {
			o, err := s.OfferFactor(s.As(session), testHost, "", accounts.FactorPasskey)
			must(s.T, err)
			return o
		}
		add := func(session *accounts.Session, o *accounts.FactorOffer, answer []byte) error {
			_, err := s.AddFactor(s.As(session), "", accounts.NewFactor{Challenge: o.Challenge, Credential: answer})
			return err
		}
		for what, change := range map[string]func(*authenticator){
			"of another origin":                  func(a *authenticator) { a.origin = "https://evil.example" },
			"for another host":                   func(a *authenticator) { a.host = "evil.example" },
			"without verification of the person": func(a *authenticator) { a.verifies = false },
		} {
			device, o := newAuthenticator(s.T), offer(ann)
			change(device)
			want(s.T, add(ann, o, device.register(o.PasskeyChallenge)), fault.Invalid, "a passkey "+what)
		}
		device, o := newAuthenticator(s.T), offer(ann)
		answer := device.register(o.PasskeyChallenge)
		want(s.T, add(ben, o, answer), fault.Unauthenticated, "a passkey for the challenge of somebody else")
		must(s.T, add(ann, o, answer))
		want(s.T, add(ann, o, answer), fault.Unauthenticated, "the same answer again")
		o = offer(ben)
		want(s.T, add(ben, o, device.register(o.PasskeyChallenge)), fault.Conflict, "the passkey of somebody else")
		if o := device.read(o.PasskeyChallenge); o.AuthenticatorSelection.ResidentKey != "required" ||
			o.RP.ID != testHost {
			s.Errorf("the browser is asked for %+v", o)
		}
		_, err := s.OfferFactor(s.Context(), testHost, "", accounts.FactorApp)
		want(s.T, err, fault.Unauthenticated, "a factor without a session")
		_, err = s.OfferFactor(s.As(ann), testHost, "", "sms")
		want(s.T, err, fault.Invalid, "a factor of an unknown kind")
	})
}

// TestStepUp checks which confirmations allow sensitive changes: not an old one, one of another session, or a
// password instead of the factor.
func TestStepUp(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		ann := s.Person("ann", auth.RoleAdmin)
		other := s.secondSession("ann")
		must(s.T, auth.CheckConfirmed(s.As(ann)))
		s.wait(10 * time.Minute)
		want(s.T, auth.CheckConfirmed(s.As(ann)), fault.StepUpRequired, "without a factor, ten minutes after the login")
		must(s.T, s.Confirm(s.As(ann), accounts.Proof{Password: password}))
		must(s.T, auth.CheckConfirmed(s.As(ann)))
		secret, codes := s.addApp(ann)
		must(s.T, auth.CheckConfirmed(s.As(ann)))
		if s.Admits(other) {
			s.Error("a session that started before the factor is still valid")
		}
		other, err := s.SecondStep(s.Context(), s.pending("ann").Token, accounts.Proof{Code: codes[2]})
		must(s.T, err)
		s.wait(10 * time.Minute)
		want(s.T, auth.CheckConfirmed(s.As(ann)), fault.StepUpRequired, "ten minutes later")
		_, err = s.UpdateProfile(s.As(ann), nil, accounts.UpdateProfileInput{Username: ptr("eve")})
		want(s.T, err, fault.StepUpRequired, "a new username")
		_, err = s.UpdateProfile(s.As(ann), nil, accounts.UpdateProfileInput{DisplayName: ptr("Ann")})
		must(s.T, err)
		_, err = s.OfferFactor(s.As(ann), testHost, "", accounts.FactorPasskey)
		want(s.T, err, fault.StepUpRequired, "another factor")

		want(s.T, s.Confirm(s.As(ann), accounts.Proof{Password: password}), fault.Invalid, "with the password")
		want(s.T, s.Confirm(s.As(ann), accounts.Proof{Code: "000000"}), fault.Invalid, "with a wrong code")
		must(s.T, s.Confirm(s.As(ann), accounts.Proof{Code: codeAt(s.T, secret, s.Clock.Now())}))
		must(s.T, auth.CheckConfirmed(s.As(ann)))
		want(s.T, auth.CheckConfirmed(s.As(other)), fault.StepUpRequired, "by another session")
		must(s.T, s.Confirm(s.As(other), accounts.Proof{Code: codes[0]}))
		must(s.T, auth.CheckConfirmed(s.As(other)))

		device := s.addPasskey(ann)
		s.wait(10 * time.Minute)
		c, err := s.PasskeyOptions(s.As(ann), testHost, "")
		must(s.T, err)
		proof := accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)}
		want(s.T, s.Confirm(s.As(other), proof), fault.Unauthenticated, "with the challenge of another session")
		must(s.T, s.Confirm(s.As(ann), proof))
		must(s.T, auth.CheckConfirmed(s.As(ann)))
		want(s.T, s.Confirm(s.As(ann), proof), fault.Unauthenticated, "with the same answer again")
	})
}

// TestStolenSession checks that a session alone cannot add a factor to an account without one. The password
// must be confirmed first.
func TestStolenSession(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		ann := s.Person("ann", auth.RoleUser)
		s.wait(10 * time.Minute)
		_, err := s.OfferFactor(s.As(ann), testHost, "", accounts.FactorPasskey)
		want(s.T, err, fault.StepUpRequired, "a passkey for a stolen session")
		want(s.T, s.Confirm(s.As(ann), accounts.Proof{Password: "a wrong password"}), fault.Invalid, "a wrong password")
		want(s.T, s.Confirm(s.As(ann), accounts.Proof{Code: "123456"}), fault.Invalid, "a code in place of it")
		must(s.T, s.Confirm(s.As(ann), accounts.Proof{Password: password}))
		s.addPasskey(ann)
	})
}

// TestRequiredForRoles requires a factor. Sessions without one must end immediately, and a login must only
// allow setting one up.
func TestRequiredForRoles(t *testing.T) {
	eachFactor(t, accounts.Config{Registration: true}, func(s *stage) {
		admin, ann, ben := s.Person("root", auth.RoleAdmin), s.Person("ann", auth.RoleUser),
			s.Person("ben", auth.RoleUser)
		s.addApp(ben)
		both := accounts.FactorPolicy{Roles: []auth.Role{auth.RoleAdmin, auth.RoleUser}}
		want(s.T, s.SetFactorPolicy(s.As(admin), both), fault.Conflict, "requiring what the admin does not have")
		s.addPasskey(admin)
		must(s.T, s.SetFactorPolicy(s.As(admin), both))
		if s.Admits(ann) || !s.Admits(ben) || !s.Admits(admin) {
			s.Error("the wrong sessions ended")
		}
		stale := s.pending("ann")
		p := s.pending("ann")
		if len(p.Factors) != 0 {
			s.Errorf("factors %v", p.Factors)
		}
		_, err := s.SecondStep(s.Context(), p.Token, accounts.Proof{Code: "000000"})
		want(s.T, err, fault.Unauthenticated, "a second step without a factor")
		offer, err := s.OfferFactor(s.Context(), testHost, p.Token, accounts.FactorApp)
		must(s.T, err)
		late, err := s.OfferFactor(s.Context(), testHost, stale.Token, accounts.FactorPasskey)
		must(s.T, err)
		in := accounts.NewFactor{Challenge: offer.Challenge, Code: codeAt(s.T, offer.Secret, s.Clock.Now())}
		_, err = s.AddFactor(s.Context(), stale.Token, in)
		want(s.T, err, fault.Unauthenticated, "with the secret of another login")
		added, err := s.AddFactor(s.Context(), p.Token, in)
		must(s.T, err)
		if added.Session == nil || !s.Admits(added.Session) || len(added.RecoveryCodes) != 10 {
			s.Errorf("setting up the factor does not complete the login: %+v", added)
		}
		must(s.T, auth.CheckConfirmed(s.As(added.Session)))
		device := newAuthenticator(s.T)
		_, err = s.AddFactor(s.Context(), stale.Token, accounts.NewFactor{
			Challenge: late.Challenge, Credential: device.register(late.PasskeyChallenge),
		})
		want(s.T, err, fault.Unauthenticated, "another factor by another login with the password")
		want(s.T, s.RemoveApp(s.As(added.Session)), fault.Conflict, "removing the only factor")

		fresh, err := s.Register(s.Context(), accounts.RegisterInput{
			DisplayName: "Newcomer", Username: "newcomer", Password: "a long other password",
		})
		must(s.T, err)
		if fresh.Token != "" || fresh.Pending == nil {
			s.Error("a registration begins a session without a factor")
		}
		must(s.T, s.SetFactorPolicy(s.As(admin), accounts.FactorPolicy{}))
		must(s.T, s.RemoveApp(s.As(added.Session)))
		s.secondSession("ann")
	})
}

// TestPolicyAndLoginsAtOnce requires a factor while somebody without one logs in on two servers. No session
// must remain that the policy does not allow.
func TestPolicyAndLoginsAtOnce(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		admin := s.Person("root", auth.RoleAdmin)
		s.Person("ann", auth.RoleUser)
		s.addApp(admin)
		servers := []*gallerytest.Rules{s.Rules, s.Again()}
		for range 10 {
			must(s.T, s.SetFactorPolicy(s.As(admin), accounts.FactorPolicy{}))
			var group sync.WaitGroup
			begun := make([]*accounts.Session, 6)
			for i := range begun {
				group.Go(func() {
					session, err := servers[i%2].Login(s.Context(), "ann", password, "home")
					if err != nil {
						s.Error(err)
						session = &accounts.Session{}
					}
					begun[i] = session
				})
			}
			must(s.T, s.SetFactorPolicy(s.As(admin), accounts.FactorPolicy{Roles: []auth.Role{auth.RoleUser}}))
			group.Wait()
			for _, session := range begun {
				if session.Token != "" && s.Admits(session) {
					s.Fatal("a session without a factor is still valid")
				}
			}
		}
	})
}

// TestInvitationNeedsTheFactor sets the password of an account with an invitation. The second factor must
// still be required.
func TestInvitationNeedsTheFactor(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		admin, ann := s.Person("root", auth.RoleAdmin), s.Person("ann", auth.RoleUser)
		secret, _ := s.addApp(ann)
		token, _, err := s.Invite(s.As(admin), ann.User.ID)
		must(s.T, err)
		session, err := s.AcceptInvitation(s.Context(), token, "another long password")
		must(s.T, err)
		if session.Pending == nil || session.Token != "" {
			s.Fatal("the invitation begins a session")
		}
		proof := accounts.Proof{Code: codeAt(s.T, secret, s.Clock.Now())}
		_, err = s.SecondStep(s.Context(), session.Pending.Token, proof)
		must(s.T, err)
	})
}

// TestReset removes the factors of somebody who has lost them, and must end their sessions.
func TestReset(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		admin, ann := s.Person("root", auth.RoleAdmin), s.Person("ann", auth.RoleUser)
		secret, codes := s.addApp(ann)
		device := s.addPasskey(ann)
		p := s.pending("ann")
		want(s.T, s.ResetFactors(s.As(ann), admin.User.ID, false), fault.Forbidden, "of somebody else, as a user")
		want(s.T, s.ResetFactors(s.As(admin), admin.User.ID, false), fault.Conflict, "of an account without any")
		must(s.T, s.ResetFactors(s.As(admin), ann.User.ID, false))
		if s.Admits(ann) {
			s.Error("a session is still valid")
		}
		for _, code := range []string{codes[0], codeAt(s.T, secret, s.Clock.Now())} {
			_, err := s.SecondStep(s.Context(), p.Token, accounts.Proof{Code: code})
			want(s.T, err, fault.Unauthenticated, "completing the login from before")
		}
		c, err := s.PasskeyOptions(s.Context(), testHost, "")
		must(s.T, err)
		_, err = s.PasskeyLogin(s.Context(), accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)})
		want(s.T, err, fault.LoginFailed, "signing in with the removed passkey")
		again := s.secondSession("ann")
		page, err := s.SecurityEvents(s.As(again), ann.User.ID, 10, "")
		must(s.T, err)
		var actions []string
		for _, e := range page.Items {
			actions = append(actions, e.Action)
		}
		if got := strings.Join(actions, " "); got != "factor.reset login.pending factor.add factor.add" {
			s.Errorf("the owner sees %s", got)
		}
		_, err = s.SecurityEvents(s.As(again), admin.User.ID, 10, "")
		want(s.T, err, fault.Forbidden, "the events of somebody else")
	})
}

// TestTokensOfAReset resets the factors and the password of an account. API tokens must only be revoked if
// requested. The owner must see what happened to them.
func TestTokensOfAReset(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		admin, ann := s.Person("root", auth.RoleAdmin), s.Person("ann", auth.RoleUser)
		id := ann.User.ID
		newPassword := func(revoke bool) error {
			return s.ChangePassword(s.As(admin), accounts.NewPassword{
				UserID: &id, Password: password, APITokens: revoke})
		}
		reset := func(revoke bool) error {
			s.addApp(s.secondSession("ann"))
			return s.ResetFactors(s.As(admin), id, revoke)
		}
		secret := ""
		for i, c := range []struct {
			do     func(bool) error
			revoke bool
		}{{newPassword, false}, {newPassword, true}, {reset, false}, {reset, true}} {
			if secret == "" {
				var err error
				_, secret, err = s.CreateAPIToken(s.As(s.secondSession("ann")), accounts.CreateAPITokenInput{
					Name: "program", Scopes: []auth.Scope{auth.ScopeRead},
				})
				must(s.T, err)
			}
			must(s.T, c.do(c.revoke))
			_, err := s.AuthenticateAPIToken(s.Context(), secret)
			if (err != nil) != c.revoke {
				s.Errorf("change %d: the token is refused with %v, expected that: %v", i, err, c.revoke)
			}
			if c.revoke {
				secret = ""
			}
		}
		page, err := s.SecurityEvents(s.As(s.secondSession("ann")), id, 20, "")
		must(s.T, err)
		var seen []string
		for _, e := range page.Items {
			text := e.Action
			if e.After["apiTokens"] == true {
				text += "+tokens"
			}
			seen = append(seen, text)
		}
		const expected = "factor.reset+tokens factor.add factor.reset factor.add token.create " +
			"user.password+tokens user.password token.create"
		if got := strings.Join(seen, " "); got != expected {
			s.Errorf("the owner sees %s", got)
		}
	})
}

// TestSessionsOfAPasskey removes a passkey and ends the sessions that started with it, except for the
// caller's.
func TestSessionsOfAPasskey(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		ann := s.Person("ann", auth.RoleUser)
		lost := s.addPasskey(ann)
		s.wait(time.Second)
		kept := s.addPasskey(ann)
		alone := func(device *authenticator) *accounts.Session {
			c, err := s.PasskeyOptions(s.Context(), testHost, "")
			must(s.T, err)
			session, err := s.PasskeyLogin(s.Context(), accounts.Proof{
				Challenge: c.Challenge, Credential: device.assert(*c),
			})
			must(s.T, err)
			return session
		}
		p := s.pending("ann")
		c, err := s.PasskeyOptions(s.Context(), testHost, p.Token)
		must(s.T, err)
		second, err := s.SecondStep(s.Context(), p.Token, accounts.Proof{
			Challenge: c.Challenge, Credential: lost.assert(*c),
		})
		must(s.T, err)
		first, own, other := alone(lost), alone(lost), alone(kept)
		factors, err := s.Factors(s.As(ann), ann.User.ID)
		must(s.T, err)
		must(s.T, s.RemovePasskey(s.As(own), factors.Passkeys[0].ID, true))
		for what, session := range map[string]*accounts.Session{"first": first, "second": second} {
			if s.Admits(session) {
				s.Errorf("the %s session of the removed passkey is still valid", what)
			}
		}
		for what, session := range map[string]*accounts.Session{
			"caller": own, "other passkey": other, "password": ann} {
			if !s.Admits(session) {
				s.Errorf("the session of the %s has ended", what)
			}
		}
		must(s.T, s.RemovePasskey(s.As(own), factors.Passkeys[1].ID, false))
		if !s.Admits(other) {
			s.Error("a session has ended, which nobody asked for")
		}
	})
}

// TestOwnPassword changes the caller's password long after the login. For an account without a second factor,
// the current password must be sufficient.
func TestOwnPassword(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		ann, ben := s.Person("ann", auth.RoleUser), s.Person("ben", auth.RoleAdmin)
		secret, _ := s.addApp(ben)
		s.wait(10 * time.Minute)
		change := accounts.NewPassword{Current: password, Password: "a completely other one"}
		must(s.T, s.ChangePassword(s.As(ann), change))
		want(s.T, s.ChangePassword(s.As(ben), change), fault.StepUpRequired, "with a factor")
		change.UserID = &ann.User.ID
		want(s.T, s.ChangePassword(s.As(ben), change), fault.StepUpRequired, "of somebody else")
		must(s.T, s.Confirm(s.As(ben), accounts.Proof{Code: codeAt(s.T, secret, s.Clock.Now())}))
		must(s.T, s.ChangePassword(s.As(ben), change))
	})
}

// TestProviderCounts checks that a sign-in through a provider counts as a second factor unless the policy
// says otherwise.
func TestProviderCounts(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		admin := s.Person("root", auth.RoleAdmin)
		s.addApp(admin)
		n := 0
		enter := func() *accounts.Session {
			n++
			session, err := s.SignIn(s.Context(), &signin.Person{
				Provider: signin.Config{ID: "idp", Name: "IdP", CreateAccounts: true}, Issuer: "https://idp.example",
				Subject: "ann", Username: "ann", State: fmt.Sprint("state ", n), Ends: s.Clock.Now().Add(time.Minute),
			})
			must(s.T, err)
			return session
		}
		users := accounts.FactorPolicy{Roles: []auth.Role{auth.RoleUser}}
		must(s.T, s.SetFactorPolicy(s.As(admin), users))
		session := enter()
		device := s.addPasskey(session)
		if again := enter(); again.Token == "" {
			s.Error("a sign-in through a provider needs the factor of the account")
		} else {
			want(s.T, auth.CheckConfirmed(s.As(again)), fault.StepUpRequired, "a sensitive change after it")
		}
		c, err := s.PasskeyOptions(s.Context(), testHost, "")
		must(s.T, err)
		_, err = s.PasskeyLogin(s.Context(), accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)})
		want(s.T, err, fault.LoginFailed, "signing in past the provider with a passkey")

		unasked := enter()
		users.Providers = true
		must(s.T, s.SetFactorPolicy(s.As(admin), users))
		if s.Admits(unasked) {
			s.Error("a session without our factor is still valid")
		}
		p := enter()
		if p.Token != "" || p.Pending == nil {
			s.Fatal("the policy for providers is ignored")
		}
		c, err = s.PasskeyOptions(s.Context(), testHost, p.Pending.Token)
		must(s.T, err)
		proof := accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)}
		completed, err := s.SecondStep(s.Context(), p.Pending.Token, proof)
		must(s.T, err)
		if i := auth.FromContext(s.As(completed)); i.Provider != "idp" {
			s.Errorf("the session began through %q", i.Provider)
		}
	})
}

// TestBackChannelLogoutEndsPendingLogins ends a login at the provider before its second factor is confirmed.
// A login that starts later must still work.
func TestBackChannelLogoutEndsPendingLogins(t *testing.T) {
	for what, ended := range map[string]signin.Ended{"the session": {Session: "sid"}, "the subject": {Subject: "ann"}} {
		eachFactor(t, accounts.Config{}, func(s *stage) {
			admin := s.Person("root", auth.RoleAdmin)
			n := 0
			enter := func(session string) *accounts.Session {
				n++
				entered, err := s.SignIn(s.Context(), &signin.Person{
					Provider: signin.Config{ID: "idp", Name: "IdP", CreateAccounts: true},
					Issuer:   "https://idp.example",
					Subject:  "ann", Username: "ann", Session: session, State: fmt.Sprint("state ", n),
					Ends: s.Clock.Now().Add(time.Minute),
				})
				must(s.T, err)
				return entered
			}
			_, codes := s.addApp(enter("first"))
			must(s.T, s.SetFactorPolicy(s.As(admin), accounts.FactorPolicy{Providers: true}))
			p := enter("sid").Pending
			ended.Provider, ended.Issuer, ended.Token = "idp", "https://idp.example", "t"
			ended.Until, ended.Expires = s.Clock.Now(), s.Clock.Now().Add(time.Minute)
			must(s.T, s.EndProviderSessions(s.Context(), &ended))
			_, err := s.SecondStep(s.Context(), p.Token, accounts.Proof{Code: codes[0]})
			want(s.T, err, fault.Unauthenticated, "completing a login after the provider has ended "+what)
			s.wait(time.Second)
			_, err = s.SecondStep(s.Context(), enter("later").Pending.Token, accounts.Proof{Code: codes[0]})
			must(s.T, err)
		})
	}
}

// TestOthersNeedAConfirmation ends and reads sessions and tokens of other accounts.
func TestOthersNeedAConfirmation(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		admin, ann := s.Person("root", auth.RoleAdmin), s.Person("ann", auth.RoleUser)
		token, secret, err := s.CreateAPIToken(
			s.As(ann), accounts.CreateAPITokenInput{Name: "t", Scopes: []auth.Scope{auth.ScopeRead}},
		)
		must(s.T, err)
		s.addPasskey(ann)
		factors, err := s.Factors(s.As(ann), ann.User.ID)
		must(s.T, err)
		byToken, err := s.AuthenticateAPIToken(s.Context(), secret)
		must(s.T, err)
		_, err = s.Passkey(auth.WithIdentity(s.Context(), byToken), factors.Passkeys[0].ID)
		want(s.T, err, fault.NotFound, "reading a passkey with an API token")

		ofAdmin := auth.WithAddress(s.As(admin), "10.1.2.3")
		_, err = s.UpdateProfile(ofAdmin, &ann.User.ID, accounts.UpdateProfileInput{DisplayName: ptr("Anna")})
		must(s.T, err)
		page, err := s.SecurityEvents(s.As(ann), ann.User.ID, 1, "")
		must(s.T, err)
		if e := page.Items[0]; e.Action != "user.update" || e.Address+e.TokenID+e.RequestID != "" {
			s.Errorf("a user sees where an admin was: %+v", e)
		}

		s.wait(10 * time.Minute)
		sessions, err := s.Sessions(s.As(ann), ann.User.ID, 1, "")
		must(s.T, err)
		late := s.As(admin)
		want(s.T, s.RevokeAPIToken(late, token.ID), fault.StepUpRequired, "revoking a token of somebody else")
		want(s.T, s.EndSession(late, sessions.Items[0].ID), fault.StepUpRequired, "ending a session of somebody else")
		want(s.T, s.LogoutEverywhere(late, accounts.EndSessions{UserID: &ann.User.ID}), fault.StepUpRequired,
			"ending all")
		must(s.T, s.RevokeAPIToken(s.As(ann), token.ID))
		must(s.T, s.LogoutEverywhere(s.As(ann), accounts.EndSessions{}))
	})
}

// TestHandOverRemovesFactors gives an account to the owner of its e-mail address. Whoever had created it must
// not be able to sign in with a passkey or confirm with an app.
func TestHandOverRemovesFactors(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		squatter := s.Person("ann@example.com", auth.RoleUser)
		s.addApp(squatter)
		device := s.addPasskey(squatter)
		admin := s.Person("root", auth.RoleAdmin)
		enter := func(state string) (*accounts.Session, error) {
			return s.SignIn(s.Context(), &signin.Person{
				Provider: signin.Config{ID: "idp", Name: "IdP", LinkByEmail: true}, Issuer: "https://idp.example",
				Subject: "ann", Email: "ann@example.com", State: state, Ends: s.Clock.Now().Add(time.Minute),
			})
		}
		must(s.T, s.SetFactorPolicy(s.As(admin), accounts.FactorPolicy{Providers: true}))
		_, err := enter("one")
		want(s.T, err, fault.Forbidden, "linking past a factor that the policy asks for")
		must(s.T, s.SetFactorPolicy(s.As(admin), accounts.FactorPolicy{}))
		session, err := enter("two")
		must(s.T, err)
		if n := len(s.Events(audit.Filter{Action: "factor.reset"})); n != 1 {
			s.Errorf("%d events say that the factors were removed", n)
		}
		factors, err := s.Factors(s.As(session), session.User.ID)
		must(s.T, err)
		if factors.AppAddedAt != nil || len(factors.Passkeys) != 0 || factors.RecoveryCodesLeft != 0 {
			s.Errorf("the account still has %+v", factors)
		}
		c, err := s.PasskeyOptions(s.Context(), testHost, "")
		must(s.T, err)
		_, err = s.PasskeyLogin(s.Context(), accounts.Proof{Challenge: c.Challenge, Credential: device.assert(*c)})
		want(s.T, err, fault.LoginFailed, "the passkey of whoever had the name")
	})
}

// TestWithoutPasswords checks that a passkey does not replace the provider while password login is off.
func TestWithoutPasswords(t *testing.T) {
	eachFactor(t, accounts.Config{NoPasswords: true}, func(s *stage) {
		_, err := s.PasskeyOptions(s.Context(), testHost, "")
		want(s.T, err, fault.Forbidden, "a challenge for signing in with a passkey")
		_, err = s.PasskeyLogin(s.Context(), accounts.Proof{})
		want(s.T, err, fault.Forbidden, "signing in with a passkey")
	})
}

// withKeys returns a server on the same database with a new key file and different token secrets.
func (s *stage) withKeys(secret, previous string) *gallerytest.Rules {
	s.Helper()
	keys, err := auth.OpenKeyring(auth.KeyringConfig{
		File: filepath.Join(s.TempDir(), "keys.json"), Issuer: "i", Audience: "a", Lifetime: time.Hour,
		Now: s.Clock.Now, Secret: secret, Previous: previous,
	})
	must(s.T, err)
	s.Keys = keys
	return s.Again()
}

// useApp logs in with the code of an app, and waits until the next code is shown.
func (s *stage) useApp(server *gallerytest.Rules, name, secret string) error {
	s.Helper()
	login, err := server.Login(s.Context(), name, password, "home")
	must(s.T, err)
	_, err = server.SecondStep(s.Context(), login.Pending.Token,
		accounts.Proof{Code: codeAt(s.T, secret, s.Clock.Now())})
	s.wait(30 * time.Second)
	return err
}

// TestAppOnServersWithOwnKeyFiles uses an app on servers that share only a token secret, and rotates that
// secret.
func TestAppOnServersWithOwnKeyFiles(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		first, second := strings.Repeat("1", 32), strings.Repeat("2", 32)
		s.Rules = s.withKeys(first, "")
		secret, _ := s.addApp(s.Person("ann", auth.RoleUser))
		must(s.T, s.useApp(s.withKeys(first, ""), "ann", secret))
		must(s.T, s.useApp(s.withKeys(second, first), "ann", secret))
		rotated := s.withKeys(second, "")
		must(s.T, s.useApp(rotated, "ann", secret))
		must(s.T, rotated.AppsAreReadable(s.Context()))
	})
}

// TestAppAfterTheFirstTokenSecret sets a token secret on a server that had only a key file.
func TestAppAfterTheFirstTokenSecret(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		config := auth.KeyringConfig{
			File: filepath.Join(s.TempDir(), "keys.json"), Issuer: "i", Audience: "a", Lifetime: time.Hour,
			Now: s.Clock.Now,
		}
		open := func() *gallerytest.Rules {
			keys, err := auth.OpenKeyring(config)
			must(s.T, err)
			s.Keys = keys
			return s.Again()
		}
		s.Rules = open()
		secret, _ := s.addApp(s.Person("ann", auth.RoleUser))
		config.Secret = strings.Repeat("1", 32)
		must(s.T, s.useApp(open(), "ann", secret))
	})
}

// TestLostKeyFile replaces the keys that encrypted the secret of an app. The error must say so, and a
// recovery code must work.
func TestLostKeyFile(t *testing.T) {
	eachFactor(t, accounts.Config{}, func(s *stage) {
		secret, codes := s.addApp(s.Person("ann", auth.RoleUser))
		server := s.withKeys("", "")
		want(s.T, s.useApp(server, "ann", secret), fault.Conflict, "a code of the app")
		if server.AppsAreReadable(s.Context()) == nil {
			s.Error("the doctor finds nothing")
		}
		login, err := server.Login(s.Context(), "ann", password, "home")
		must(s.T, err)
		_, err = server.SecondStep(s.Context(), login.Pending.Token, accounts.Proof{Code: codes[0]})
		must(s.T, err)
	})
}

// TestPasskeyHost checks for which host passkeys are created.
func TestPasskeyHost(t *testing.T) {
	for _, c := range []struct{ public, request, host, origin string }{
		{"https://photos.example.com", "10.0.0.1:8080", "photos.example.com", "https://photos.example.com"},
		{"https://Photos.Example.com:443/", "x", "photos.example.com", "https://photos.example.com"},
		{"https://photos.example.com:8443", "x", "photos.example.com", "https://photos.example.com:8443"},
		{"http://localhost:8080", "x", "localhost", "http://localhost:8080"},
		{"http://photos.example.com", "photos.example.com", "", ""},
		{"https://10.0.0.1", "photos.example.com", "", ""},
		{"", "photos.example.com", "photos.example.com", "https://photos.example.com"},
		{"", "localhost:8080", "localhost", "http://localhost:8080"},
		{"", "10.0.0.1:8080", "", ""},
		{"", "[::1]:8080", "", ""},
		{"", "", "", ""},
		{"", "a b", "", ""},
	} {
		s := accounts.ForHost(c.public)
		if host, origin := s.PasskeyHost(c.request); host != c.host || origin != c.origin {
			t.Errorf("%q at %q: %q and %q, expected %q and %q", c.public, c.request, host, origin, c.host, c.origin)
		}
	}
}

package signin_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/safelight/safelight/accounts/signin"
	"github.com/safelight/safelight/accounts/signin/signintest"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// stage is a server with two providers.
type stage struct {
	*testing.T
	provider, other *signintest.Provider
	*signin.Providers
	now time.Time
	log bytes.Buffer
}

func newStage(t *testing.T, change func(c map[string]any)) *stage {
	t.Helper()
	s := &stage{T: t, provider: signintest.New(t), other: signintest.New(t), now: time.Now()}
	one := map[string]any{"id": "one", "name": "One", "issuer": s.provider.URL, "clientId": signintest.ClientID,
		"clientSecretEnv": "SECRET"}
	two := map[string]any{"id": "two", "name": "Two", "issuer": s.other.URL, "clientId": signintest.ClientID,
		"clientSecretEnv": "SECRET"}
	if change != nil {
		change(one)
	}
	file := filepath.Join(t.TempDir(), "providers.json")
	data, err := json.Marshal([]any{one, two})
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := signin.Load(file, func(name string) string {
		return map[string]string{"SECRET": signintest.ClientSecret}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Providers, err = signin.New(all, "https://photos.example.com", func() []string { return []string{"key", "old"} },
		func() time.Time { return s.now }, slog.New(slog.NewTextHandler(&s.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// attempt is a browser that returns from a provider.
type attempt struct {
	id, flow string
	signin.Answer
}

// visit sends a browser to the first provider and back.
func (s *stage) visit() attempt {
	s.Helper()
	location, _, flow, err := s.Begin(s.Context(), "one", "/f/holidays?sort=size")
	if err != nil {
		s.Fatal(err)
	}
	code, state := s.provider.Visit(location)
	return attempt{"one", flow, signin.Answer{Code: code, State: state}}
}

func (s *stage) finish(a attempt) (*signin.Person, error) {
	return s.Finish(s.Context(), a.id, a.flow, a.Answer)
}

func TestSignIn(t *testing.T) {
	s := newStage(t, nil)
	s.provider.Claims = map[string]any{"sub": "42", "email": "ada@example.com", "email_verified": true, "name": "Ada",
		"preferred_username": "ada", "sid": "session-1"}
	location, _, _, err := s.Begin(s.Context(), "one", "/")
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(location)
	q := u.Query()
	if q.Get("redirect_uri") != "https://photos.example.com/signin/one" || q.Get("response_type") != "code" ||
		q.Get("scope") != "openid profile email" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" {
		t.Errorf("the browser is sent to %s", location)
	}
	p, err := s.finish(s.visit())
	if err != nil {
		t.Fatal(err)
	}
	if p.Subject != "42" || p.Issuer != s.provider.URL || p.Email != "ada@example.com" || p.Name != "Ada" ||
		p.Username != "ada" || p.Session != "session-1" || p.Role != "" || p.Next != "/f/holidays?sort=size" {
		t.Errorf("%+v", p)
	}
}

// TestVerifiedEmail checks that an address only counts if the provider has verified it.
func TestVerifiedEmail(t *testing.T) {
	s := newStage(t, nil)
	for _, c := range []struct{ verified, want any }{
		{true, "ada@example.com"}, {"true", "ada@example.com"}, {false, ""}, {nil, ""}, {"false", ""}, {1, ""},
	} {
		s.provider.Claims = map[string]any{"sub": "42", "email": "ada@example.com", "email_verified": c.verified}
		if p, err := s.finish(s.visit()); err != nil || p.Email != c.want {
			t.Errorf("email_verified %v: %+v, %v", c.verified, p, err)
		}
	}
}

// TestOddClaims checks that people can sign in although their name, address or session has an unexpected type.
func TestOddClaims(t *testing.T) {
	s := newStage(t, nil)
	s.provider.Claims = map[string]any{"sub": "42", "email": 1, "email_verified": true, "name": []string{"Ada"},
		"preferred_username": map[string]any{"a": 1}, "sid": 5, "azp": nil}
	p, err := s.finish(s.visit())
	if err != nil || p.Subject != "42" || p.Email+p.Name+p.Username+p.Session != "" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestAnswersThatAreRefused modifies what a browser sends back, or what the provider responds.
func TestAnswersThatAreRefused(t *testing.T) {
	unauthenticated, unavailable := fault.Unauthenticated, fault.Unavailable
	for name, c := range map[string]struct {
		change func(*stage, *attempt)
		want   fault.Code
	}{
		"no cookie":                {func(_ *stage, a *attempt) { a.flow = "" }, unauthenticated},
		"another browser's cookie": {func(s *stage, a *attempt) { a.flow = s.visit().flow }, unauthenticated},
		"another state":            {func(s *stage, a *attempt) { a.State = s.visit().State }, unauthenticated},
		"no state":                 {func(_ *stage, a *attempt) { a.State = "" }, unauthenticated},
		"a cookie that was changed": {func(_ *stage, a *attempt) {
			body, mac, _ := strings.Cut(a.flow, ".")
			data, _ := base64.RawURLEncoding.DecodeString(body)
			data = bytes.Replace(data, []byte("/f/holidays"), []byte("/f/elsewher"), 1)
			a.flow = base64.RawURLEncoding.EncodeToString(data) + "." + mac
		}, unauthenticated},
		"after ten minutes":   {func(s *stage, _ *attempt) { s.now = s.now.Add(10 * time.Minute) }, unauthenticated},
		"at another provider": {func(_ *stage, a *attempt) { a.id = "two" }, unauthenticated},
		"from another issuer": {func(s *stage, a *attempt) { a.Issuer = s.other.URL }, unauthenticated},
		"without the issuer": {func(s *stage, _ *attempt) {
			s.provider.Metadata = map[string]any{"authorization_response_iss_parameter_supported": true}
			s.now = s.now.Add(2 * time.Hour) // the discovery document is read again
		}, unauthenticated},
		"an unknown code": {func(_ *stage, a *attempt) { a.Code = "unknown" }, unauthenticated},
		"another's code":  {func(s *stage, a *attempt) { a.Code = s.visit().Code }, unauthenticated}, // PKCE
		"a code that was used": {func(s *stage, a *attempt) {
			if _, err := s.finish(*a); err != nil {
				s.Error(err)
			}
		}, unauthenticated},
		"the person declined": {func(_ *stage, a *attempt) { a.Error = "access_denied" }, fault.Forbidden},

		"another nonce":       {claim("nonce", "x"), unauthenticated},
		"no nonce":            {claim("nonce", nil), unauthenticated},
		"another audience":    {claim("aud", "x"), unauthenticated},
		"another party":       {claim("azp", "x"), unauthenticated},
		"several audiences":   {claim("aud", []string{signintest.ClientID, "x"}), unauthenticated},
		"another's token":     {claim("iss", "https://x.example"), unauthenticated},
		"no subject":          {claim("sub", ""), unauthenticated},
		"two subjects":        {claim("\u017fub", "2"), unauthenticated}, // encoding/json reads it as sub
		"a long subject":      {claim("sub", strings.Repeat("s", 256)), unauthenticated},
		"an expired token":    {claim("exp", time.Now().Add(-2*time.Minute).Unix()), unauthenticated},
		"a token of tomorrow": {claim("nbf", time.Now().Add(24*time.Hour).Unix()), unauthenticated},

		"no token": {forge(func(*stage, map[string]any) string { return "" }), unauthenticated},
		"algorithm none": {forge(func(s *stage, claims map[string]any) string {
			body, _ := json.Marshal(claims)
			return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." +
				base64.RawURLEncoding.EncodeToString(body) + "."
		}), unauthenticated},
		"HS256 with the public key": {forge(func(s *stage, claims map[string]any) string {
			key, id := s.provider.Keys()
			der, _ := x509.MarshalPKIXPublicKey(key.Public())
			public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
			return signintest.Sign(jose.HS256, public, id, claims)
		}), unauthenticated},
		"HS256 with the client secret": {forge(func(_ *stage, claims map[string]any) string {
			return signintest.Sign(jose.HS256, []byte(strings.Repeat(signintest.ClientSecret, 2)), "", claims)
		}), unauthenticated},
		"a key of another provider": {forge(func(s *stage, claims map[string]any) string {
			key, _ := s.other.Keys()
			_, id := s.provider.Keys()
			return signintest.Sign(jose.ES256, key, id, claims)
		}), unauthenticated},
		"the token of another provider": {forge(func(s *stage, claims map[string]any) string {
			claims["iss"] = s.other.URL
			return s.other.Sign(claims)
		}), unauthenticated},
		"a huge answer": {func(s *stage, _ *attempt) {
			s.provider.Before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/token" {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"access_token": "` + strings.Repeat("a", 2<<20) + `"}`))
				return true
			}
		}, unauthenticated},
		"a redirect": {func(s *stage, _ *attempt) {
			s.provider.Before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/token" {
					http.Redirect(w, r, s.other.URL+"/token", http.StatusTemporaryRedirect)
				}
				return r.URL.Path == "/token"
			}
		}, unauthenticated},
		"an outage": {func(s *stage, _ *attempt) { s.provider.Close() }, unavailable},
		"an internal error": {func(s *stage, _ *attempt) {
			s.provider.Before = func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusBadGateway)
				return true
			}
		}, unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, nil)
			a := s.visit()
			c.change(s, &a)
			p, err := s.finish(a)
			if fault.CodeOf(err) != c.want {
				t.Errorf("%+v, %v, expected %s", p, err, c.want)
			}
			if s.other.Requests["/token"] > 0 {
				t.Error("the code went to another provider")
			}
			for _, secret := range []string{signintest.ClientSecret, a.Code, a.State, a.flow} {
				if secret != "" && strings.Contains(s.log.String(), secret) && secret != "unknown" {
					t.Errorf("the log has %q: %s", secret, &s.log)
				}
			}
		})
	}
}

func claim(name string, value any) func(*stage, *attempt) {
	return func(s *stage, _ *attempt) { s.provider.Claims[name] = value }
}

func forge(f func(*stage, map[string]any) string) func(*stage, *attempt) {
	return func(s *stage, _ *attempt) {
		s.provider.Forge = func(claims map[string]any) string { return f(s, claims) }
	}
}

// TestClockSkew accepts a token that has expired by the clock of this server only.
func TestClockSkew(t *testing.T) {
	s := newStage(t, nil)
	s.provider.Claims["exp"] = time.Now().Add(-50 * time.Second).Unix()
	if _, err := s.finish(s.visit()); err != nil {
		t.Error(err)
	}
}

// TestKeyRotation checks that a new key is accepted immediately, and that keys are not fetched for other
// reasons.
func TestKeyRotation(t *testing.T) {
	s := newStage(t, nil)
	for range 3 {
		if _, err := s.finish(s.visit()); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.provider.Requests["/keys"]; n != 1 {
		t.Errorf("the keys were fetched %d times, expected 1", n)
	}
	s.provider.RotateKey()
	if _, err := s.finish(s.visit()); err != nil {
		t.Error(err)
	}
	if n := s.provider.Requests["/.well-known/openid-configuration"]; n != 1 {
		t.Errorf("the description was fetched %d times, expected 1", n)
	}
}

// TestSlowProvider checks that the server stops waiting for a provider when the request is canceled.
func TestSlowProvider(t *testing.T) {
	s := newStage(t, nil)
	a := s.visit()
	stopped := make(chan struct{})
	s.provider.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		<-stopped
		return true
	}
	defer close(stopped)
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := s.Finish(ctx, a.id, a.flow, a.Answer); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
}

// TestReturnPath checks that a sign-in only leads to pages of this application.
func TestReturnPath(t *testing.T) {
	s := newStage(t, nil)
	for next, want := range map[string]string{
		"/f/a%20b?q=x#y": "/f/a%20b?q=x#y", "": "/", "https://evil.example": "/", "//evil.example": "/",
		"/\\evil.example": "/", "evil": "/", "javascript:alert(1)": "/", "/\t/evil.example": "/", "/%": "/",
		"/" + strings.Repeat("a", 2000): "/",
	} {
		location, _, flow, err := s.Begin(t.Context(), "one", next)
		if err != nil {
			t.Fatal(err)
		}
		code, state := s.provider.Visit(location)
		p, err := s.Finish(t.Context(), "one", flow, signin.Answer{Code: code, State: state})
		if err != nil || p.Next != want {
			t.Errorf("%q leads to %v, %v, expected %q", next, p, err, want)
		}
	}
}

func TestRoles(t *testing.T) {
	for _, c := range []struct {
		claim         string
		admins, users []string
		claims        string
		want          auth.Role // empty: rejected; "-": the current role stays
	}{
		{"groups", []string{"admins"}, nil, `{"groups": ["staff", "admins"]}`, auth.RoleAdmin},
		{"groups", []string{"admins"}, nil, `{"groups": ["staff"]}`, auth.RoleUser},
		{"groups", []string{"admins"}, nil, `{}`, auth.RoleUser},
		{"groups", []string{"admins"}, []string{"staff"}, `{"groups": ["staff"]}`, auth.RoleUser},
		{"groups", []string{"admins"}, []string{"staff"}, `{"groups": ["other"]}`, ""},
		{"groups", []string{"admins"}, []string{"staff"}, `{"groups": {"staff": true}}`, ""},
		{"groups", []string{"admins"}, []string{"staff"}, `{}`, ""},
		{"hd", nil, []string{"example.com"}, `{"hd": "example.com"}`, "-"},
		{"hd", nil, []string{"example.com"}, `{}`, ""},
		{"realm_access.roles", []string{"root"}, nil, `{"realm_access": {"roles": ["root"]}}`, auth.RoleAdmin},
		{"https://x.example/roles", []string{"root"}, nil, `{"https://x.example/roles": "root"}`, auth.RoleAdmin},
	} {
		s := newStage(t, func(one map[string]any) {
			one["rolesClaim"], one["admins"], one["users"] = c.claim, c.admins, c.users
		})
		if err := json.Unmarshal([]byte(c.claims), &s.provider.Claims); err != nil {
			t.Fatal(err)
		}
		p, err := s.finish(s.visit())
		if c.want == "" {
			if err != nil || !p.Denied || p.Role != "" {
				t.Errorf("%s: %v, %v", c.claims, p, err)
			}
		} else if err != nil || p.Role != auth.Role(strings.Trim(string(c.want), "-")) || p.Denied {
			t.Errorf("%s: %+v, %v, expected %s", c.claims, p, err, c.want)
		}
	}
}

func TestBackChannelLogout(t *testing.T) {
	s := newStage(t, nil)
	events := map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}
	token := func(change map[string]any) string {
		claims := map[string]any{"iss": s.provider.URL, "aud": signintest.ClientID, "iat": s.now.Unix(),
			"exp": s.now.Add(time.Minute).Unix(), "jti": "1", "sub": "42", "sid": "session-1", "events": events}
		for name, value := range change {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}
		return s.provider.Sign(claims)
	}
	ended, err := s.Logout(t.Context(), "one", token(nil))
	second := time.Unix(s.now.Unix(), 0)
	if err != nil || *ended != (signin.Ended{
		Provider: "one", Issuer: s.provider.URL, Subject: "42", Session: "session-1",
		Token: "1", Expires: second.Add(2 * time.Minute), Until: second.Add(time.Minute),
	}) {
		t.Errorf("%+v, %v", ended, err)
	}
	for name, change := range map[string]map[string]any{
		"an ID token":      {"events": nil},
		"a nonce":          {"nonce": "x"},
		"another audience": {"aud": "x"},
		"another issuer":   {"iss": s.other.URL},
		"expired":          {"exp": s.now.Add(-2 * time.Minute).Unix()},
		"nobody":           {"sub": nil, "sid": nil},
		"no time":          {"iat": nil},
	} {
		if ended, err := s.Logout(t.Context(), "one", token(change)); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %+v, %v", name, ended, err)
		}
	}
	if ended, err := s.Logout(t.Context(), "two", token(nil)); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("at another provider: %+v, %v", ended, err)
	}
}

// TestStrangersAskNothingOfProviders checks that requests that anybody can send cause few requests to a
// provider.
func TestStrangersAskNothingOfProviders(t *testing.T) {
	s := newStage(t, nil)
	forged := func(issuer string) string {
		key, _ := s.other.Keys()
		return signintest.Sign(jose.ES256, key, rand.Text(), map[string]any{"iss": issuer, "aud": signintest.ClientID})
	}
	logout := func(token string) {
		t.Helper()
		if _, err := s.Logout(t.Context(), "one", token); fault.CodeOf(err) != fault.Invalid {
			t.Error(err)
		}
	}
	for _, token := range []string{"x", "a.b.c", "a.e30.c", forged(s.other.URL)} {
		logout(token)
	}
	if n := s.provider.Requests["/.well-known/openid-configuration"] + s.provider.Requests["/keys"]; n != 0 {
		t.Errorf("tokens of strangers led to %d requests, expected none", n)
	}
	for range 5 {
		logout(forged(s.provider.URL))
	}
	if n := s.provider.Requests["/keys"]; n != 1 {
		t.Errorf("forged tokens led to %d requests for keys, expected 1", n)
	}
	if _, err := s.finish(s.visit()); err != nil {
		t.Errorf("a sign-in meanwhile: %v", err)
	}
}

// TestOutages checks that a provider that does not respond is asked only once for all requests, and again
// after a while.
func TestOutages(t *testing.T) {
	s := newStage(t, nil)
	s.provider.Before = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	asked := func(want int) {
		t.Helper()
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if _, _, _, err := s.Begin(t.Context(), "one", "/"); err == nil {
					t.Error("the sign-in begins")
				}
			})
		}
		all.Wait()
		if n := s.provider.Requests["/.well-known/openid-configuration"]; n != want {
			t.Errorf("the description was asked for %d times, expected %d", n, want)
		}
	}
	asked(1)
	s.now = s.now.Add(6 * time.Second)
	asked(2)
	s.provider.Before = nil
	s.now = s.now.Add(6 * time.Second)
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if _, _, _, err := s.Begin(t.Context(), "one", "/"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := s.provider.Requests["/.well-known/openid-configuration"]; n != 3 {
		t.Errorf("the description was asked for %d times, expected 3", n)
	}
}

func TestLogoutURL(t *testing.T) {
	s := newStage(t, func(one map[string]any) { one["endSession"] = true })
	want := s.provider.URL + "/logout?client_id=safelight&post_logout_redirect_uri=" +
		"https%3A%2F%2Fphotos.example.com%2Flogin"
	if got := s.LogoutURL(t.Context(), "one"); got != want {
		t.Errorf("%s, expected %s", got, want)
	}
	if got := s.LogoutURL(t.Context(), "two"); got != "" {
		t.Errorf("%s, expected nothing without endSession", got)
	}
}

// TestDescriptions checks that providers are rejected whose discovery document has another issuer, or
// insecure or malformed URLs.
func TestDescriptions(t *testing.T) {
	for name, metadata := range map[string]map[string]any{
		"another issuer": {"issuer": "https://x.example"},
		"a script":       {"authorization_endpoint": "javascript:alert(1)"},
		"plain HTTP":     {"token_endpoint": "http://id.example/token"},
		"no keys":        {"jwks_uri": nil},
		"open userinfo":  {"userinfo_endpoint": "http://id.example/userinfo"},
	} {
		s := newStage(t, nil)
		s.provider.Metadata = metadata
		if _, _, _, err := s.Begin(t.Context(), "one", "/"); err == nil {
			t.Errorf("%s is accepted", name)
		}
		if err := s.Check(t.Context(), "one"); err == nil {
			t.Errorf("the check accepts %s", name)
		}
	}
	if err := newStage(t, nil).Check(t.Context(), "one"); err != nil {
		t.Error(err)
	}
}

// TestUserInfo checks that claims that are missing in the ID token are read from the userinfo endpoint,
// except for those that protect the sign-in.
func TestUserInfo(t *testing.T) {
	for name, c := range map[string]struct {
		claims, info string
		role         auth.Role
		email        string
		code         fault.Code
	}{
		"roles": {`{"sub": "1", "email": "a@example.com", "email_verified": true}`,
			`{"sub": "1", "groups": ["admins"]}`, auth.RoleAdmin, "a@example.com", ""},
		"the ID token counts": {`{"sub": "1", "groups": [], "email": "a@example.com", "email_verified": true}`,
			`{"sub": "1", "groups": ["admins"], "email": "b@example.com"}`, auth.RoleUser, "a@example.com", ""},
		"an address": {`{"sub": "1", "groups": []}`,
			`{"sub": "1", "email": "b@example.com", "email_verified": true}`, auth.RoleUser, "b@example.com", ""},
		"an address that is not verified": {`{"sub": "1", "groups": [], "email_verified": true}`,
			`{"sub": "1", "email": "b@example.com"}`, auth.RoleUser, "", ""},
		"another address is verified": {`{"sub": "1", "email": "a@example.com"}`,
			`{"sub": "1", "groups": [], "email": "b@example.com", "email_verified": true}`, auth.RoleUser, "", ""},
		"verified in capitals": {`{"sub": "1", "email": "a@example.com"}`,
			`{"sub": "1", "groups": [], "EMAIL_VERIFIED": true}`, auth.RoleUser, "", ""},
		"somebody else": {`{"sub": "1"}`, `{"sub": "2", "groups": ["admins"]}`, "", "", fault.Unauthenticated},
		"another client": {`{"sub": "1", "azp": "x"}`, `{"sub": "1", "azp": "safelight", "groups": ["admins"]}`, "", "",
			fault.Unauthenticated},
		"no endpoint": {`{"sub": "1"}`, `null`, auth.RoleUser, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, func(one map[string]any) {
				one["rolesClaim"], one["admins"], one["linkByEmail"] = "groups", []string{"admins"}, true
			})
			for text, to := range map[string]*map[string]any{c.claims: &s.provider.Claims, c.info: &s.provider.Info} {
				if err := json.Unmarshal([]byte(text), to); err != nil {
					t.Fatal(err)
				}
			}
			p, err := s.finish(s.visit())
			if fault.CodeOf(err) != c.code {
				t.Fatalf("%v, expected %q", err, c.code)
			}
			if err == nil && (p.Role != c.role || p.Email != c.email || p.Subject != "1") {
				t.Errorf("%+v", p)
			}
		})
	}
	s := newStage(t, func(one map[string]any) { one["rolesClaim"], one["admins"] = "groups", []string{"admins"} })
	s.provider.Info = map[string]any{"sub": "1"}
	s.provider.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/userinfo" {
			w.WriteHeader(http.StatusBadGateway)
		}
		return r.URL.Path == "/userinfo"
	}
	if _, err := s.finish(s.visit()); err == nil {
		t.Error("somebody gets a role while the userinfo endpoint does not answer")
	}
}

// TestNamesFromUserInfo checks that the names of new accounts are read from the userinfo endpoint if the ID
// token has none, and that people can sign in without names while that endpoint is down.
func TestNamesFromUserInfo(t *testing.T) {
	creates := func(one map[string]any) { one["createAccounts"] = true }
	for name, c := range map[string]struct {
		change         func(one map[string]any)
		claims         map[string]any
		name, username string
		asked          int
	}{
		"no names":    {creates, map[string]any{}, "Ada Lovelace", "ada", 1},
		"one name":    {creates, map[string]any{"name": "Ada"}, "Ada", "ada", 1},
		"both names":  {creates, map[string]any{"name": "A", "preferred_username": "a"}, "A", "a", 0},
		"no accounts": {nil, map[string]any{}, "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, c.change)
			s.provider.Claims = map[string]any{"sub": "1"}
			maps.Copy(s.provider.Claims, c.claims)
			s.provider.Info = map[string]any{"sub": "1", "name": "Ada Lovelace", "preferred_username": "ada"}
			p, err := s.finish(s.visit())
			if err != nil {
				t.Fatal(err)
			}
			if p.Name != c.name || p.Username != c.username || s.provider.Requests["/userinfo"] != c.asked {
				t.Errorf("%q, %q after %d requests", p.Name, p.Username, s.provider.Requests["/userinfo"])
			}
		})
	}

	s := newStage(t, creates)
	s.provider.Info = map[string]any{"sub": "2", "name": "Eve"}
	if p, err := s.finish(s.visit()); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("names of another subject: %+v, %v", p, err)
	}
	s.provider.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/userinfo" {
			w.WriteHeader(http.StatusBadGateway)
		}
		return r.URL.Path == "/userinfo"
	}
	if p, err := s.finish(s.visit()); err != nil || p.Name != "" {
		t.Errorf("without names: %+v, %v", p, err)
	}
}

// TestFiles checks that errors name the mistake in the file.
func TestFiles(t *testing.T) {
	const start = `{"id": "a", "name": "A", "clientId": "c", "issuer": "https://id.example"`
	for text, want := range map[string]string{
		`[` + start + `}]`:                      "",
		`[]`:                                    "",
		`{}`:                                    "is not a JSON list",
		`[` + start + `}] []`:                   "text after",
		`[` + start + `, "clientSecret": "x"}]`: "clientSecret",
		`[` + start + `}, ` + start + `}]`:      "two providers",
		`[` + start + `, "id": "A b"}]`:         "id must have",
		`[` + start + `, "name": ""}]`:          "name must have",
		`[` + start + `, "clientId": ""}]`:      "clientId is missing",
		`[` + start + `, "issuer": "http://id.example"}]`: "is not https",
		`[` + start + `, "issuer": "https://u:p@id.e"}]`:  "is not a URL",
		`[` + start + `, "admins": ["x"]}]`:               "need rolesClaim",
		`[` + start + `, "rolesClaim": "x"}]`:             "rolesClaim needs",
		`[` + start + `, "clientSecretEnv": "NONE"}]`:     "NONE of the client secret is not set",
		`[` + start + `, "clientSecretFile": "/none/x"}]`: "reading clientSecretFile",
	} {
		file := filepath.Join(t.TempDir(), "p.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := signin.Load(file, func(string) string { return "" })
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}

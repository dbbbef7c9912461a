package server_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/accounts/signin"
	"github.com/safelight/safelight/accounts/signin/signintest"
	"github.com/safelight/safelight/server"
)

// signinStage is a server with a provider.
func signinStage(t *testing.T) (*stage, *signintest.Provider) {
	t.Helper()
	provider := signintest.New(t)
	file := filepath.Join(t.TempDir(), "providers.json")
	text := `[{"id": "one", "name": "One", "issuer": "` + provider.URL + `", "clientId": "safelight",
		"clientSecretEnv": "SECRET", "createAccounts": true, "endSession": true}]`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := signin.Load(file, func(string) string { return signintest.ClientSecret })
	if err != nil {
		t.Fatal(err)
	}
	return newStageWith(t, nil, func(d *server.Deps) {
		d.Signin, err = signin.New(all, "https://photos.example.com",
			func() []string { return d.Keyring.Derive("sign-in") }, time.Now, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
	}), provider
}

// begin leads a browser to the provider and back, and returns the cookie and the body for finish.
func begin(s *stage, provider *signintest.Provider, next string) (cookie *http.Cookie, body string) {
	s.Helper()
	a := s.do("GET", "/api/auth/providers/one/begin?next="+url.QueryEscape(next), "")
	if a.status != http.StatusSeeOther || a.header.Get("Cache-Control") != "no-store" {
		s.Fatalf("%d %s", a.status, a.body)
	}
	cookie, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
	if err != nil {
		s.Fatal(err)
	}
	code, state := provider.Visit(a.header.Get("Location"))
	data, _ := json.Marshal(map[string]string{"code": code, "state": state, "iss": provider.URL})
	return cookie, string(data)
}

func finish(s *stage, cookie *http.Cookie, body string) answer {
	return s.do("POST", "/api/auth/providers/one/finish", body,
		"Content-Type", "application/json", "Cookie", cookie.Name+"="+cookie.Value)
}

// TestSigninOverHTTP signs in through a provider, and out of both.
func TestSigninOverHTTP(t *testing.T) {
	s, provider := signinStage(t)
	if a := s.do("GET", "/api/auth/options", ""); !strings.Contains(a.body, `"providers":[{"id":"one","name":"One"}]`) {
		t.Error(a.body)
	}
	provider.Claims = map[string]any{"sub": "1", "name": "Ada", "sid": "there"}
	cookie, body := begin(s, provider, "/map")
	if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 600 ||
		cookie.Path != "/" || !strings.HasPrefix(cookie.Name, "__Host-") {
		t.Errorf("the cookie is %s", cookie)
	}
	a := finish(s, cookie, body)
	if a.status != 200 || a.json("next") != "/map" || a.json("user", "displayName") != "Ada" ||
		a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if gone, err := http.ParseSetCookie(a.header.Get("Set-Cookie")); err != nil || gone.Name != cookie.Name ||
		gone.MaxAge >= 0 && gone.Expires.After(time.Now()) {
		t.Errorf("the cookie stays: %v", a.header["Set-Cookie"])
	}
	token := a.json("token").(string)
	if again := finish(s, cookie, body); again.status != 401 || again.code() != "UNAUTHENTICATED" {
		t.Errorf("the same answer again: %d %s", again.status, again.body)
	}
	if me := s.do("GET", "/api/auth/me", "", "Authorization", "Bearer "+token); me.status != 200 {
		t.Errorf("%d %s", me.status, me.body)
	}
	out := s.do("POST", "/api/auth/logout", "{}", "Authorization", "Bearer "+token)
	if address, _ := out.json("providerLogoutUrl").(string); !strings.HasPrefix(address, provider.URL+"/logout?") {
		t.Errorf("the logout answers %d %s", out.status, out.body)
	}
	if me := s.do("GET", "/api/auth/me", "", "Authorization", "Bearer "+token); me.status != 401 {
		t.Errorf("after the logout: %d", me.status)
	}
}

// TestTwoTabs signs in from two tabs that began at the same time, and keeps a flow whose state did not come back.
func TestTwoTabs(t *testing.T) {
	s, provider := signinStage(t)
	one, first := begin(s, provider, "/one")
	two, second := begin(s, provider, "/two")
	both := &http.Cookie{Name: one.Name, Value: one.Value + "; " + two.Name + "=" + two.Value}
	wrong := finish(s, both, `{"code": "x", "state": "of another browser"}`)
	if wrong.status != 401 || len(wrong.header["Set-Cookie"]) > 0 {
		t.Errorf("another state: %d, cookies %v", wrong.status, wrong.header["Set-Cookie"])
	}
	for next, body := range map[string]string{"/one": first, "/two": second} {
		if a := finish(s, both, body); a.status != 200 || a.json("next") != next {
			t.Errorf("the tab of %s: %d %s", next, a.status, a.body)
		}
	}
}

// TestForgottenFlows checks that sign-ins that are never finished do not fill the headers of a browser.
func TestForgottenFlows(t *testing.T) {
	s, provider := signinStage(t)
	var kept []string
	for range 4 {
		cookie, _ := begin(s, provider, "/")
		kept = append(kept, cookie.Name+"="+cookie.Value)
	}
	a := s.do("GET", "/api/auth/providers/one/begin", "", "Cookie", strings.Join(kept, "; "))
	gone := 0
	for _, line := range a.header["Set-Cookie"] {
		if c, err := http.ParseSetCookie(line); err == nil && !c.Expires.IsZero() && c.Expires.Before(time.Now()) {
			gone++
		}
	}
	if gone != 4 || len(a.header["Set-Cookie"]) != 5 {
		t.Errorf("%d flows are removed: %v", gone, a.header["Set-Cookie"])
	}
}

// TestProviderLogoutOverHTTP ends a session with a logout token; others are refused.
func TestProviderLogoutOverHTTP(t *testing.T) {
	s, provider := signinStage(t)
	provider.Claims = map[string]any{"sub": "1", "sid": "there"}
	cookie, body := begin(s, provider, "/")
	token := finish(s, cookie, body).json("token").(string)
	logout := func(token string) answer {
		return s.do("POST", "/api/auth/providers/one/logout", url.Values{"logout_token": {token}}.Encode(),
			"Content-Type", "application/x-www-form-urlencoded")
	}
	claims := map[string]any{"iss": provider.URL, "aud": "safelight", "iat": time.Now().Unix(), "jti": "1",
		"exp": time.Now().Add(time.Minute).Unix(), "sid": "there"}
	if a := logout(provider.Sign(claims)); a.status != 400 {
		t.Errorf("a token without the event: %d %s", a.status, a.body)
	}
	if a := logout(""); a.status != 400 {
		t.Errorf("no token: %d %s", a.status, a.body)
	}
	me := func() int { return s.do("GET", "/api/auth/me", "", "Authorization", "Bearer "+token).status }
	if me() != 200 {
		t.Error("a refused logout has ended the session")
	}
	claims["events"] = map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}
	if a := logout(provider.Sign(claims)); a.status != 200 || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if me() != 401 {
		t.Error("the session goes on")
	}
}

// TestNoSuchProvider answers 404, also on a server without providers.
func TestNoSuchProvider(t *testing.T) {
	s := newStage(t, nil)
	for _, path := range []string{"begin", "finish", "logout"} {
		method, body, kind := "POST", "{}", "application/json"
		if path == "begin" {
			method, body = "GET", ""
		}
		if path == "logout" {
			body, kind = "logout_token=x", "application/x-www-form-urlencoded"
		}
		a := s.do(method, "/api/auth/providers/one/"+path, body, "Content-Type", kind)
		if a.status != 404 || a.code() != "NOT_FOUND" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// TestForgedCodes sends answers that no provider gave, with a flow that anybody gets: the provider is asked about a
// hundred a minute of them, because it may refuse a client that asks too often, and the others who sign in with it.
func TestForgedCodes(t *testing.T) {
	s, provider := signinStage(t)
	var a answer
	for range 12 { // another flow does not help
		cookie, honest := begin(s, provider, "/")
		forged := strings.Replace(honest, `"code":"`, `"code":"forged`, 1)
		for range 12 {
			a = finish(s, cookie, forged)
		}
	}
	if n := provider.Requests["/token"]; n != 100 {
		t.Errorf("the provider was asked %d times by one address, expected 100", n)
	}
	if a.status != 429 || a.code() != "RATE_LIMITED" || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.status, a.body)
	}
}

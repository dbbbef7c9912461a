package server_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

func TestAuthRoutes(t *testing.T) {
	s := newStage(t, func(_ *server.Config, c *gallerytest.Config) { c.Accounts.Registration = true })
	js := []string{"Content-Type", "application/json"}
	a := s.do("POST", "/api/auth/register", `{"displayName":"New","username":"new","password":"`+stagePassword+`"}`,
		js...)
	if a.status != 201 || a.json("user", "role") != "user" || a.json("user", "displayName") != "New" ||
		a.json("expiresIn") != float64(3600) {
		t.Fatalf("register: %d %s", a.status, a.body)
	}
	if a := s.do("POST", "/api/auth/register", `{"displayName":"New","username":"NEW","password":"`+stagePassword+`"}`,
		js...); a.status != 409 || a.code() != "USERNAME_EXISTS" {
		t.Errorf("register twice: %d %s", a.status, a.body)
	}
	a = s.do("POST", "/api/auth/login", `{"username":"new","password":"`+stagePassword+`"}`, js...)
	token, _ := a.json("token").(string)
	if a.status != 200 || len(strings.Split(token, ".")) != 3 || a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("login: %d %s", a.status, a.body)
	}
	exact := regexp.MustCompile(
		`^\{"token":"[^"]+","expiresIn":\d+,"user":\{"id":"[0-9a-f-]{36}","displayName":"[^"]+","username":"[^"]+","role":"[a-z]+"\}\}$`,
	)
	if !exact.MatchString(a.body) {
		t.Errorf("the auth response is %s", a.body)
	}
	bearer := []string{"Authorization", "Bearer " + token}
	if a := s.do("GET", "/api/auth/me", "", bearer...); a.status != 200 || a.json("user", "username") != "new" ||
		len(a.json("scopes").([]any)) != 2 {
		t.Errorf("me: %d %s", a.status, a.body)
	}
	next := s.do("POST", "/api/auth/refresh", `{"token":"`+token+`"}`, js...)
	if next.status != 200 || next.json("token") == token {
		t.Errorf("refresh: %d %s", next.status, next.body)
	}
	if a := s.do("POST", "/api/auth/logout", "", bearer...); a.status != 204 || a.body != "" {
		t.Errorf("logout: %d %s", a.status, a.body)
	}
	if a := s.do("GET", "/api/auth/me", "", bearer...); a.status != 401 || a.code() != "UNAUTHENTICATED" ||
		a.header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("me after logout: %d %s", a.status, a.body)
	}
	if a := s.do("GET", "/api/auth/me", "", "Authorization", "Bearer "+next.json("token").(string)); a.status != 401 {
		t.Errorf("a token refreshed from the same login outlives the logout: %d %s", a.status, a.body)
	}
	if a := s.do("POST", "/api/auth/guest", ""); a.status != 200 || a.json("user", "role") != "guest" {
		t.Errorf("guest: %d %s", a.status, a.body)
	}
	for range 10 {
		s.do("POST", "/api/auth/login", `{"username":"victim","password":"x"}`, js...)
	}
	if a := s.do("POST", "/api/auth/login", `{"username":"victim","password":"x"}`, js...); a.status != 429 ||
		a.code() != "RATE_LIMITED" || a.header.Get("Retry-After") == "" {
		t.Errorf("the eleventh login: %d %s", a.status, a.body)
	}
	closed := newStage(t, func(_ *server.Config, c *gallerytest.Config) { c.Accounts.Guest = false })
	if a := closed.do("POST", "/api/auth/guest", ""); a.status != 403 || a.code() != "GUEST_DISABLED" {
		t.Errorf("guest mode off: %d %s", a.status, a.body)
	}
}

// TestTokensInWrongPlaces sends a valid token in every way but the right one.
func TestTokensInWrongPlaces(t *testing.T) {
	s := newStage(t, nil)
	token := s.tokens["admin"]
	for _, header := range []string{"", token, "Basic " + token, "Bearer", "Bearer ", "Bearer  x", "Bearer " + token +
		"x", "Bearer " + token[:20]} {
		if a := s.do("GET", "/api/auth/me", "", "Authorization", header); a.status != 401 ||
			a.code() != "UNAUTHENTICATED" {
			t.Errorf("Authorization %.20q: %d %s", header, a.status, a.body)
		}
	}
	if a := s.do("GET", "/api/auth/me?token="+token, ""); a.status != 401 {
		t.Errorf("a token in the query: %d", a.status)
	}
}

// TestOpenAPI: every described route exists, and every route is described.
func TestOpenAPI(t *testing.T) {
	s := newStage(t, nil)
	a := s.do("GET", "/openapi.json", "")
	var doc struct {
		Paths map[string]map[string]*struct {
			Responses map[string]any
			Security  []map[string]any // an empty one: no token is needed
		}
	}
	s.must(json.Unmarshal([]byte(a.body), &doc))
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			a := s.do(strings.ToUpper(method), path, "")
			if _, ok := operation.Responses[jsonNumber(a.status)]; !ok {
				t.Errorf("%s %s answers %d, which is not described", method, path, a.status)
			}
			optional := slices.ContainsFunc(operation.Security, func(s map[string]any) bool { return len(s) == 0 })
			if (a.status == 401) != (len(operation.Security) > 0 && !optional) {
				t.Errorf("%s %s answers %d without a token, security is %v", method, path, a.status, operation.Security)
			}
		}
	}
	// image URLs, pages and what belongs to them
	undescribed := []string{"/", "/*", "/api/*", "/s/*", "/favicon.ico", "/robots.txt", "/playground/{file}"}
	parameter := regexp.MustCompile(`:(\w+)`)
	for _, route := range s.server.App().GetRoutes(true) {
		path := parameter.ReplaceAllString(route.Path, "{$1}")
		described := doc.Paths[path][strings.ToLower(route.Method)] != nil || route.Method == "HEAD" &&
			doc.Paths[path]["get"] != nil
		if described || slices.Contains(undescribed, path) || !slices.Contains([]string{"GET", "HEAD", "POST", "PUT",
			"PATCH", "DELETE"}, route.Method) {
			continue
		}
		if a := s.do(route.Method, path, ""); a.status != 405 {
			t.Errorf("route %s %s answers %d and is not described", route.Method, path, a.status)
		}
	}
}

func jsonNumber(n int) string { b, _ := json.Marshal(n); return string(b) }

func TestPages(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.PublicSchema = true })
	s.do("GET", "/healthz", "") // so that there is something to count
	for path, want := range map[string][2]string{
		"/": {"text/html; charset=utf-8", "Safelight"}, "/playground": {"text/html; charset=utf-8",
			"/playground/page.js"}, "/playground/page.js": {"text/javascript; charset=utf-8", "sessionStorage"},
		"/playground/graphiql.js":  {"text/javascript; charset=utf-8", "GraphiQL"},
		"/playground/graphiql.css": {"text/css; charset=utf-8", "graphiql"},
		"/schema.graphql":          {"text/plain; charset=utf-8", "directive @edit"},
		"/healthz":                 {"application/json", "ok"},
		"/readyz":                  {"application/json", "ok"},
		"/metrics":                 {"text/plain; version=0.0.4; charset=utf-8", "safelight_requests_total{route="},
	} {
		a := s.do("GET", path, "")
		if a.status != 200 || a.header.Get("Content-Type") != want[0] || !strings.Contains(a.body, want[1]) {
			t.Errorf("%s: %d %s %.80s", path, a.status, a.header.Get("Content-Type"), a.body)
		}
		if strings.HasPrefix(want[0], "text/html") && (!strings.Contains(a.header.Get("Content-Security-Policy"),
			"default-src 'none'") || strings.Contains(a.body, "http://") || strings.Contains(a.body, "https://")) {
			t.Errorf("%s must load nothing from elsewhere: %s", path, a.header.Get("Content-Security-Policy"))
		}
	}
	for _, path := range []string{"/playground/nothing.js", "/playground/page.html", "/playground/..%2Fserver.go",
		"/playground/graphiql.js.gz"} {
		if a := s.do("GET", path, ""); a.status != 404 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	s := newStage(t, nil)
	if a := s.do("GET", "/api/x", "", "X-Request-Id", "abc-123_XYZ"); a.json("requestId") != "abc-123_XYZ" {
		t.Error(a.body)
	}
	for _, bad := range []string{"short", "with space and more", strings.Repeat("x", 65), "<script>alert"} {
		if a := s.do("GET", "/api/x", "", "X-Request-Id", bad); a.json("requestId") == bad ||
			len(a.header.Get("X-Request-Id")) < 20 {
			t.Errorf("%q is taken: %s", bad, a.body)
		}
	}
}

func TestStream(t *testing.T) {
	s := newStage(t, nil)
	a := s.do("POST", "/api/graphql", `{"query":"{ me { role } }"}`, "Content-Type", "application/json", "Accept",
		"text/event-stream", "Authorization", "Bearer "+s.tokens["user"])
	if a.status != 200 || a.header.Get("Content-Type") != "text/event-stream" || a.body != "event: next\ndata: "+
		"{\"data\":{\"me\":{\"role\":\"USER\"}}}\n\nevent: complete\ndata:\n\n" {
		t.Errorf("%d %s %q", a.status, a.header.Get("Content-Type"), a.body)
	}
	a = s.do("POST", "/api/graphql", `{"query":"{ me { role } }"}`, "Content-Type", "application/json", "Accept",
		"application/graphql-response+json, application/json, text/event-stream, multipart/mixed", "Authorization",
		"Bearer "+s.tokens["user"])
	if !strings.HasPrefix(a.header.Get("Content-Type"), "application/graphql-response+json") {
		t.Errorf("urql's Accept gives %s", a.header.Get("Content-Type"))
	}
}

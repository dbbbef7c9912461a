package server_test

import (
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// apiToken creates a token through the API and adds it as an actor.
func (s *stage) apiToken(of, as, scopes string) (id string) {
	s.Helper()
	a := s.graphQL(
		of,
		`mutation { createApiToken(input: {name: "job", scopes: `+scopes+
			`}) { secret apiToken { id scopes prefix } } }`,
		nil,
	)
	secret, _ := a.json("data", "createApiToken", "secret").(string)
	if secret == "" {
		s.Fatalf("createApiToken: %d %s", a.status, a.body)
	}
	s.tokens[as] = secret
	id, _ = a.json("data", "createApiToken", "apiToken", "id").(string)
	return id
}

// TestAPITokenIsABearer uses a token wherever a session is accepted, and revokes it.
func TestAPITokenIsABearer(t *testing.T) {
	s := newStage(t, func(_ *server.Config, c *gallerytest.Config) { c.Accounts.Guest = true })
	s.apiToken("admin", "job", "[READ, WRITE]")
	bearer := []string{"Authorization", "Bearer " + s.tokens["job"]}

	a := s.do("GET", "/api/auth/me", "", bearer...)
	if scopes, _ := a.json("scopes").([]any); a.status != 200 || a.json("user", "username") != "admin" ||
		len(scopes) != 2 {
		t.Errorf("me: %d %s", a.status, a.body)
	}
	if a := s.graphQL(
		"job", `mutation { createFolder(input: {path: "by-token"}) { folder { path } userErrors { code field } } }`,
		nil); a.status != 200 ||
		a.code() != "" {
		t.Errorf("a mutation within the scopes: %d %s", a.status, a.body)
	}
	if a := s.graphQL("job", `{ users { totalCount } }`, nil); a.status != 403 || a.code() != "FORBIDDEN" {
		t.Errorf("a query beyond the scopes: %d %s", a.status, a.body)
	}
	if a := s.upload(
		"job",
		`mutation ($f: Upload!) { addFile(input: {path: "by-token/y.png", content: $f}) { file { path } userErrors { code } } }`, "f", png); a.json("data", "addFile", "file", "path") != "by-token/y.png" {
		t.Errorf("an upload: %d %s", a.status, a.body)
	}
	if a := s.do("GET", "/unsafe/10x10/a/b.png", "", bearer...); a.status != 200 {
		t.Errorf("an unsigned URL: %d %s", a.status, a.body)
	}
	if a := s.do("POST", "/api/auth/refresh", `{"token":"`+s.tokens["job"]+`"}`, "Content-Type",
		"application/json"); a.status != 401 {
		t.Errorf("a refresh: %d %s", a.status, a.body)
	}
	a = s.graphQL(
		"admin",
		`{ apiTokens { nodes { name lastUsedAt expiresAt } } auditEvents(first: 1, filter: {action: "file.upload"}) {
		totalCount pageInfo { hasNextPage endCursor } edges { cursor } nodes { actorName tokenId ipAddress requestId after } } }`,
		nil,
	)
	if a.code() != "" || a.json("data", "auditEvents", "totalCount") != 2.0 ||
		a.json("data", "auditEvents", "pageInfo", "hasNextPage") != true {
		t.Errorf("tokens and events: %d %s", a.status, a.body)
	}

	if a := s.do("POST", "/api/auth/logout", "", bearer...); a.status != 204 {
		t.Errorf("logout: %d %s", a.status, a.body)
	}
	for path, method := range map[string]string{"/api/auth/me": "GET", "/api/auth/logout": "POST",
		"/api/graphql?query={me{id}}": "GET"} {
		if a := s.do(method, path, "", bearer...); a.status != 401 || a.header.Get("WWW-Authenticate") != "Bearer" ||
			a.code() != "UNAUTHENTICATED" {
			t.Errorf("%s with a revoked token: %d %s", path, a.status, a.body)
		}
	}
	if a := s.do("GET", "/unsafe/10x10/a/b.png", "", bearer...); a.status == 200 {
		t.Errorf("an unsigned URL with a revoked token: %d", a.status)
	}
}

// TestAPITokenOfAdminChangesNoAccount calls each account mutation with a token that has every scope.
func TestAPITokenOfAdminChangesNoAccount(t *testing.T) {
	s := newStage(t, nil)
	s.apiToken("admin", "job", "[READ, WRITE, ADMIN]")
	if a := s.graphQL("job", `{ users { totalCount } }`, nil); a.status != 200 {
		t.Errorf("reading accounts: %d %s", a.status, a.body)
	}
	for _, query := range []string{
		`mutation { createUser(input: {displayName: "x", username: "x", password: "three blind mice 42", role: ADMIN}) { id } }`,
		`mutation { updateProfile(input: {displayName: "x"}) { id } }`,
		`mutation { changePassword(input: {currentPassword: "` + stagePassword +
			`", newPassword: "three deaf mice 42"}) }`,
		`mutation { deactivateAccount(userId: "` + nobody + `") }`,
		`mutation { reactivateAccount(userId: "` + nobody + `") }`,
		`mutation { deleteUser(input: {userId: "` + nobody + `"}) { deletedId } }`,
		`mutation { endSessions(input: {}) { userId } }`,
		`mutation { createApiToken(input: {name: "x"}) { secret } }`,
		`mutation { revokeApiToken(input: {id: "` + nobody + `"}) { revokedId } }`,
	} {
		if a := s.graphQL("job", query, nil); a.status != 403 || a.code() != "FORBIDDEN" {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
}

// TestAuditCursor: only cursors of ours are accepted, and pages follow each other.
func TestAuditCursor(t *testing.T) {
	s := newStage(t, nil)
	const query = `query ($after: String) { auditEvents(first: 2, after: $after) { nodes { id } pageInfo { endCursor hasPreviousPage } } }`
	a := s.graphQL("admin", query, nil)
	cursor := a.json("data", "auditEvents", "pageInfo", "endCursor")
	b := s.graphQL("admin", query, map[string]any{"after": cursor})
	if b.json("data", "auditEvents", "pageInfo", "hasPreviousPage") != true || a.body == b.body {
		t.Errorf("the second page: %s", b.body)
	}
	for _, bad := range []string{"", "x", "YXVkaXQ6LTE", "Zm9sZGVyOjE"} {
		if a := s.graphQL("admin", query, map[string]any{"after": bad}); a.code() != "INVALID" {
			t.Errorf("cursor %q: %s", bad, a.body)
		}
	}
}

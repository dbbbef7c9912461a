package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// hashed returns the extension of an automatic persisted query.
func hashed(query string) map[string]any {
	sum := sha256.Sum256([]byte(query))
	return map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hex.EncodeToString(sum[:])}}
}

// TestPersistedQueries: a hash is unknown until its document came with it, on both media types and methods; a document
// with a wrong hash is rejected and not kept.
func TestPersistedQueries(t *testing.T) {
	s := newStage(t, nil)
	const query, change = `query Who { me { username } }`,
		`mutation { createFolder(input: {path: "x"}) { folder { path } userErrors { code field } } }`
	send := func(method, accept string, body map[string]any) answer {
		headers := []string{"Authorization", "Bearer " + s.tokens["user"], "Accept", accept}
		if method == "GET" {
			return s.do("GET", "/api/graphql?"+queryOf(body), "", headers...)
		}
		b, err := json.Marshal(body)
		s.must(err)
		return s.do("POST", "/api/graphql", string(b), append(headers, "Content-Type", "application/json")...)
	}
	type m = map[string]any
	wrong := hashed(change)
	for i, c := range []struct {
		method, accept string
		body           m
		status         int
		want           string
	}{
		{"GET", oldType, m{"extensions": hashed(query)}, 200, "PersistedQueryNotFound"},
		{"POST", oldType, m{"extensions": hashed(query)}, 200, "PersistedQueryNotFound"},
		{"POST", newType, m{"extensions": hashed(query)}, 200, `"code":"PERSISTED_QUERY_NOT_FOUND"`},
		{"POST", newType, m{"query": query, "extensions": wrong}, 400, "SHA-256"},
		{"POST", oldType, m{"extensions": wrong}, 200, "PersistedQueryNotFound"},
		{"POST", newType, m{"query": query, "extensions": hashed(query)}, 200, `"username":"user"`},
		{"GET", oldType, m{"extensions": hashed(query)}, 200, `"username":"user"`},
		{"POST", newType, m{"extensions": hashed(query), "operationName": "Who"}, 200, `"username":"user"`},
		{"POST", oldType, m{"query": change, "extensions": hashed(change)}, 200, `"createFolder":{"folder":{"path":`},
		{"GET", oldType, m{"extensions": hashed(change)}, 405, "METHOD_NOT_ALLOWED"},
		{"POST", newType, m{"extensions": m{"persistedQuery": m{"version": 2, "sha256Hash": "00"}}}, 400, "expected 1"},
		{"POST", newType, m{"extensions": m{"persistedQuery": "x"}}, 400, "INVALID"},
		{"GET", newType, m{}, 400, "parameter query is missing"},
	} {
		if a := send(c.method, c.accept, c.body); a.status != c.status || !strings.Contains(a.body, c.want) {
			t.Errorf("%d: %d %s, expected %d with %s", i, a.status, a.body, c.status, c.want)
		}
	}
}

// TestBatches: a list of operations is answered with the list of their responses; its length is bounded.
func TestBatches(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.GraphQLBatch = 3 })
	send := func(body string) answer {
		return s.do("POST", "/api/graphql", body, "Content-Type", "application/json", "Authorization",
			"Bearer "+s.tokens["user"])
	}
	one := func(query string) string { return fmt.Sprintf(`{"query":%q}`, query) }
	a := send("[" + one(`{ me { username } }`) + "," + one(`{ nope }`) + "," +
		one(`mutation { createFolder(input: {path: "batch"}) { folder { path } userErrors { code field } } }`) + "]")
	var list []map[string]any
	if err := json.Unmarshal([]byte(a.body), &list); err != nil || a.status != 200 || len(list) != 3 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if list[0]["data"] == nil || list[1]["errors"] == nil || list[1]["data"] != nil || list[2]["data"] == nil {
		t.Errorf("%s", a.body)
	}
	for body, message := range map[string]string{
		"[]": "0 operations, expected 1 to 3",
		"[" + strings.Repeat(one("{ me { id } }")+",", 3) + one("{ me { id } }") + "]": "4 operations, expected 1 to 3",
		`[1]`: "not JSON", `[{"query":5}]`: "wrong type", `[{"query":"{ me { id } }"}`: "not JSON",
	} {
		if a := send(body); a.status != 400 || !strings.Contains(a.body, message) {
			t.Errorf("%.60s: %d %s, expected 400 %s", body, a.status, a.body, message)
		}
	}
}

// TestPublicSchema: with the setting, introspection needs no token, and every other field does.
func TestPublicSchema(t *testing.T) {
	for _, public := range []bool{false, true} {
		s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.PublicSchema = public })
		for query, open := range map[string]bool{
			"{ __schema { queryType { name } } }": true, `{ __type(name: \"File\") { name } }`: true,
			"{ __typename }":      true,
			"{ me { username } }": false, "{ __typename files { totalCount } }": false,
			`mutation { createFolder(input: {path: \"x\"}) { folder { path } userErrors { code field } } }`: false,
		} {
			a := s.do("POST", "/api/graphql", `{"query":"`+query+`"}`, "Content-Type", "application/json")
			if passed := a.status == 200 && !strings.Contains(a.body, "errors"); passed != (public && open) {
				t.Errorf("public %v: %s: %d %s", public, query, a.status, a.body)
			}
			if public && !open && !strings.Contains(a.body, "UNAUTHENTICATED") {
				t.Errorf("%s: %s", query, a.body)
			}
		}
		form := "--x\r\nContent-Disposition: form-data; name=\"operations\"\r\n\r\n{\"query\":\"{ __typename " +
			"}\"}\r\n--x--\r\n"
		if a := s.do("POST", "/api/graphql", form, "Content-Type", "multipart/form-data; boundary=x"); a.status != 401 {
			t.Errorf("a form: %d %s", a.status, a.body)
		}
		if a := s.do("POST", "/api/graphql", `{"query":"{ __typename }"}`, "Content-Type", "application/json",
			"Authorization", "Bearer nonsense"); a.status != 401 {
			t.Errorf("a wrong token: %d %s", a.status, a.body)
		}
	}
}

// TestIntrospectionAtSchema: tools that send an introspection query to the address of the schema are sent on to the
// API, which keeps their method and body.
func TestIntrospectionAtSchema(t *testing.T) {
	s := newStage(t, nil)
	const query = `{"query":"{ __schema { queryType { name } } }"}`
	a := s.do("POST", "/schema.graphql", query, "Content-Type", "application/json")
	if a.status != 308 || a.header.Get("Location") != "/api/graphql" {
		t.Fatalf("%d %v", a.status, a.header)
	}
	to := a.header.Get("Location")
	if a := s.do("POST", to, query, "Content-Type", "application/json", "Authorization",
		"Bearer "+s.tokens["guest"]); !strings.Contains(a.body, `"name":"Query"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.do("PUT", "/schema.graphql", query); a.status != 405 || a.header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("PUT: %d %v", a.status, a.header)
	}
}

// TestDeferIsNotOffered: responses come in one piece, so the schema does not say otherwise.
func TestDeferIsNotOffered(t *testing.T) {
	s := newStage(t, nil)
	if a := s.graphQL("user", `{ __schema { directives { name } } }`, nil); strings.Contains(a.body, `"defer"`) ||
		!strings.Contains(a.body, `"skip"`) {
		t.Errorf("%s", a.body)
	}
	if a := s.graphQL("user", `{ me { ... @defer { username } } }`, nil); a.code() != "GRAPHQL_VALIDATION_FAILED" {
		t.Errorf("%s", a.body)
	}
}

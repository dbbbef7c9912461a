package server_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// eventStream is an open response of server-sent events.
type eventStream struct {
	*stage
	status int
	lines  *bufio.Scanner
	body   string // if it is no stream
	close  func()
}

// subscribe opens a subscription by POST, as graphql-sse in the distinct connections mode.
func (s *stage) subscribe(actor, query string) *eventStream {
	s.Helper()
	b, err := json.Marshal(map[string]string{"query": query})
	s.must(err)
	return s.open(actor, "POST", "/api/graphql", string(b))
}

func (s *stage) open(actor, method, path, body string) *eventStream {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute) // nothing that it waits for takes this long
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	s.must(err)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.tokens[actor])
	res, err := http.DefaultTransport.RoundTrip(req)
	s.must(err)
	e := &eventStream{stage: s, status: res.StatusCode, lines: bufio.NewScanner(res.Body),
		close: func() { cancel(); res.Body.Close() }}
	s.Cleanup(e.close)
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		e.lines.Scan()
		e.body = e.lines.Text()
	}
	return e
}

// next returns the name and data of the next event; heartbeats are skipped. The name is empty at the end.
func (e *eventStream) next() (name, data string) {
	for e.lines.Scan() {
		line := e.lines.Text()
		if n, ok := strings.CutPrefix(line, "event: "); ok {
			name = n
		}
		if d, ok := strings.CutPrefix(line, "data:"); ok {
			data = strings.TrimSpace(d)
		}
		if line == "" && name != "" {
			return name, data
		}
	}
	return "", ""
}

// until returns the data of the first event that contains text.
func (e *eventStream) until(text string) string {
	e.Helper()
	for {
		name, data := e.next()
		if name == "" || name == "complete" {
			e.Fatalf("the stream ended before %s", text)
		}
		if strings.Contains(data, text) {
			return data
		}
	}
}

// lingering is an executor whose operations end when the test says so, whatever their client does.
type lingering struct {
	graphql.GraphExecutor
	began, goOn chan struct{}
}

func (l lingering) DispatchOperation(
	ctx context.Context, _ *graphql.OperationContext,
) (graphql.ResponseHandler, context.Context) {
	return func(context.Context) *graphql.Response {
		close(l.began)
		<-l.goOn
		return nil
	}, ctx
}

// TestFilesOfStream: the files of an operation are in use until it has ended, not until its client has left.
func TestFilesOfStream(t *testing.T) {
	l := lingering{began: make(chan struct{}), goOn: make(chan struct{})}
	var files server.Files
	s := newStageWith(t, func(c *server.Config, _ *gallerytest.Config) { c.Heartbeat = time.Millisecond },
		func(d *server.Deps) {
			l.GraphExecutor, files = d.Files.GraphQL, d.Files
			d.Files.GraphQL = l
		})
	e := s.subscribe(
		"user",
		`mutation { createFolder(input: {path: "new"}) { folder { path } userErrors { code field } } }`,
	)
	<-l.began
	e.close()
	before := s.server.Replace(files)
	select {
	case <-before.Idle():
		t.Error("the files are idle while a change of them goes on")
	case <-time.After(300 * time.Millisecond): // heartbeats find that the client has left
	}
	close(l.goOn)
	<-before.Idle()
}

const folderChanges = `subscription { folderChanges(folder: "a", recursive: true) { kind path file { size tags } } }`

// TestFolderChanges: uploads, tags, moves and deletions in a folder arrive as events, and so does what something else
// does to the folder; changes elsewhere and hidden files do not.
func TestFolderChanges(t *testing.T) {
	s := newStage(t, nil)
	e := s.subscribe("guest", folderChanges)
	e.until(`"kind":"RELOAD","path":"a"`)
	s.store("other/x.png", png)
	s.must(os.WriteFile(filepath.Join(s.files, "a", ".hidden.png"), []byte(png), 0o600))
	s.store("a/deep/c.png", png)
	if name, data := e.next(); name != "next" ||
		data != `{"data":{"folderChanges":{"kind":"CHANGED","path":"a/deep/c.png","file":{"size":13,"tags":[]}}}}` {
		t.Errorf("%s %s", name, data)
	}
	if a := s.graphQL(
		"user", `mutation { updateFile(input: {path: "a/b.png", tags: ["sea"]}) { userErrors { code } } }`,
		nil); a.code() != "" {
		t.Fatal(a.body)
	}
	e.until(`"tags":["sea"]`)
	if a := s.graphQL(
		"user",
		`mutation { moveFiles(input: {paths: ["a/b.png"], folder: "other", name: "b.png"}) { results { ok error { code message field } } userErrors { code message field } } }`, nil); a.code() != "" {
		t.Fatal(a.body)
	}
	e.until(`{"kind":"REMOVED","path":"a/b.png","file":null}`)
	s.must(os.WriteFile(filepath.Join(s.files, "a", "outside.png"), []byte(png), 0o600))
	if a := s.graphQL("user", `{ files(folder: "a") { totalCount } }`, nil); a.code() != "" {
		t.Fatal(a.body)
	}
	e.until(`"path":"a/outside.png"`)
	if a := s.graphQL(
		"user",
		`mutation { deleteFiles(input: {paths: ["a"]}) { results { ok error { code message field } } userErrors { code message field } } }`, nil); a.code() != "" {
		t.Fatal(a.body)
	}
	e.until(`"kind":"RELOAD"`)
}

// TestPositionOfChanges lists a folder before a subscription begins: RELOAD has the position of that response if
// nothing has changed in between, and another one if something has.
func TestPositionOfChanges(t *testing.T) {
	s := newStage(t, nil)
	list := func() string {
		a := s.graphQL("user", `{ files(folder: "a") { nodes { path } } }`, nil)
		if a.code() != "" {
			t.Fatal(a.body)
		}
		return a.header.Get("Safelight-Changes")
	}
	reload := func() string {
		e := s.subscribe("guest", `subscription { folderChanges { kind position file { path } } }`)
		defer e.close()
		var next struct {
			Data struct {
				FolderChanges struct{ Kind, Position string }
			}
		}
		s.must(json.Unmarshal([]byte(e.until(`"RELOAD"`)), &next))
		return next.Data.FolderChanges.Position
	}
	before := list()
	for range 50 { // the analysis of files that are new is a change, too
		if reload() == before {
			break
		}
		before = list()
	}
	if at := reload(); before == "" || at != before {
		t.Errorf("the folder was listed at %q, a subscription begins at %q", before, at)
	}
	s.store("a/new.png", png)
	if at := reload(); at == before {
		t.Errorf("a subscription after a change begins at %q as well", at)
	}
	if at := list(); at == before {
		t.Errorf("a response after a change has %q as well", at)
	}
}

// TestUploadSubscription: progress arrives until the upload is finished, which completes the stream.
func TestUploadSubscription(t *testing.T) {
	s := newStage(t, nil)
	data := png + strings.Repeat("x", 1000)
	id := s.begin("p/a.png", len(data))
	e := s.subscribe("user", `subscription { upload(id: "`+id+`") { state receivedBytes } }`)
	e.until(`"receivedBytes":0`)
	if a := s.do("PUT", "/api/uploads/"+id, data); a.status != 204 {
		t.Fatal(a.status, a.body)
	}
	e.until(`"receivedBytes":1013`)
	s.finish(id)
	e.until(`"state":"DONE"`)
	if name, _ := e.next(); name != "complete" {
		t.Errorf("after the last event: %q, expected complete", name)
	}
}

// TestSubscriptionScopes: a subscription needs the scope that its description names, and whoever may not see a thing
// gets no events of it.
func TestSubscriptionScopes(t *testing.T) {
	s := newStage(t, nil)
	id := s.begin("p/a.png", 5)
	for name, c := range map[string]struct{ actor, query, code string }{
		"guest, indexStatus":       {"guest", `subscription { indexStatus { pendingFiles } }`, ""},
		"guest, upload":            {"guest", `subscription { upload(id: "` + id + `") { state } }`, "FORBIDDEN"},
		"admin, somebody's upload": {"admin", `subscription { upload(id: "` + id + `") { state } }`, ""},
		"a private folder": {"user", `subscription { folderChanges(folder: ".safelight") { path } }`,
			"NOT_FOUND"},
		"no field": {"user", `subscription { indexStatus @skip(if: true) { pendingFiles } }`,
			"GRAPHQL_VALIDATION_FAILED"},
		"two aliases of a field": {"user",
			`subscription { a: indexStatus { pendingFiles } b: indexStatus { pendingFiles } }`,
			"GRAPHQL_VALIDATION_FAILED"},
		"a path outside": {"user", `subscription { folderChanges(folder: "../x") { path } }`,
			`INVALID","field":"folder`},
		"no such field": {"user", `subscription { nope }`, "GRAPHQL_VALIDATION_FAILED"},
	} {
		event, data := s.subscribe(c.actor, c.query).next()
		if event != "next" || c.code == "" && strings.Contains(data, "errors") || c.code != "" &&
			!strings.Contains(data, `"code":"`+c.code+`"`) {
			t.Errorf("%s: %s %s, expected %s", name, event, data, c.code)
		}
	}
	if e := s.subscribe("", folderChanges); e.status != 401 {
		t.Errorf("no token: %d", e.status)
	}
	if e := s.open("user", "GET", "/api/graphql?query="+url.QueryEscape(folderChanges), ""); e.status != 200 ||
		!strings.Contains(e.until("RELOAD"), `"a"`) {
		t.Errorf("GET: %d %s", e.status, e.body)
	}
}

// TestSubscriptionWaitsForItsFolder: one that does not exist yet, whether the API or anything else makes it.
func TestSubscriptionWaitsForItsFolder(t *testing.T) {
	s := newStage(t, func(c *server.Config, rules *gallerytest.Config) {
		c.Heartbeat = 20 * time.Millisecond // the first one answers the client
		rules.Gallery.WatchInterval = 20 * time.Millisecond
	})
	e := s.subscribe("guest", `subscription { folderChanges(folder: "later/on") { kind path } }`)
	if e.status != 200 {
		t.Fatal(e.status, e.body)
	}
	other := s.subscribe("guest", `subscription { folderChanges(folder: "disk") { kind path } }`)
	s.store("later/other.png", png)
	s.store("later/on/a.png", png)
	if name, data := e.next(); name != "next" || !strings.Contains(data, `"kind":"RELOAD","path":"later/on"`) {
		t.Errorf("%s %s, expected RELOAD once the folder is there", name, data)
	}
	s.store("later/on/b.png", png)
	e.until(`"kind":"CHANGED","path":"later/on/b.png"`)
	s.must(os.MkdirAll(filepath.Join(s.files, "disk"), 0o750))
	s.must(os.WriteFile(filepath.Join(s.files, "disk", "a.png"), []byte(png), 0o640))
	if name, data := other.next(); name != "next" || !strings.Contains(data, `"kind":"RELOAD","path":"disk"`) {
		t.Errorf("%s %s, expected RELOAD once the folder is there", name, data)
	}
}

// TestSubscriptionsAreBounded: for each client; a closed one makes room, and others are not affected.
func TestSubscriptionsAreBounded(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.Subscriptions = 2 })
	first := s.subscribe("user", folderChanges)
	first.until("RELOAD")
	s.subscribe("user", folderChanges).until("RELOAD")
	if e := s.subscribe("user", folderChanges); e.status != 429 || !strings.Contains(e.body, "RATE_LIMITED") {
		t.Errorf("the third: %d %s", e.status, e.body)
	}
	s.subscribe("admin", folderChanges).until("RELOAD")
	first.close()
	for e := s.subscribe("user", folderChanges); e.status != 200; e = s.subscribe("user", folderChanges) {
		time.Sleep(20 * time.Millisecond) // until the server sees the end; the context of the test bounds it
	}
}

// TestSubscriptionEndsWithItsToken: a revoked token ends the stream with its error, and a token with other scopes ends
// it, so that the client connects again with these. Events that were under way may come first.
func TestSubscriptionEndsWithItsToken(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.Recheck = 20 * time.Millisecond })
	logout := func(actor string) {
		if a := s.do("POST", "/api/auth/logout", "", "Authorization", "Bearer "+s.tokens[actor]); a.status != 204 {
			t.Fatal(a.status, a.body)
		}
	}
	asAdmin := func(mutation string) {
		if a := s.graphQL("admin", "mutation { "+mutation+" }", nil); a.status != 200 || a.code() != "" {
			t.Fatal(a.status, a.body)
		}
	}
	setRole := func(id, role string) {
		asAdmin(`updateProfile(userId: "` + id + `", input: {role: ` + role + `}) { id }`)
	}
	for _, c := range []struct {
		name, role string
		change     func(id string)
		with       string // the last event has it; empty: none has an error
	}{
		{"session", "", func(string) { logout("session") }, `"code":"UNAUTHENTICATED"`},
		{"revoked", "ADMIN", func(string) { logout("revoked") }, `"code":"UNAUTHENTICATED"`},
		{"deactivated", "ADMIN", func(id string) { asAdmin(`deactivateAccount(userId: "` + id + `")`) },
			`"code":"UNAUTHENTICATED"`},
		{"demoted", "ADMIN", func(id string) { setRole(id, "USER") }, ""},
		{"promoted", "USER", func(id string) { setRole(id, "ADMIN") }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := s.subscriber(c.name, c.role)
			e := s.subscribe(c.name, folderChanges)
			e.until("RELOAD")
			s.store("a/"+c.name+".png", png)
			c.change(id)
			last := ""
			name, data := e.next()
			for ; name == "next"; name, data = e.next() {
				last = data
			}
			if name != "complete" || !strings.Contains(last, c.with) ||
				strings.Contains(last, "errors") != (c.with != "") {
				t.Errorf("the stream ended with %q after %s", name, last)
			}
		})
	}
}

// subscriber makes an account and gives the actor of that name a session of it or, with a role, an API token.
func (s *stage) subscriber(name, role string) (id string) {
	s.Helper()
	ctx := auth.WithIdentity(s.Context(), auth.Identity{Role: auth.RoleAdmin, Scopes: auth.RoleAdmin.Scopes()})
	u, err := s.rules.CreateUser(ctx, accounts.CreateUserInput{
		DisplayName: name, Username: name, Password: stagePassword,
		Role: auth.Role(cmp.Or(strings.ToLower(role), "user")),
	})
	s.must(err)
	s.tokens[name], _ = s.login(name).json("token").(string)
	switch role {
	case "USER":
		s.apiToken(name, name, "[READ, WRITE]")
	case "ADMIN":
		s.apiToken(name, name, "[READ, WRITE, ADMIN]")
	}
	return u.ID.String()
}

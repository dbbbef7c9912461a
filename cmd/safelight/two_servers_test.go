package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/imaging"
)

// twoServers starts two servers on an empty database and a storage, with one key file. Each has its own data folder.
// start starts one more server.
func twoServers(t *testing.T, storage string) (one, two *realServer, start func(data string) *realServer) {
	t.Helper()
	database := databasetest.EmptyPostgres(t)
	start = func(data string) *realServer {
		s := launchIn(t, data, nil, "--database", database, "--storage", storage)
		t.Cleanup(func() {
			if err := s.stop(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	one = start(t.TempDir())
	keys, err := os.ReadFile(filepath.Join(one.data(), "keys.json"))
	data := t.TempDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(data, "keys.json"), keys, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return one, start(data), start
}

// data returns the data folder.
func (b *realServer) data() string { return filepath.Dir(b.files) }

// ask sends a query and returns what the path of names leads to in its data; it fails on an error.
func (b *realServer) ask(token, query string, names ...string) any {
	b.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	r := b.post("/api/graphql", string(body), token)
	var answer struct {
		Data   any
		Errors []any
	}
	if err := json.Unmarshal(r.body, &answer); r.err != nil || err != nil || len(answer.Errors) > 0 {
		b.Fatalf("%s: %v %v %s", query, r.err, err, r.body)
	}
	for _, name := range names {
		m, _ := answer.Data.(map[string]any)
		answer.Data = m[name]
	}
	return answer.Data
}

// until waits for a condition.
func (b *realServer) until(what string, done func() bool) {
	b.Helper()
	waitFor(b.T, done, func() string { return what + " never comes" })
}

// writePicture writes a PNG, and the folder that it is in. It is an hour old: no result of a picture that was just
// written is cached.
func writePicture(t *testing.T, file string) {
	t.Helper()
	var b bytes.Buffer
	err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), png.Encode(&b, image.NewGray(image.Rect(0, 0, 20, 20))))
	if err == nil {
		err = os.WriteFile(file, b.Bytes(), 0o644)
	}
	if err == nil {
		before := time.Now().Add(-time.Hour)
		err = os.Chtimes(file, before, before)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func needsPostgres(t *testing.T) {
	t.Helper()
	if os.Getenv(testPostgres) == "" {
		t.Skip(testPostgres + " names no server: make test starts one and sets it")
	}
}

// emptyS3 returns an empty place in the bucket of the tests.
func emptyS3(t *testing.T) string {
	t.Helper()
	if os.Getenv(testS3) == "" {
		t.Skip(testS3 + " names no server: make test starts one and sets it")
	}
	bucket, query, _ := strings.Cut(os.Getenv(testS3), "?")
	return bucket + "/two-" + rand.Text() + "?" + query
}

// TestTwoServersSettings rotates the secret, purges results, demotes an admin and ends a session through one of two
// servers on a database: the other does the same, also after it was stopped meanwhile.
func TestTwoServersSettings(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	folder := t.TempDir()
	one, two, start := twoServers(t, "file://"+folder)
	token := one.login()
	for _, name := range []string{"a.png", "f/b.png"} {
		writePicture(t, filepath.Join(folder, name))
	}

	const secret = "another secret, which is long enough"
	one.ask(token, `mutation { configureProcessor(input: {secret: "`+secret+`"}) { success } }`)
	signer, err := imaging.NewSigner(imaging.SignerConfig{Secret: secret, Type: imaging.SHA1})
	if err != nil {
		t.Fatal(err)
	}
	one.signer, two.signer = signer, signer
	for _, s := range []*realServer{one, two} {
		s.until(
			"a URL of the new secret",
			func() bool { return s.get(s.signed("10x10/color:red")).status == http.StatusOK },
		)
	}

	// what two has cached: each purge of one leaves fewer
	results := func(tier string) any {
		return two.ask(
			token, "{ cacheStatus { memory { entries } files { entries } } }", "cacheStatus", tier, "entries",
		)
	}
	purge := func(what string) {
		t.Helper()
		one.ask(token, `mutation { purgeCache(input: {`+what+`}) { purged { memory } } }`)
	}
	fill := func() {
		t.Helper()
		for _, path := range []string{"a.png", "f/b.png", "color:red"} {
			if r := two.get(two.signed("10x10/" + path)); r.status != http.StatusOK {
				t.Fatalf("%s: %d %s", path, r.status, r.body)
			}
		}
		two.until("three results in files", func() bool { return results("files") == 3.0 })
	}
	fill()
	for _, c := range []struct {
		what string
		left float64
	}{{`path: "a.png"`, 2}, {`folder: "f"`, 1}, {`all: true`, 0}} {
		purge(c.what)
		for _, tier := range []string{"memory", "files"} {
			two.until(c.what+" leaves fewer results in "+tier, func() bool { return results(tier) == c.left })
		}
	}

	// the files of a server that is stopped
	fill()
	if err := two.stop(); err != nil {
		t.Fatal(err)
	}
	purge(`path: "a.png"`)
	two = start(two.data())
	two.signer = signer
	token = two.login()
	two.until("the purge of the meantime", func() bool { return results("files") == 2.0 })

	// what is read at each request
	id := one.ask(
		token,
		`mutation { createUser(input: {displayName: "x", username: "x", password: "`+realPassword+
			`", role: ADMIN}) { id } }`,
		"createUser", "id",
	)
	x := two.loginAs("x")
	two.ask(x, "{ cacheStatus { misses } }")
	one.ask(token, fmt.Sprintf(`mutation { updateProfile(userId: "%s", input: {role: USER}) { id } }`, id))
	refused := func(token, code string) {
		t.Helper()
		r := two.post("/api/graphql", `{"query":"{ cacheStatus { misses } }"}`, token)
		if !strings.Contains(string(r.body), code) {
			t.Errorf("expected %s: %s", code, r.body)
		}
	}
	refused(x, "UNAUTHENTICATED") // of the admin that it was
	x = two.loginAs("x")
	refused(x, "FORBIDDEN")
	if r := one.post("/api/auth/logout", "", x); r.status >= 300 {
		t.Errorf("logout: %d %s", r.status, r.body)
	}
	refused(x, "UNAUTHENTICATED")

	// the key file is the same
	two.ask(one.login(), "{ cacheStatus { misses } }")
	_, picture, _ := strings.Cut(one.field(bannerPicture), one.url)
	if r := two.get(picture); r.status != http.StatusOK {
		t.Errorf("a picture of the first server: %d", r.status)
	}
}

// TestSessionsOfTwoServers ends sessions through one of two servers on a database: the other one refuses them from its
// next request on.
func TestSessionsOfTwoServers(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	one, two, _ := twoServers(t, "file://"+t.TempDir())
	const mine = `{ me { sessions { nodes { id isCurrent } } } }`
	kept, lost := one.login(), two.login()
	status := func(s *realServer, token string) int {
		body, _ := json.Marshal(map[string]string{"query": mine})
		return s.post("/api/graphql", string(body), token).status
	}
	for name, end := range map[string]string{
		"one":        `endSession(input: {id: "%s"}) { userErrors { code } }`,
		"all others": `endSessions(input: {keepCurrent: true}) { userErrors { code } }`,
	} {
		sessions := one.ask(kept, mine, "me", "sessions", "nodes").([]any)
		if len(sessions) != 2 || status(two, lost) != http.StatusOK || status(two, kept) != http.StatusOK {
			t.Fatalf("%s: expected two sessions that both servers accept, not %v", name, sessions)
		}
		for _, s := range sessions {
			s := s.(map[string]any)
			if s["isCurrent"] == false {
				end = strings.ReplaceAll(end, "%s", s["id"].(string))
			}
		}
		one.ask(kept, "mutation { "+end+" }")
		if got := status(two, lost); got != http.StatusUnauthorized {
			t.Errorf("%s: the other server answers an ended session with %d", name, got)
		}
		if got := status(two, kept); got != http.StatusOK {
			t.Errorf("%s: the other server answers the session that was kept with %d", name, got)
		}
		lost = two.login()
	}
}

// TestPresetsOfTwoServers saves and deletes a preset through one of two servers: URLs of it work on both, and end on
// both.
func TestPresetsOfTwoServers(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	one, two, _ := twoServers(t, "file://"+t.TempDir())
	token := one.login()
	answers := func(s *realServer, status int) func() bool {
		return func() bool { return s.get("/params/unsafe/preset(card)/color:red").status == status }
	}
	one.ask(token, `mutation { savePreset(input: {name: "card", operations: "10x10"}) { preset { version } } }`)
	for _, s := range []*realServer{one, two} {
		s.until("a URL of a new preset", answers(s, http.StatusOK))
	}
	two.ask(token, `mutation { deletePreset(input: {name: "card"}) { deletedName } }`)
	for _, s := range []*realServer{one, two} {
		s.until("a URL of a deleted preset", answers(s, http.StatusNotFound))
	}
}

// TestPurgeOfTwoServers purges what a preset and a template have made through one of two servers on PostgreSQL and S3:
// it is gone from memory and files of the other, and from S3, and the rest is not.
func TestPurgeOfTwoServers(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	flags := []string{
		"--database",
		databasetest.EmptyPostgres(t),
		"--storage",
		emptyS3(t),
		"--result-cache",
		"memory,file," + emptyS3(t),
	}
	var servers [2]*realServer
	for i := range servers {
		s := launchIn(
			t,
			t.TempDir(),
			[]string{
				"SAFELIGHT_PROCESSOR_SECRET=" + realSecret,
				"SAFELIGHT_TOKEN_SECRET=" + strings.Repeat("token ", 6),
			},
			flags...)
		t.Cleanup(func() {
			if err := s.stop(); err != nil {
				t.Error(err)
			}
		})
		servers[i] = s
	}
	one, two := servers[0], servers[1]
	token := one.login()
	one.ask(token, `mutation { savePreset(input: {name: "card", operations: "10x10"}) { preset { version } } }`)
	made := one.ask(
		token,
		`mutation { applyTemplate(input: {templatePath: "f/t.template.json", templateJson: "{\"transformations\":{\"imagePath\":\"color:red\",\"width\":10,\"height\":10}}"}) { url } }`, "applyTemplate", "url").(string)
	urls := map[string]string{
		"preset":   one.signed("preset(card)/color:red"),
		"template": made,
		"plain":    one.signed("10x10/color:red"),
	}
	two.until("a URL of a new preset", func() bool { return two.get(urls["preset"]).status == http.StatusOK })
	for name, url := range urls {
		if r := two.get(url); r.status != http.StatusOK {
			t.Fatalf("%s: %s: %d %s", name, url, r.status, r.body)
		}
	}
	results := func(tier string) any {
		return two.ask(
			token, "{ cacheStatus { memory { entries } files { entries } } }", "cacheStatus", tier, "entries",
		)
	}
	two.until(
		"three results in S3",
		func() bool { return two.ask(token, "{ cacheStatus { stored } }", "cacheStatus", "stored") == 3.0 },
	)
	for left, what := range []string{`template: "f/t.template.json"`, `preset: "card"`} {
		if n := one.ask(token, `mutation { purgeCache(input: {`+what+`}) { purged { s3 } } }`, "purgeCache", "purged",
			"s3"); n != 1.0 {
			t.Errorf("%s: %v results purged from S3", what, n)
		}
		for _, tier := range []string{"memory", "files"} {
			two.until(what+" leaves fewer results in "+tier, func() bool { return results(tier) == float64(2-left) })
		}
	}
	if r := one.get(urls["plain"]); !strings.Contains(r.header.Get("Cache-Status"), "detail=s3") {
		t.Errorf("a result that was not purged: %d %v", r.status, r.header)
	}
	if r := one.get(urls["preset"]); !strings.Contains(r.header.Get("Cache-Status"), "fwd=uri-miss") {
		t.Errorf("a result that was purged: %d %v", r.status, r.header)
	}
}

// TestTwoServers follows a folder through one server, while another one on the same database and bucket changes it.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	needsPostgres(t)
	one, two, _ := twoServers(t, emptyS3(t))
	token := one.login()
	r, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, two.url+"/api/graphql",
		strings.NewReader(`{"query":"subscription { folderChanges(recursive: true) { kind path } }"}`),
	)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{
		"Authorization": {"Bearer " + two.login()},
		"Content-Type":  {"application/json"},
		"Accept":        {"text/event-stream"},
	}
	answer, err := two.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	events := bufio.NewScanner(answer.Body)
	for _, path := range []string{"x", "x/y"} {
		for events.Scan() && !strings.Contains(events.Text(), `"kind":`) { // RELOAD, then the change before
		}
		if r := one.post("/api/graphql", `{"query":"mutation { createFolder(input: {path: \"`+path+
			`\"}) { folder { path } userErrors { code field } } }"}`, token); !strings.Contains(
			string(r.body),
			`"createFolder":{"folder":{"path":`,
		) {
			t.Fatalf("%s", r.body)
		}
	}
	for events.Scan() {
		if strings.Contains(events.Text(), `"kind":"CHANGED","path":"x/y"`) {
			return
		}
	}
	t.Errorf("the stream ends: %v", events.Err())
}

// TestKeysOfTwoServers holds docs/guides/scaling.md: with keys from settings, the key files of two servers may differ;
// otherwise the log says what is wrong, and tokens and URLs of one are refused by the other.
func TestKeysOfTwoServers(t *testing.T) {
	needsPostgres(t)
	env := []string{
		"SAFELIGHT_TOKEN_SECRET=" + strings.Repeat("token ", 6),
		"SAFELIGHT_PROCESSOR_SECRET=" + strings.Repeat("picture ", 4),
	}
	for name, c := range map[string]struct {
		env  []string
		work bool
	}{
		"keys from settings": {env, true},
		// the application's own key follows from token-secret
		"keys from settings, presets only": {append(env[:len(env):len(env)], "SAFELIGHT_PRESETS_ONLY=true"), true},
		"keys of their own":                {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flags := []string{"--database", databasetest.EmptyPostgres(t), "--storage", "file://" + t.TempDir()}
			var servers [2]*realServer
			for i := range servers {
				s := launchIn(t, t.TempDir(), c.env, flags...)
				t.Cleanup(func() {
					if err := s.stop(); err != nil {
						t.Error(err)
					}
				})
				servers[i] = s
			}
			one, two := servers[0], servers[1]
			_, picture, _ := strings.Cut(one.field(bannerPicture), one.url)
			image := two.get(picture)
			me := two.post("/api/graphql", `{"query":"{ cacheStatus { misses } }"}`, one.login())
			if works := image.status == http.StatusOK; works != c.work ||
				!works && image.status != http.StatusForbidden {
				t.Errorf("a picture of the first server: %d", image.status)
			}
			if works := !strings.Contains(string(me.body), "UNAUTHENTICATED"); works != c.work {
				t.Errorf("a token of the first server: %s", me.body)
			}
			if said := strings.Contains(two.stderr.String(), "sealed with another key file"); said == c.work {
				t.Errorf("the log speaks of another key file: %v", said)
			}
		})
	}
}

package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
)

// useFolder chooses a folder as the storage and returns what the server says.
func (b *realServer) useFolder(token, folder string) (restart bool, message string) {
	b.Helper()
	r := b.ask(
		token,
		fmt.Sprintf(`mutation { configureStorage(input: {file: {baseDir: %q}}) { storage { switchPending problem } } }`,
			folder), "configureStorage", "storage").(map[string]any)
	return r["switchPending"].(bool), r["problem"].(string)
}

// tus sends a request of an upload in parts.
func (b *realServer) tus(method, path, token string, body []byte, headers ...string) reply {
	b.Helper()
	r, err := http.NewRequest(method, path, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Tus-Resumable", "1.0.0")
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return b.do(r, nil)
}

// beginUpload starts an upload in parts and returns its URL.
func (b *realServer) beginUpload(token, path string, size int) string {
	b.Helper()
	r := b.tus(
		"POST", b.url+"/api/uploads/", token, nil, "Upload-Length", fmt.Sprint(size), "Upload-Metadata",
		"path "+base64.StdEncoding.EncodeToString([]byte(path)),
	)
	if r.status != http.StatusCreated {
		b.Fatalf("starting an upload: %d %s", r.status, r.body)
	}
	at, err := url.Parse(b.url)
	if err == nil {
		at, err = at.Parse(r.header.Get("Location"))
	}
	if err != nil {
		b.Fatal(err)
	}
	return at.String()
}

// follow opens a subscription to all changes and returns its lines, which end with it.
func (b *realServer) follow(token string) *bufio.Scanner {
	b.Helper()
	r, err := http.NewRequestWithContext(
		b.Context(), http.MethodPost, b.url+"/api/graphql",
		strings.NewReader(`{"query":"subscription { folderChanges(recursive: true) { kind path } }"}`),
	)
	if err != nil {
		b.Fatal(err)
	}
	r.Header = http.Header{
		"Authorization": {"Bearer " + token},
		"Content-Type":  {"application/json"},
		"Accept":        {"text/event-stream"},
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { answer.Body.Close() })
	events := bufio.NewScanner(answer.Body)
	for events.Scan() && !strings.Contains(events.Text(), "RELOAD") {
	}
	return events
}

// TestReplaceStorage chooses another storage while a server runs: the next request uses it, and what has begun ends as
// documented.
func TestReplaceStorage(t *testing.T) {
	t.Parallel()
	srv := t.TempDir()
	s := startReal(t, "--storage-roots", srv)
	token := s.login()
	one, other := drawn(t, 1), drawn(t, 2)
	for _, name := range []string{"same.jpg", "old.jpg"} {
		if r := s.upload(token, name, one); strings.Contains(string(r.body), `"code":`) {
			t.Fatalf("%s", r.body)
		}
	}
	big := append(bytes.Clone(one), make([]byte, 60<<20)...)
	_, _ = rand.Read(big[len(one):])
	if err := os.WriteFile(filepath.Join(s.files, "big.jpg"), big, 0o600); err != nil {
		t.Fatal(err)
	}
	picture := s.signed("10x10/same.jpg")
	etag := s.get(picture).header.Get("ETag")
	target := filepath.Join(srv, "b")
	if err := os.Mkdir(target, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(target, "same.jpg"), other, 0o644); err != nil {
		t.Fatal(err)
	}

	// what is going on
	download, err := s.client.Get(s.url + s.signed("filters:raw()/big.jpg"))
	if err != nil || download.StatusCode != http.StatusOK {
		t.Fatal(err, download)
	}
	defer download.Body.Close()
	half := s.beginUpload(token, "half.jpg", len(one))
	if r := s.tus("PATCH", half, token, one[:100], "Upload-Offset", "0", "Content-Type",
		"application/offset+octet-stream"); r.status != http.StatusNoContent {
		t.Fatalf("a part: %d %s", r.status, r.body)
	}
	events := s.follow(token)
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !stop.Load() {
				if r := s.get(picture); r.status != http.StatusOK {
					t.Errorf("a picture meanwhile: %d %s %v", r.status, r.body, r.err)
					return
				}
			}
		})
	}

	if restart, message := s.useFolder(token, target); restart {
		t.Fatalf("it is not in use: %s", message)
	}
	stop.Store(true)
	readers.Wait()
	got := fmt.Sprint(s.ask(token, `{ storageStatus { location switchPending problem } files { nodes { path } } }`))
	if !strings.Contains(got, target) || strings.Contains(got, "old.jpg") || !strings.Contains(got, "same.jpg") {
		t.Errorf("the next request: %s", got)
	}
	for events.Scan() && events.Text() != "event: complete" {
	}
	if events.Text() != "event: complete" {
		t.Errorf("the subscription ends with %q, %v", events.Text(), events.Err())
	}
	s.follow(token)
	if got, err := io.ReadAll(download.Body); err != nil || !bytes.Equal(got, big) {
		t.Errorf("the download has %d bytes, %v; expected %d", len(got), err, len(big))
	}
	if r := s.tus("HEAD", half, token, nil); r.status != http.StatusNotFound {
		t.Errorf("the upload that had begun: %d", r.status)
	}
	if r := s.tus("PATCH", half, token, one[100:], "Upload-Offset", "100", "Content-Type",
		"application/offset+octet-stream"); r.status != http.StatusNotFound {
		t.Errorf("a part of the upload that had begun: %d", r.status)
	}

	// the same name has other bytes, so what a client knows of it counts no more
	if r := s.ifNoneMatch(picture, etag); r.status != http.StatusOK || r.header.Get("ETag") == etag {
		t.Errorf("a picture by the ETag of another storage: %d %s", r.status, r.header.Get("ETag"))
	}
	// that many asked for a moment ago
	if r := s.get(picture); r.status != http.StatusOK || r.header.Get("ETag") == etag {
		t.Errorf("a picture of the new storage: %d %s", r.status, r.header.Get("ETag"))
	}
	if r := s.get(s.signed("10x10/old.jpg")); r.status != http.StatusNotFound {
		t.Errorf("a picture of the storage before: %d", r.status)
	}
	if r := s.upload(token, "new.jpg", one); strings.Contains(string(r.body), `"code":`) {
		t.Errorf("%s", r.body)
	}
	if _, err := os.Stat(filepath.Join(target, "new.jpg")); err != nil {
		t.Error(err)
	}
	s.until("the picture in the search", func() bool {
		found := s.ask(token, `{ files(recursive: true, first: 10) { nodes { path } } }`)
		return fmt.Sprint(found) == "map[files:map[nodes:[map[path:new.jpg] map[path:same.jpg]]]]"
	})

	// back, and what does not work changes nothing
	if restart, message := s.useFolder(token, s.files); restart {
		t.Fatal(message)
	}
	if r := s.get(s.signed("10x10/old.jpg")); r.status != http.StatusOK {
		t.Errorf("a picture of the first storage: %d", r.status)
	}
	if r := s.post(
		"/api/graphql",
		`{"query":"mutation { configureStorage(input: {file: {baseDir: \"/proc/nothing\"}}) { userErrors { code } } }"}`, token); !strings.Contains(
		string(r.body),
		"INVALID",
	) {
		t.Errorf("%s", r.body)
	}
	if r := s.get(s.signed("10x10/old.jpg")); r.status != http.StatusOK {
		t.Errorf("after a choice that was refused: %d", r.status)
	}
}

// replicas starts two servers on a database, whose storage is chosen by the API, with flags each.
func replicas(t *testing.T, flags ...[]string) (servers []*realServer) {
	t.Helper()
	needsPostgres(t)
	database := databasetest.EmptyPostgres(t)
	for i, f := range flags {
		data := t.TempDir()
		if i > 0 { // the keys of a bucket are sealed with the key file
			keys, err := os.ReadFile(filepath.Join(servers[0].data(), "keys.json"))
			if err == nil {
				err = os.WriteFile(filepath.Join(data, "keys.json"), keys, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		s := launchIn(
			t,
			data,
			[]string{"SAFELIGHT_PROCESSOR_SECRET=" + realSecret},
			slices.Concat(f, []string{"--database", database})...)
		t.Cleanup(func() {
			if err := s.stop(); err != nil {
				t.Error(err)
			}
		})
		servers = append(servers, s)
	}
	return servers
}

// TestReplaceStorageOfTwoServers chooses storages through one of two servers: no file that the other acknowledges
// afterwards is in the storage before.
func TestReplaceStorageOfTwoServers(t *testing.T) {
	t.Parallel()
	srv := t.TempDir()
	servers := replicas(t, []string{"--storage-roots", srv}, []string{"--storage-roots", srv})
	one, two := servers[0], servers[1]
	token := one.login()
	one.useFolder(token, filepath.Join(srv, "start"))
	picture := drawn(t, 1)
	var stop atomic.Bool
	var writers sync.WaitGroup
	acknowledged := make(chan string, 10000)
	for w := range 2 {
		writers.Go(func() {
			for i := 0; !stop.Load(); i++ {
				name := fmt.Sprintf("w%d-%d.jpg", w, i)
				r := servers[w].upload(token, name, picture)
				if !strings.Contains(string(r.body), `"code":`) && r.err == nil {
					acknowledged <- name
				} else if !strings.Contains(string(r.body), "UNAVAILABLE") {
					t.Errorf("an upload meanwhile: %v %s", r.err, r.body)
				}
			}
		})
	}
	folders := []string{"start"}
	for i := range 10 {
		folder, name := filepath.Join(srv, fmt.Sprintf("s%d", i)), fmt.Sprintf("after%d.jpg", i)
		folders = append(folders, filepath.Base(folder))
		if restart, message := one.useFolder(token, folder); restart {
			t.Fatal(message)
		}
		var r reply
		two.until("an upload to the new storage", func() bool {
			r = two.upload(token, name, picture)
			return !strings.Contains(string(r.body), "UNAVAILABLE")
		})
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Errorf("what the other server acknowledged after the choice is elsewhere: %v %s", err, r.body)
		}
	}
	stop.Store(true)
	writers.Wait()
	close(acknowledged)
	n := 0
	for name := range acknowledged {
		n++
		found := 0
		for _, folder := range folders {
			if b, err := os.ReadFile(filepath.Join(srv, folder, name)); err == nil && bytes.Equal(b, picture) {
				found++
			}
		}
		if found == 0 {
			t.Errorf("%s was acknowledged and is nowhere", name)
		}
	}
	t.Logf("%d uploads acknowledged", n)
	for _, s := range servers {
		got := s.ask(token, `{ storageStatus { location } }`, "storageStatus", "location")
		if got != filepath.Join(srv, "s9") {
			t.Errorf("in use is %v", got)
		}
	}
}

// TestReplaceStorageNotEverywhere chooses a storage that one of two servers cannot use: that one still reads from the
// one before, takes no changes and says why.
func TestReplaceStorageNotEverywhere(t *testing.T) {
	t.Parallel()
	srv, mine := t.TempDir(), t.TempDir()
	servers := replicas(t, []string{"--storage-roots", srv + "," + mine}, []string{"--storage-roots", srv})
	one, two := servers[0], servers[1]
	token := one.login()
	picture := drawn(t, 1)
	if restart, message := one.useFolder(token, filepath.Join(srv, "a")); restart {
		t.Fatal(message)
	}
	uploaded := func(s *realServer, name string) func() bool {
		return func() bool { return !strings.Contains(string(s.upload(token, name, picture).body), `"code":`) }
	}
	two.until("the first choice", uploaded(two, "both.jpg"))
	if restart, message := one.useFolder(token, filepath.Join(mine, "b")); restart {
		t.Fatal(message)
	}
	if !uploaded(one, "mine.jpg")() {
		t.Error("the server that can use the storage takes no upload")
	}
	two.until("the problem", func() bool {
		return strings.Contains(
			fmt.Sprint(two.ask(token, `{ storageStatus { switchPending problem } }`)),
			"problem:the storage that was chosen cannot be used: ",
		)
	})
	got := fmt.Sprint(two.ask(token, `{ storageStatus { location switchPending } }`))
	if !strings.Contains(got, "switchPending:true") || !strings.Contains(got, srv) {
		t.Errorf("the other server: %s", got)
	}
	if r := two.upload(token, "refused.jpg", picture); !strings.Contains(string(r.body), `"code":"UNAVAILABLE"`) ||
		!strings.Contains(string(r.body), "retryAfter") {
		t.Errorf("an upload to the other server: %s", r.body)
	}
	if r := two.get(two.signed("10x10/both.jpg")); r.status != http.StatusOK {
		t.Errorf("a picture of the storage before: %d %s", r.status, r.body)
	}
	if r := two.get("/readyz"); r.status != http.StatusServiceUnavailable {
		t.Errorf("the other server is ready: %d", r.status)
	}
	got = fmt.Sprint(two.ask(token, `{ diagnosis { check ok message } }`))
	if !strings.Contains(got, "check:storage in use") {
		t.Errorf("the diagnosis: %s", got)
	}
	if n := strings.Count(two.stderr.String(), "takes no changes"); n != 1 {
		t.Errorf("the log says it %d times", n)
	}
	// through the server that has the problem, too
	if restart, message := two.useFolder(token, filepath.Join(srv, "a")); restart {
		t.Fatal(message)
	}
	for _, s := range servers {
		s.until("an upload to the storage that both can use", uploaded(s, fmt.Sprintf("again%p.jpg", s)))
		if r := s.get("/readyz"); r.status != http.StatusOK {
			t.Errorf("not ready: %d %s", r.status, r.body)
		}
	}
}

// TestReplaceStorageByBucket moves two servers from a folder to S3 and back, without a restart.
func TestReplaceStorageByBucket(t *testing.T) {
	t.Parallel()
	place, err := url.Parse(emptyS3(t))
	if err != nil {
		t.Fatal(err)
	}
	srv := t.TempDir()
	flags := []string{"--storage-roots", srv, "--storage-networks", "127.0.0.0/8"}
	servers := replicas(t, flags, flags)
	one, two := servers[0], servers[1]
	token := one.login()
	key := func(name string) string { b, _ := json.Marshal(os.Getenv(name)); return string(b) }
	answer := one.ask(
		token,
		fmt.Sprintf(
			`mutation { configureStorage(input: {s3: {bucket: %q, baseDir: %q, endpoint: %q, forcePathStyle: true, accessKeyId: %s, secretAccessKey: %s}}) { storage { switchPending problem } userErrors { code message } } }`,
			place.Host, strings.Trim(place.Path, "/"), place.Query().Get("endpoint"),
			key("AWS_ACCESS_KEY_ID"), key("AWS_SECRET_ACCESS_KEY"),
		),
		"configureStorage",
	)
	if !strings.Contains(fmt.Sprint(answer), "switchPending:false") {
		t.Fatal(answer)
	}
	uploaded := func(name string) func() bool {
		return func() bool {
			r := two.upload(token, name, drawn(t, 1))
			if strings.Contains(string(r.body), `"code":`) && !strings.Contains(string(r.body), "UNAVAILABLE") {
				t.Fatalf("%s: %s", name, r.body)
			}
			return !strings.Contains(string(r.body), `"code":`)
		}
	}
	two.until("an upload to the bucket", uploaded("bucket.jpg"))
	one.until(
		"a picture of the bucket",
		func() bool { return one.get(one.signed("10x10/bucket.jpg")).status == http.StatusOK },
	)
	if got := two.ask(token, `{ storageStatus { kind } }`, "storageStatus", "kind"); fmt.Sprint(got) != "S3" {
		t.Errorf("in use is %v", got)
	}
	if restart, message := two.useFolder(token, filepath.Join(srv, "back")); restart {
		t.Fatal(message)
	}
	one.until(
		"the folder in use",
		func() bool { return one.get(one.signed("10x10/bucket.jpg")).status == http.StatusNotFound },
	)
	two.until("an upload to the folder", uploaded("folder.jpg"))
	if _, err := os.Stat(filepath.Join(srv, "back", "folder.jpg")); err != nil {
		t.Error(err)
	}
}

package server_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/storage"
)

func (s *stage) archive(actor, paths string) string {
	s.Helper()
	a := s.graphQL(
		actor,
		`mutation { createArchive(input: {paths: [`+paths+
			`]}) { archive { url fileCount } userErrors { code field } } }`,
		nil,
	)
	url, _ := a.json("data", "createArchive", "archive", "url").(string)
	if url == "" {
		s.Fatalf("createArchive: %d %s", a.status, a.body)
	}
	return url
}

func TestArchiveRoute(t *testing.T) {
	s := newStage(t, nil)
	for _, actor := range []string{"guest", "user", "admin"} {
		url := s.archive(actor, `"a"`)
		a := s.do("GET", url, "")
		if a.status != 200 || a.header.Get("Content-Type") != "application/zip" ||
			a.header.Get("Content-Disposition") != `attachment; filename=a.zip` ||
			a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", actor, a.status, a.header)
		}
		z, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
		if err != nil || len(z.File) == 0 {
			t.Errorf("%s: %v", actor, err)
		}
		head := s.do("HEAD", url, "")
		if head.status != 200 || head.body != "" ||
			head.header.Get("Content-Length") != a.header.Get("Content-Length") {
			t.Errorf("HEAD: %d %v", head.status, head.header)
		}
		if a := s.do("POST", url, ""); a.status != 405 {
			t.Errorf("POST: %d", a.status)
		}
	}
	if a := s.do("GET", "/api/archives/guessed", ""); a.status != 404 || a.code() != "NOT_FOUND" {
		t.Errorf("an unknown token: %d %s", a.status, a.body)
	}
	a := s.graphQL(
		"user",
		`mutation { createArchive(input: {paths: ["none"]}) { archive { url } userErrors { code field } } }`,
		nil,
	)
	if a.code() != "" || !strings.Contains(a.body, `"code":"NOT_FOUND","field":"paths"`) {
		t.Errorf("a missing path: %s", a.body)
	}
}

// waitingStore blocks in the middle of a file until it is released or canceled.
type waitingStore struct {
	storage.Store
	opened, stopped chan struct{}
}

type waitingObject struct {
	storage.Object
	ctx     context.Context
	stopped chan struct{}
}

func (o waitingObject) Read([]byte) (int, error) {
	<-o.ctx.Done()
	close(o.stopped)
	return 0, o.ctx.Err()
}

// Open implements storage.Store.
func (s waitingStore) Open(ctx context.Context, k storage.Key) (storage.Object, error) {
	o, err := s.Store.Open(ctx, k)
	if err == nil && k.Name() == "slow.png" {
		close(s.opened)
		return waitingObject{o, ctx, s.stopped}, nil
	}
	return o, err
}

// TestArchiveOfAClientThatLeaves: the work stops when the connection is closed.
func TestArchiveOfAClientThatLeaves(t *testing.T) {
	slow := waitingStore{opened: make(chan struct{}), stopped: make(chan struct{})}
	s := newStageOver(t, func(st storage.Store) storage.Store { slow.Store = st; return slow }, nil,
		func(*server.Deps) {})
	s.must(os.MkdirAll(filepath.Join(s.files, "z"), 0o755))
	s.must(os.WriteFile(filepath.Join(s.files, "z/large.png"), bytes.Repeat([]byte("x"), 4<<20), 0o644))
	s.must(os.WriteFile(filepath.Join(s.files, "z/slow.png"), []byte(png), 0o644))
	url := s.archive("user", `"z"`)
	response, err := http.Get(s.url + url)
	s.must(err)
	_, err = io.ReadFull(response.Body, make([]byte, 4<<20-256<<10)) // the rest may wait in buffers
	s.must(err)
	<-slow.opened
	response.Body.Close()
	<-slow.stopped
}

// TestArchivesAtOnce: a client with as many downloads as it may have at once does not list files for another one, not
// even for HEAD.
func TestArchivesAtOnce(t *testing.T) {
	slow := waitingStore{opened: make(chan struct{}), stopped: make(chan struct{})}
	s := newStageOver(t, func(st storage.Store) storage.Store { slow.Store = st; return slow },
		func(c *server.Config, _ *gallerytest.Config) { c.Archives = 4 }, func(*server.Deps) {}) // one for each client
	s.must(os.MkdirAll(filepath.Join(s.files, "z"), 0o755))
	// the header arrives with the first bytes
	s.must(os.WriteFile(filepath.Join(s.files, "z/large.png"), bytes.Repeat([]byte("x"), 4<<20), 0o644))
	s.must(os.WriteFile(filepath.Join(s.files, "z/slow.png"), []byte(png), 0o644))
	first, second := s.archive("user", `"z"`), s.archive("user", `"a"`)
	response, err := http.Get(s.url + first)
	s.must(err)
	_, err = io.ReadFull(response.Body, make([]byte, 4<<20-256<<10)) // the rest may wait in buffers
	s.must(err)
	<-slow.opened
	for _, method := range []string{"GET", "HEAD"} {
		if a := s.do(method, second, ""); a.status != 429 || a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", method, a.status, a.body)
		}
	}
	if a := s.do("HEAD", s.archive("admin", `"a"`), ""); a.status != 200 {
		t.Errorf("another client: %d %s", a.status, a.body)
	}
	response.Body.Close()
	<-slow.stopped
}

// TestArchiveThatBreaks: the client sees that the ZIP is not whole.
func TestArchiveThatBreaks(t *testing.T) {
	s := newStageOver(t, func(st storage.Store) storage.Store { return failingStore{st} }, nil, func(*server.Deps) {})
	s.must(os.MkdirAll(filepath.Join(s.files, "z"), 0o755))
	s.must(os.WriteFile(filepath.Join(s.files, "z/1.png"), bytes.Repeat([]byte("x"), 4<<20), 0o644))
	s.must(os.WriteFile(filepath.Join(s.files, "z/failing.png"), []byte(png), 0o644))
	response, err := http.Get(s.url + s.archive("user", `"z"`))
	s.must(err)
	defer response.Body.Close()
	if data, err := io.ReadAll(response.Body); response.StatusCode != 200 || err == nil {
		t.Errorf("%d, %d bytes without an error", response.StatusCode, len(data))
	}
}

// failingStore cannot read one file.
type failingStore struct{ storage.Store }

// Open implements storage.Store.
func (s failingStore) Open(ctx context.Context, k storage.Key) (storage.Object, error) {
	if k.Name() == "failing.png" {
		return nil, os.ErrClosed
	}
	return s.Store.Open(ctx, k)
}

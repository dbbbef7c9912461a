package storage_test

import (
	"context"
	"crypto/rand"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

func TestLocal(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Store { return openLocal(t, t.TempDir()) })
}

func TestMemory(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Store { return storage.NewMemory() })
}

// TestS3 runs the suite on the bucket that SAFELIGHT_TEST_S3 names, an address for storage.Open without prefix.
func TestS3(t *testing.T) {
	address := os.Getenv("SAFELIGHT_TEST_S3")
	if address == "" {
		t.Skip("SAFELIGHT_TEST_S3 names no bucket: make test starts a server and sets it")
	}
	bucket, query, _ := strings.Cut(address, "?")
	storagetest.Run(t, func(t *testing.T) storage.Store {
		s, err := storage.Open(t.Context(), strings.TrimSuffix(bucket, "/")+"/test-"+rand.Text()+"?"+query)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func openLocal(t *testing.T, dir string) storage.Store {
	t.Helper()
	s, err := storage.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestParseKey(t *testing.T) {
	for in, want := range map[string]storage.Key{"": "", "a/b.jpg": "a/b.jpg", "a/": "a", norm.NFD.String("é/ü"): "é/ü",
		".a/..b": ".a/..b", " a ": " a "} {
		if got, err := storage.ParseKey(in); err != nil || got != want {
			t.Errorf("ParseKey(%q) = %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"/", "/a", "a//b", "../a", "a/../b", "a/..", ".", "./a", "a\x00b", "a\\b", "a\nb",
		"\xff", strings.Repeat("x", 256), strings.Repeat("x/", 600), "a//"} {
		if got, err := storage.ParseKey(in); fault.CodeOf(err) != fault.Invalid || fault.Of(err).Field != "path" {
			t.Errorf("ParseKey(%q) = %q, %v", in, got, err)
		}
	}
}

// TestLocalStaysInside plants every kind of link that leads out of the root and tries all methods on it.
func TestLocalStaysInside(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, ctx := openLocal(t, inside), t.Context()
	for name, target := range map[string]string{"file": secret, "dir": outside, "up": "..", "loop": "loop",
		"relative": "../../../../../../etc/passwd", "abs": "/etc/passwd"} {
		if err := os.Symlink(target, filepath.Join(inside, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(inside, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, key := range []storage.Key{"file", "dir/secret.txt", "dir",
		"up/" + storage.Key(filepath.Base(outside)) + "/secret.txt", "up", "loop", "relative", "abs", "pipe"} {
		if o, err := s.Open(ctx, key); err == nil {
			b, _ := io.ReadAll(o)
			t.Errorf("Open(%s) reads %q", key, b)
		}
		if st, err := s.Stat(ctx, key); err == nil {
			t.Errorf("Stat(%s) = %+v", key, st)
		}
	}
	list, err := storage.Entries(s.List(ctx, "", storage.ListOptions{ShowHidden: true}))
	if err != nil || len(list) != 0 {
		t.Errorf("List shows %+v, %v", list, err)
	}
	for _, key := range []storage.Key{"dir/new", "up/new", "dir/secret.txt"} {
		if _, err := s.Create(ctx, key, strings.NewReader("x"), storage.CreateOptions{Overwrite: true}); err == nil {
			t.Errorf("Create(%s) wrote outside", key)
		}
		if err := s.Delete(ctx, key); err == nil {
			t.Errorf("Delete(%s) removed outside", key)
		}
	}
	if err := s.Delete(ctx, "dir"); err != nil {
		t.Errorf("a link itself may be deleted: %v", err)
	}
	if b, err := os.ReadFile(secret); string(b) != "secret" {
		t.Errorf("outside is now %q, %v", b, err)
	}
}

func TestLocalLeftovers(t *testing.T) {
	dir := t.TempDir()
	openLocal(t, dir)
	work := filepath.Join(dir, ".safelight-work")
	for name, age := range map[string]time.Duration{"old": 48 * time.Hour, "new": 0} {
		p := filepath.Join(work, name)
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p, time.Now().Add(-age), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	s := openLocal(t, dir)
	entries, _ := os.ReadDir(work)
	if len(entries) != 1 || entries[0].Name() != "new" {
		t.Errorf("left is %v, expected what may still be written", entries)
	}
	for _, key := range []storage.Key{".safelight-work", ".safelight-work/new"} {
		if _, err := s.Stat(context.Background(), key); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("Stat(%s): %v", key, err)
		}
	}
}

func TestLocalFindsNFD(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, norm.NFD.String("é.jpg")), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openLocal(t, dir)
	if _, err := s.Stat(t.Context(), "é.jpg"); err != nil {
		t.Error(err)
	}
	list, err := storage.Entries(s.List(t.Context(), "", storage.ListOptions{}))
	if err != nil || len(list) != 1 || list[0].Key != "é.jpg" {
		t.Errorf("List = %+v, %v", list, err)
	}
}

func TestOpenAddress(t *testing.T) {
	for _, address := range []string{"", "ftp://x", "file:", "://", "s3://"} {
		if _, err := storage.Open(t.Context(), address); err == nil {
			t.Errorf("Open(%q) succeeds", address)
		}
	}
	if s, err := storage.Open(t.Context(), "file://"+t.TempDir()); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
}

// TestFolderAddress: a folder that is not absolute, or has no scheme, is refused with the addresses that are right.
func TestFolderAddress(t *testing.T) {
	for address, want := range map[string][]string{
		"file://srv/pictures": {"file:///srv/pictures", "file:srv/pictures"},
		"file://pictures":     {"file:///pictures", "file:pictures"},
		"/srv/my pictures":    {"file:///srv/my%20pictures", "no scheme"},
		"pictures/2026":       {"file:pictures/2026", "no scheme"},
	} {
		_, err := storage.Open(t.Context(), address)
		if fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", address, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: the error does not say %q: %v", address, part, err)
			}
		}
	}
}

// TestFolderGone moves the folder of an open store away, puts another one in its place, and moves it back.
func TestFolderGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pictures")
	s, err := storage.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check := func(when, want string) {
		t.Helper()
		err := s.Check(t.Context())
		if want == "" && err == nil {
			return
		}
		if want == "" || fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", when, err, want)
		}
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	check("at first", "")
	move(dir, dir+".away")
	check("moved away", "is gone")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	check("replaced", "another one")
	move(dir, dir+".other")
	move(dir+".away", dir)
	check("moved back", "")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	check("deleted", "is gone")
}

// TestEndpointInErrors: the error of an endpoint that cannot be used quotes it, without a password or a query in it.
func TestEndpointInErrors(t *testing.T) {
	for endpoint, want := range map[string]string{
		"s3.internal:7070":                          `"s3.internal:7070"`,
		"ftp://someone:hunter2@s3.internal?hunter2": `"ftp://s3.internal"`,
		"someone:hunter2@s3.internal":               `"s3.internal"`,
	} {
		_, err := storage.Open(t.Context(), "s3://pictures?endpoint="+url.QueryEscape(endpoint))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, expected one with %s", endpoint, err, want)
		}
	}
}

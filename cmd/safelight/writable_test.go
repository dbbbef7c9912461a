package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/safelight/safelight/storage/storagetest"
)

// refusesWrites starts a server on a storage that can be read and not written: /readyz, doctor and the API say so, and
// the server is ready again when allow has been called.
func refusesWrites(t *testing.T, address, reason, advice string, allow func()) {
	t.Helper()
	_, place, _ := strings.Cut(address, "://")
	place, _, _ = strings.Cut(place, "?")
	began := time.Now()
	s := startReal(t, "--storage", address)
	if r := s.get("/readyz"); r.status == http.StatusOK && time.Since(began) > 3*time.Second {
		t.Logf("this machine takes longer for a first write than /readyz waits for it") // three seconds
		s.becomes("/readyz", http.StatusServiceUnavailable)
	}
	for range 3 {
		if r := s.get("/readyz"); r.status != http.StatusServiceUnavailable ||
			!strings.Contains(string(r.body), reason) ||
			r.header.Get("Retry-After") == "" {
			t.Fatalf("/readyz: %d %s, expected 503 and %q", r.status, r.body, reason)
		}
	}
	if r := s.get("/healthz"); r.status != http.StatusOK {
		t.Errorf("/healthz: %d %s", r.status, r.body)
	}
	if n := s.metric("safelight_ready"); n != 0 {
		t.Errorf("safelight_ready is %v", n)
	}
	folder, _, _ := strings.Cut(place, "/proxy-") // of a bucket, its name alone is shown
	out := runCommand(t, programLink(t), t.TempDir(), 0, nil, "doctor", "--storage", address)
	for _, want := range []string{"BAD  storage", folder, reason, advice} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q:\n%s", want, out)
		}
	}
	r := s.post("/api/graphql", `{"query":"{ diagnosis { check ok message } }"}`, s.login())
	if text := string(r.body); !strings.Contains(text, reason) ||
		!strings.Contains(text, `"check":"storage","ok":false`) {
		t.Errorf("the diagnosis: %s", text)
	}
	allow()
	s.becomes("/readyz", http.StatusOK)
	log := s.stderr.String()
	for text, want := range map[string]int{"the storage refuses writes": 1, "the storage accepts writes again": 1} {
		if n := strings.Count(log, text); n != want {
			t.Errorf("the log has %q %d times, expected %d:\n%s", text, n, want, log)
		}
	}
	out = runCommand(t, programLink(t), t.TempDir(), 0, nil, "doctor", "--storage", address)
	if !strings.Contains(out, "ok   storage") {
		t.Errorf("doctor, afterwards:\n%s", out)
	}
}

// diskWithPicture mounts a file system with a storage that is in use already, and returns its folder.
func diskWithPicture(t *testing.T) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=80m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	must(t, os.Mkdir(filepath.Join(disk, ".safelight-work"), 0o700))
	must(t, os.WriteFile(filepath.Join(disk, "a.txt"), []byte("a"), 0o600))
	return disk
}

func TestReadOnlyStorage(t *testing.T) {
	t.Parallel()
	disk := diskWithPicture(t)
	must(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	refusesWrites(t, "file://"+disk, "its file system is read-only", "mount it for writing", func() {
		must(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT, ""))
	})
}

func TestFullStorage(t *testing.T) {
	t.Parallel()
	disk := diskWithPicture(t)
	large := filepath.Join(disk, "large")
	if err := os.WriteFile(large, make([]byte, 100<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	refusesWrites(t, "file://"+disk, "its disk is full", "make room on the disk", func() { must(t, os.Remove(large)) })
}

// TestBucketWithoutPut denies the access key to put objects.
func TestBucketWithoutPut(t *testing.T) {
	t.Parallel()
	address := os.Getenv(testS3)
	if address == "" {
		t.Skip(testS3 + " names no bucket")
	}
	u, err := url.Parse(address)
	must(t, err)
	backend, err := url.Parse(u.Query().Get("endpoint"))
	must(t, err)
	var allowed atomic.Bool
	proxy := storagetest.Proxy(t, backend, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method != http.MethodPut || allowed.Load() {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>No.</Message></Error>`)
	})
	place := "s3://" + u.Host + "/proxy-" + t.Name() + "?region=us-east-1&use_path_style=true&endpoint=" +
		url.QueryEscape(
			proxy,
		)
	refusesWrites(t, place, "the bucket refuses with AccessDenied", "PutObject", func() { allowed.Store(true) })
}

// TestDoctorAsAnotherUser: doctor runs as a user to whom the storage does not belong.
func TestDoctorAsAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can run it as another user")
	}
	shared := t.TempDir()
	must(t, os.Chmod(filepath.Dir(shared), 0o755))
	program := copyProgram(t, filepath.Join(shared, "safelight"))
	data, files := filepath.Join(shared, "data"), filepath.Join(shared, "files")
	must(t, os.Mkdir(data, 0o700))
	must(t, os.Chown(data, 65534, 65534))
	must(t, os.MkdirAll(filepath.Join(files, ".safelight-work"), 0o755))
	for name, address := range map[string]string{
		"a folder of root":       files,
		"a folder to be made":    filepath.Join(shared, "none"),
		"one that cannot be one": filepath.Join(files, "new"),
	} {
		out := runCommand(t, program, shared, 65534, nil, "doctor", "--data", data, "--storage", "file://"+address)
		if !strings.Contains(out, "BAD  storage") || !strings.Contains(out, "permission denied") ||
			!strings.Contains(out, files[:len(shared)]) {
			t.Errorf("%s:\n%s", name, out)
		}
	}
	must(t, os.Chown(files, 65534, 65534))
	must(t, os.Chown(filepath.Join(files, ".safelight-work"), 65534, 65534))
	if out := runCommand(t, program, shared, 65534, nil, "doctor", "--data", data, "--storage",
		"file://"+files); !strings.Contains(
		out,
		"ok   storage",
	) {
		t.Errorf("a folder of its own:\n%s", out)
	}
}

package storage_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

// checkRefused fails unless err is a refusal that gives this reason to everybody, and this advice in its cause.
func checkRefused(t *testing.T, err error, reason, advice string) {
	t.Helper()
	if !storage.RefusesWrites(err) || fault.CodeOf(err) != fault.Unavailable || fault.Of(err).RetryAfter <= 0 {
		t.Fatalf("%v, expected a refusal with a time to try again", err)
	}
	if message := fault.Of(err).Message; !strings.Contains(message, reason) ||
		strings.Contains(message, string(storage.WritableKey)) {
		t.Errorf("the reason is %q, expected %q", message, reason)
	}
	if !strings.Contains(err.Error(), advice) {
		t.Errorf("%v, expected the advice %q", err, advice)
	}
}

// failing is a store whose Create fails.
type failing struct {
	storage.Store
	err error
}

func (f failing) Create(context.Context, storage.Key, io.Reader, storage.CreateOptions) (storage.Stat, error) {
	return storage.Stat{}, f.err
}

func TestRefusedWrites(t *testing.T) {
	for errno, want := range map[syscall.Errno][2]string{
		syscall.ENOSPC: {"its disk is full", "make room"},
		syscall.EDQUOT: {"quota", "raise the quota"},
		syscall.EROFS:  {"read-only", "mount it for writing"},
		syscall.EACCES: {"permission denied", fmt.Sprint("user ", os.Geteuid())},
		syscall.EPERM:  {"permission denied", fmt.Sprint("user ", os.Geteuid())},
	} {
		err := storage.CheckWrite(t.Context(), failing{err: &fs.PathError{Op: "open", Path: "x", Err: errno}})
		checkRefused(t, err, want[0], want[1])
	}
	for _, err := range []error{syscall.EIO, syscall.ECONNREFUSED, context.DeadlineExceeded,
		fault.New(fault.Unavailable, "down"), fs.ErrNotExist} {
		if got := storage.CheckWrite(t.Context(), failing{err: err}); got == nil || storage.RefusesWrites(got) {
			t.Errorf("%v becomes %v, expected an error that says nothing about rights", err, got)
		}
	}
}

// TestRefusedByBucket answers writes as buckets do that refuse them, or that have a problem of the moment.
func TestRefusedByBucket(t *testing.T) {
	for code, c := range map[string]struct {
		status int
		advice string // empty: no refusal
	}{
		"AccessDenied":       {403, "PutObject"},
		"InvalidAccessKeyId": {403, "AWS_ACCESS_KEY_ID"},
		"QuotaExceeded":      {403, "quota of the bucket"},
		"XMinioStorageFull":  {507, "quota of the bucket"},
		"MethodNotAllowed":   {405, "rights of its credentials"},
		"NoSuchBucket":       {404, `create the bucket "bucket"`},
		"OperationAborted":   {409, ""},
		"TooManyRequests":    {429, ""},
		"NotImplemented":     {501, ""},
	} {
		t.Run(code, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/xml")
				w.WriteHeader(c.status)
				fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>No.</Message></Error>`, code)
			}))
			defer server.Close()
			s, err := storage.OpenS3(
				t.Context(),
				storage.S3Config{Bucket: "bucket", Endpoint: server.URL, PathStyle: true,
					AccessKeyID: "id", SecretAccessKey: "secret"},
			)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			err = storage.CheckWrite(t.Context(), s)
			if c.advice != "" {
				checkRefused(t, err, "refuses with "+code, c.advice)
				isGeneral := strings.Contains(c.advice, "quota") || strings.Contains(c.advice, "rights")
				if !isGeneral && strings.Contains(err.Error(), "check the quota") {
					t.Errorf("%v also gives the advice for unknown refusals", err)
				}
			} else if err == nil || storage.RefusesWrites(err) {
				t.Errorf("%v, expected an error that says nothing about rights", err)
			}
		})
	}
}

// TestKeyWithoutPut takes from a key of a real bucket the right to put, and gives it back. A probe costs two requests
// and leaves one object.
func TestKeyWithoutPut(t *testing.T) {
	var denied atomic.Bool
	var requests atomic.Int64
	s := storagetest.BehindProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		requests.Add(1)
		if r.Method != http.MethodPut || !denied.Load() {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>No.</Message></Error>`)
	})
	for range 3 {
		requests.Store(0)
		if err := storage.CheckWrite(t.Context(), s); err != nil || requests.Load() > 2 {
			t.Errorf("%v after %d requests", err, requests.Load())
		}
	}
	denied.Store(true)
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("the bucket can be listed: %v", err)
	}
	checkRefused(t, storage.CheckWrite(t.Context(), s), "refuses with AccessDenied", "PutObject")
	denied.Store(false)
	if err := storage.CheckWrite(t.Context(), s); err != nil {
		t.Error(err)
	}
	list, err := storage.Entries(s.List(t.Context(), ".safelight", storage.ListOptions{ShowHidden: true}))
	if err != nil || len(list) != 1 || list[0].Key != storage.WritableKey {
		t.Errorf("it leaves %v, %v", list, err)
	}
}

// smallDisk mounts a file system of 1 MiB with a storage, and skips the test where that is not allowed.
func smallDisk(t *testing.T) (dir string, s storage.Store) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir, openLocal(t, dir)
}

func TestFolderRefusesWrites(t *testing.T) {
	writable := func(t *testing.T, s storage.Store) {
		t.Helper()
		if err := storage.CheckWrite(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("full", func(t *testing.T) {
		dir, s := smallDisk(t)
		writable(t, s)
		large := filepath.Join(dir, "large")
		if err := os.WriteFile(large, make([]byte, 2<<20), 0o600); err == nil {
			t.Fatal("the disk is not full")
		}
		checkRefused(t, storage.CheckWrite(t.Context(), s), "its disk is full", "make room")
		if left, err := os.ReadDir(filepath.Join(dir, ".safelight-work")); err != nil || len(left) > 0 {
			t.Errorf("it leaves %v, %v", left, err)
		}
		if err := os.Remove(large); err != nil {
			t.Fatal(err)
		}
		writable(t, s)
	})
	t.Run("read-only", func(t *testing.T) {
		dir, s := smallDisk(t)
		writable(t, s)
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		checkRefused(t, storage.CheckWrite(t.Context(), s), "its file system is read-only", "mount it for writing")
		if _, err := storage.OpenLocal(filepath.Join(dir, "new")); err == nil ||
			!strings.Contains(err.Error(), "mount it for writing") {
			t.Errorf("opening a folder there: %v, expected what to do", err)
		}
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, ""); err != nil {
			t.Fatal(err)
		}
		writable(t, s)
	})
	t.Run("gone", func(t *testing.T) {
		dir := t.TempDir()
		s := openLocal(t, dir)
		if err := os.Remove(filepath.Join(dir, ".safelight-work")); err != nil {
			t.Fatal(err)
		}
		checkRefused(t, storage.CheckWrite(t.Context(), s), "is gone", "restart")
	})
}

// TestFolderOfAnotherUser takes only the root folder from the user: what the probe has made before is still its own.
func TestFolderOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	const user = 65534
	check := func(s storage.Store) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := unix.Setfsuid(user); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Setfsuid(0) }()
		return storage.CheckWrite(t.Context(), s)
	}
	dir := t.TempDir()
	s := openLocal(t, dir)
	give := func(to int, names ...string) {
		for _, name := range names {
			if err := os.Chown(filepath.Join(dir, name), to, to); err != nil {
				t.Fatal(err)
			}
		}
	}
	give(user, ".", ".safelight-work")
	if err := check(s); err != nil {
		t.Fatal(err)
	}
	give(0, ".")
	checkRefused(t, check(s), "permission denied", "let user")
	give(user, ".")
	if err := check(s); err != nil {
		t.Fatal(err)
	}
	give(0, ".safelight-work")
	checkRefused(t, check(s), "permission denied", "let user")
}

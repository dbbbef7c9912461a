//go:build gs && azblob

package storage_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

// clouds are the emulators that scripts/with-clouds starts: the variable of each with the address of a bucket.
var clouds = map[string]string{"gs": "SAFELIGHT_TEST_GS", "azblob": "SAFELIGHT_TEST_AZBLOB"}

// eachCloud runs a test on a new folder of each; open opens it once more.
func eachCloud(t *testing.T, test func(t *testing.T, address string)) {
	for name, variable := range clouds {
		t.Run(name, func(t *testing.T) {
			bucket, query, _ := strings.Cut(os.Getenv(variable), "?")
			if bucket == "" {
				t.Skip(variable + " names no bucket: make test-clouds starts a server and sets it")
			}
			address := bucket + "/test-" + rand.Text() + "?" + query
			if name == "gs" {
				address = strictly(t, address)
			}
			test(t, address)
		})
	}
}

func openCloud(t *testing.T, address string) storage.Store {
	t.Helper()
	s, err := storage.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestClouds(t *testing.T) {
	eachCloud(t, func(t *testing.T, address string) {
		bucket, query, _ := strings.Cut(address, "?")
		storagetest.Run(t, func(t *testing.T) storage.Store { return openCloud(t, bucket+"/"+rand.Text()+"?"+query) })
	})
}

// behindCloud opens the bucket of an address through a proxy.
func behindCloud(t *testing.T, address string) behind {
	return func(do func(w http.ResponseWriter, r *http.Request, next http.Handler)) storage.Store {
		return openCloud(t, through(t, address, do))
	}
}

// through returns an address with a proxy before its endpoint.
func through(t *testing.T, address string, do func(w http.ResponseWriter, r *http.Request, next http.Handler)) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	backend, err := url.Parse(q.Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	q.Set("endpoint", storagetest.Proxy(t, backend, do)+backend.Path)
	u.RawQuery = q.Encode()
	return u.String()
}

// TestLongObjectsOfClouds stores objects of several parts, one of which fills its last part, and reads parts of them.
func TestLongObjectsOfClouds(t *testing.T) {
	eachCloud(t, func(t *testing.T, address string) {
		s := openCloud(t, address)
		for _, size := range []int{16 << 20, 16<<20 + 1, 32 << 20} {
			data := make([]byte, size)
			_, _ = rand.Read(data)
			k := storage.Key(fmt.Sprintf("folder/%d.bin", size))
			st, err := s.Create(
				t.Context(), k, bytes.NewReader(data),
				storage.CreateOptions{ContentType: "application/x-test"},
			)
			if err != nil || st.Size != int64(size) {
				t.Fatalf("%d bytes: %+v, %v", size, st, err)
			}
			expect(t, s, k, string(data))
			o, err := s.Open(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := part(o, int64(size)-5, 5); got != string(data[size-5:]) || err != nil {
				t.Errorf("the end of %d bytes is %x, %v", size, got, err)
			}
			o.Close()
			_, err = s.Create(t.Context(), k, bytes.NewReader(data), storage.CreateOptions{})
			if fault.CodeOf(err) != fault.Conflict {
				t.Errorf("creating %s again: %v", k, err)
			}
			if err := s.Move(t.Context(), k, "moved"); err != nil {
				t.Fatal(err)
			}
			expect(t, s, "moved", string(data))
			if err := s.Delete(t.Context(), "moved"); err != nil {
				t.Error(err)
			}
		}
		broken := io.MultiReader(bytes.NewReader(make([]byte, 17<<20)), iotest.ErrReader(io.ErrClosedPipe))
		_, err := s.Create(t.Context(), "broken", broken, storage.CreateOptions{})
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("data that breaks off: %v", err)
		}
		expect(t, s, "broken", "")
	})
}

// TestVersionsOfClouds replaces an object between the look and the change.
func TestVersionsOfClouds(t *testing.T) {
	eachCloud(t, func(t *testing.T, address string) {
		s := openCloud(t, address)
		old, err := s.Create(t.Context(), "a", strings.NewReader("one"), storage.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		write(t, s, "a", "two")
		if _, err := part(o, 0, 3); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("reading what was replaced: %v", err)
		}
		if err := storage.DeleteVersion(t.Context(), s, old); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("deleting what was replaced: %v", err)
		}
		// a copy of an old version looks again, and copies the one that is there
		known := storage.WithHints(t.Context(), storage.Hints{Files: []storage.Stat{old}})
		if err := s.Copy(known, "a", "b"); err != nil {
			t.Error(err)
		}
		expect(t, s, "a", "two")
		expect(t, s, "b", "two")
		if err := s.Copy(t.Context(), "a", "b"); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("copying over an object: %v", err)
		}
		// a move deletes the version that it copied
		if err := s.Move(known, "a", "c"); err != nil {
			t.Error(err)
		}
		expect(t, s, "a", "")
		expect(t, s, "c", "two")
	})
}

// TestLostAnswersOfClouds loses the first answer to each request that changes an object.
func TestLostAnswersOfClouds(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 17<<16) // two parts
	changes := func(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }
	// the end of an upload in parts
	ends := func(r *http.Request) bool {
		part := r.Header.Get("Content-Range")
		return r.URL.Query().Get("comp") == "blocklist" ||
			part != "" && !strings.HasPrefix(part, "bytes */") && !strings.HasSuffix(part, "/*")
	}
	parts := func(r *http.Request) bool {
		return r.URL.Query().Get("comp") == "block" || strings.HasSuffix(r.Header.Get("Content-Range"), "/*")
	}
	for name, c := range map[string]struct {
		lost  func(*http.Request) bool
		do    func(*testing.T, storage.Store) error
		files map[storage.Key]string
	}{
		"upload": {changes, func(t *testing.T, s storage.Store) error { return put(t, "f/new", "new")(s) },
			map[storage.Key]string{"f/new": "new"}},
		"end of upload": {ends, func(t *testing.T, s storage.Store) error { return put(t, "f/new", long)(s) },
			map[storage.Key]string{"f/new": long}},
		"part": {parts, func(t *testing.T, s storage.Store) error { return put(t, "f/new", long)(s) },
			map[storage.Key]string{"f/new": long}},
		"copy": {changes, func(t *testing.T, s storage.Store) error {
			return s.Copy(t.Context(), "f/a", "f/b")
		}, map[storage.Key]string{"f/a": "a", "f/b": "a"}},
		"move": {changes, func(t *testing.T, s storage.Store) error {
			return s.Move(t.Context(), "f/a", "f/b")
		}, map[storage.Key]string{"f/a": "", "f/b": "a"}},
		"move a folder": {changes, func(t *testing.T, s storage.Store) error { return s.Move(t.Context(), "f", "g") },
			map[storage.Key]string{"f/a": "", "g/a": "a"}},
		"delete": {changes, func(t *testing.T, s storage.Store) error { return s.Delete(t.Context(), "f/a") },
			map[storage.Key]string{"f/a": ""}},
	} {
		for how, lose := range lostAnswers {
			t.Run(name+"/"+how, func(t *testing.T) {
				eachCloud(t, func(t *testing.T, address string) {
					s, losses := loseFirst(t, behindCloud(t, address), c.lost, lose, "")
					if err := c.do(t, s); err != nil {
						t.Error(err)
					}
					if losses() == 0 {
						t.Fatal("no answer was lost")
					}
					for k, want := range c.files {
						expect(t, s, k, want)
					}
				})
			})
		}
	}
}

// TestRivalsOnClouds lets another client take the name between two tries: it keeps the name, although its object may
// hold the same bytes.
func TestRivalsOnClouds(t *testing.T) {
	for name, c := range map[string]struct{ rival, mine func(storage.Store) error }{
		"upload": {put(t, "f/new", "rival"), put(t, "f/new", "mine!")},
		"equal":  {put(t, "f/new", "mine!"), put(t, "f/new", "mine!")},
		"long":   {put(t, "f/new", "rival"), put(t, "f/new", strings.Repeat("mine", 5<<20))},
		"copy":   {put(t, "f/new", "b"), func(s storage.Store) error { return s.Copy(t.Context(), "f/a", "f/new") }},
	} {
		t.Run(name, func(t *testing.T) {
			eachCloud(t, func(t *testing.T, address string) {
				var rival atomic.Bool
				s := behindCloud(t, address)(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					if r.Method != http.MethodGet && r.Method != http.MethodHead && rival.Swap(false) {
						if err := c.rival(openCloud(t, address)); err != nil {
							t.Error(err)
						}
						w.WriteHeader(http.StatusServiceUnavailable) // the server did nothing
						return
					}
					next.ServeHTTP(w, r)
				})
				if err := put(t, "f/a", "a")(s); err != nil {
					t.Fatal(err)
				}
				rival.Store(true)
				if err := c.mine(s); fault.CodeOf(err) != fault.Conflict {
					t.Errorf("the name is the rival's, the answer %v", err)
				}
			})
		})
	}
}

// TestCloudRequests holds how many requests an operation costs.
func TestCloudRequests(t *testing.T) {
	eachCloud(t, func(t *testing.T, address string) {
		var n atomic.Int64
		s := behindCloud(t, address)(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			n.Add(1)
			next.ServeHTTP(w, r)
		})
		for i := range 30 {
			write(t, s, storage.Key(fmt.Sprintf("folder/%02d", i)), "x")
		}
		for _, o := range []struct {
			name string
			max  int64
			do   func() error
		}{
			{"list", 1, func() error {
				_, err := storage.Entries(s.List(t.Context(), "folder", storage.ListOptions{}))
				return err
			}},
			{"upload", 4, putting(t, s, "folder/new")},
			{"move", 4, func() error { return s.Move(t.Context(), "folder/01", "folder/moved") }},
			{"delete", 2, func() error { return s.Delete(t.Context(), "folder/02") }},
		} {
			n.Store(0)
			if err := o.do(); err != nil {
				t.Fatal(o.name, err)
			}
			if got := n.Load(); got > o.max {
				t.Errorf("%s takes %d requests, expected at most %d", o.name, got, o.max)
			}
		}
	})
}

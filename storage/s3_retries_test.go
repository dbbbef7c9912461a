package storage_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

// lostAnswers are the ways in which a client does not learn that S3 did what it asked for.
var lostAnswers = map[string]func(http.ResponseWriter){
	"connection closed": func(w http.ResponseWriter) { panic(http.ErrAbortHandler) },
	"503":               func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
}

// What servers answer to a request that they have carried out before. An empty one is left to the server.
const (
	taken   = "412 PreconditionFailed"
	unknown = "404 NoSuchUpload"
)

// TestLostAnswers loses the first answer of S3 to each request that changes an object: the client sends it once more,
// and finds what it did itself.
func TestLostAnswers(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 17<<16) // two parts
	for name, c := range map[string]struct {
		lost   func(*http.Request) bool
		again  string
		do     func(*testing.T, storage.Store) error
		files  map[storage.Key]string
		folder storage.Key
	}{
		"upload": {isPut, "", func(t *testing.T, s storage.Store) error {
			st, err := s.Create(t.Context(), "f/new", strings.NewReader("new"), storage.CreateOptions{})
			if err == nil && (st.Size != 3 || st.ETag == "" || st.Modified.IsZero()) {
				t.Errorf("Create returns %+v", st)
			}
			return err
		}, map[storage.Key]string{"f/new": "new", "f/a": "a"}, ""},
		"upload in parts": {isComplete, taken, func(t *testing.T, s storage.Store) error {
			_, err := s.Create(t.Context(), "f/new", strings.NewReader(long), storage.CreateOptions{})
			return err
		}, map[storage.Key]string{"f/new": long}, ""},
		"upload in parts, forgotten": {isComplete, unknown, func(t *testing.T, s storage.Store) error {
			_, err := s.Create(t.Context(), "f/new", strings.NewReader(long), storage.CreateOptions{})
			return err
		}, map[storage.Key]string{"f/new": long}, ""},
		"replace in parts": {isComplete, unknown, func(t *testing.T, s storage.Store) error {
			_, err := s.Create(t.Context(), "f/a", strings.NewReader(long), storage.CreateOptions{Overwrite: true})
			return err
		}, map[storage.Key]string{"f/a": long}, ""},
		"create a folder": {isPut, "", func(t *testing.T, s storage.Store) error {
			return s.CreateFolder(t.Context(), "g")
		}, nil, "g"},
		"copy": {isPut, taken, func(t *testing.T, s storage.Store) error {
			return s.Copy(t.Context(), "f/a", "f/b")
		}, map[storage.Key]string{"f/a": "a", "f/b": "a"}, ""},
		"copy a folder": {isPut, "", func(t *testing.T, s storage.Store) error {
			return s.Copy(t.Context(), "f", "g")
		}, map[storage.Key]string{"f/a": "a", "g/a": "a"}, ""},
		"move": {isPut, taken, func(t *testing.T, s storage.Store) error {
			return s.Move(t.Context(), "f/a", "f/b")
		}, map[storage.Key]string{"f/a": "", "f/b": "a"}, ""},
		"move, deleting": {isDelete, "", func(t *testing.T, s storage.Store) error {
			return s.Move(t.Context(), "f/a", "f/b")
		}, map[storage.Key]string{"f/a": "", "f/b": "a"}, ""},
		"delete": {isDelete, "", func(t *testing.T, s storage.Store) error {
			return s.Delete(t.Context(), "f/a")
		}, map[storage.Key]string{"f/a": ""}, ""},
		"delete a folder": {isDelete, "", func(t *testing.T, s storage.Store) error {
			return s.Delete(t.Context(), "f")
		}, map[storage.Key]string{"f/a": ""}, ""},
	} {
		for how, lose := range lostAnswers {
			t.Run(name+"/"+how, func(t *testing.T) {
				s, losses := loseFirst(t, behindS3(t), c.lost, lose, c.again)
				if err := c.do(t, s); err != nil {
					t.Error(err)
				}
				if losses() == 0 {
					t.Fatal("no answer was lost")
				}
				for k, want := range c.files {
					expect(t, s, k, want)
				}
				if st, err := s.Stat(t.Context(), c.folder); err != nil || !st.IsFolder {
					t.Errorf("%s is %+v, %v, expected a folder", c.folder, st, err)
				}
			})
		}
	}
}

// TestLostAnswerOfARival lets another client take the name between two tries: it keeps the name, although its object
// may hold the same bytes.
func TestLostAnswerOfARival(t *testing.T) {
	for name, c := range map[string]struct {
		rival, mine func(storage.Store) error
	}{
		"upload": {put(t, "f/new", "rival"), put(t, "f/new", "mine!")},
		"equal":  {put(t, "f/new", "mine!"), put(t, "f/new", "mine!")},
		"folder": {func(s storage.Store) error { return s.CreateFolder(t.Context(), "g") },
			func(s storage.Store) error { return s.CreateFolder(t.Context(), "g") }},
		"copy": {put(t, "f/new", "rival"), func(s storage.Store) error { return s.Copy(t.Context(), "f/a", "f/new") }},
	} {
		t.Run(name, func(t *testing.T) {
			var other atomic.Pointer[storage.Store]
			var copied atomic.Bool
			s := storagetest.BehindProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if rival := other.Swap(nil); rival != nil && isPut(r) {
					if err := c.rival(*rival); err != nil {
						t.Error(err)
					}
					copied.Store(r.Header.Get("X-Amz-Copy-Source") != "")
					w.WriteHeader(http.StatusServiceUnavailable) // S3 did nothing
					return
				} else if rival != nil {
					other.Store(rival)
				}
				if copied.Swap(false) { // some servers ignore the condition of a copy
					refuse(w, taken)
					return
				}
				next.ServeHTTP(w, r)
			})
			if err := put(t, "f/a", "a")(s); err != nil {
				t.Fatal(err)
			}
			other.Store(&s)
			if err := c.mine(s); fault.CodeOf(err) != fault.Conflict {
				t.Errorf("the name is the rival's, the answer %v", err)
			}
		})
	}
}

func isPut(r *http.Request) bool { return r.Method == http.MethodPut }

func isDelete(r *http.Request) bool { return r.Method == http.MethodDelete }

func isComplete(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
}

func refuse(w http.ResponseWriter, answer string) {
	status, code, _ := strings.Cut(answer, " ")
	n, _ := strconv.Atoi(status)
	w.WriteHeader(n)
	fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
}

func put(t *testing.T, k storage.Key, data string) func(storage.Store) error {
	return func(s storage.Store) error {
		_, err := s.Create(t.Context(), k, strings.NewReader(data), storage.CreateOptions{})
		return err
	}
}

// behind opens a bucket through a proxy.
type behind func(do func(w http.ResponseWriter, r *http.Request, next http.Handler)) storage.Store

func behindS3(t *testing.T) behind {
	return func(do func(w http.ResponseWriter, r *http.Request, next http.Handler)) storage.Store {
		return storagetest.BehindProxy(t, do)
	}
}

// loseFirst opens a bucket that holds f/a, and loses the first answer of success to these requests about each object.
func loseFirst(
	t *testing.T,
	open behind,
	lost func(*http.Request) bool,
	lose func(http.ResponseWriter),
	again string,
) (s storage.Store, losses func() int) {
	var armed atomic.Bool
	seen := make(chan map[string]bool, 1)
	seen <- map[string]bool{}
	s = open(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !armed.Load() || !lost(r) {
			next.ServeHTTP(w, r)
			return
		}
		paths := <-seen
		repeated := paths[r.URL.Path]
		seen <- paths
		if repeated && again != "" {
			refuse(w, again)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		if !repeated && (answer.Code < http.StatusMultipleChoices || answer.Code == http.StatusPermanentRedirect) {
			paths := <-seen
			paths[r.URL.Path] = true
			seen <- paths
			lose(w)
			return
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = io.Copy(w, answer.Body)
	})
	if err := put(t, "f/a", "a")(s); err != nil {
		t.Fatal(err)
	}
	// what a server can is found out once
	if err := put(t, "f/gone", "gone")(s); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "f/gone"); err != nil {
		t.Fatal(err)
	}
	armed.Store(true)
	return s, func() int {
		paths := <-seen
		defer func() { seen <- paths }()
		return len(paths)
	}
}

// expect reads a file; want is empty if it must not exist.
func expect(t *testing.T, s storage.Store, k storage.Key, want string) {
	t.Helper()
	o, err := s.Open(t.Context(), k)
	if want == "" {
		if fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s is still there: %v", k, err)
		}
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	defer o.Close()
	if b, err := io.ReadAll(o); err != nil || !bytes.Equal(b, []byte(want)) {
		t.Errorf("%s holds %d bytes, %v, expected %d", k, len(b), err, len(want))
	}
}

//go:build gs && azblob

package storage_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// strict stands before an emulator of Google Cloud Storage and does what the emulator ignores: conditions of reads,
// copies and deletes; of uploads in parts, when the last part comes; and it takes a part that is sent again once. One
// request is answered after the other.
type strict struct {
	mu       sync.Mutex
	sessions map[string]*session // by upload_id
}

// session is an upload in parts.
type session struct {
	object, condition string // path; generation or empty
	size              int    // of what has come
	made              *httptest.ResponseRecorder
}

// strictly returns the address of a bucket behind a strict.
func strictly(t *testing.T, address string) string {
	t.Helper()
	return through(t, address, (&strict{sessions: map[string]*session{}}).answer)
}

func (s *strict) answer(w http.ResponseWriter, r *http.Request, next http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	if up := s.sessions[q.Get("upload_id")]; up != nil {
		up.part(w, r, next)
		return
	}
	if q.Get("uploadType") == "resumable" {
		s.begin(w, r, next)
		return
	}
	source, target, copies := strings.Cut(r.URL.EscapedPath(), "/rewriteTo/b/")
	conditions := map[string]string{source: q.Get("ifGenerationMatch")}
	if copies {
		conditions = map[string]string{
			source:                    q.Get("ifSourceGenerationMatch"),
			"/storage/v1/b/" + target: q.Get("ifGenerationMatch"),
		}
	}
	for path, want := range conditions {
		if want == "" || strings.HasPrefix(path, "/upload/") {
			continue
		}
		if have := generation(r, path, next); have != want && (have != "0" || path != source) {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
	}
	next.ServeHTTP(w, r)
}

func (s *strict) begin(w http.ResponseWriter, r *http.Request, next http.Handler) {
	q := r.URL.Query()
	up := &session{
		object:    strings.TrimPrefix(r.URL.Path, "/upload") + "/" + url.PathEscape(q.Get("name")),
		condition: q.Get("ifGenerationMatch"),
	}
	q.Del("ifGenerationMatch")
	r.URL.RawQuery = q.Encode()
	answer := httptest.NewRecorder()
	next.ServeHTTP(answer, r)
	if to, err := url.Parse(answer.Header().Get("Location")); err == nil {
		s.sessions[to.Query().Get("upload_id")] = up
	}
	replay(w, answer)
}

func (s *session) part(w http.ResponseWriter, r *http.Request, next http.Handler) {
	part := r.Header.Get("Content-Range")
	if s.made != nil {
		replay(w, s.made)
		return
	}
	bytes, total, _ := strings.Cut(strings.TrimPrefix(part, "bytes "), "/")
	first, end, _ := strings.Cut(bytes, "-")
	if n, err := strconv.Atoi(first); err == nil && total == "*" && n < s.size { // the part is sent again
		w.Header().Set("X-Http-Status-Code-Override", "308")
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", s.size-1))
		return
	}
	last := part != "" && total != "*"
	if last && s.condition != "" && generation(r, s.object, next) != s.condition {
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	answer := httptest.NewRecorder()
	next.ServeHTTP(answer, r)
	if n, err := strconv.Atoi(end); err == nil {
		s.size = n + 1
	}
	if last {
		s.made = answer
	}
	replay(w, answer)
}

func replay(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// generation is "0" for an object that does not exist.
func generation(r *http.Request, path string, next http.Handler) string {
	ask := httptest.NewRequest(http.MethodGet, path, nil)
	ask.Host = r.Host
	answer := httptest.NewRecorder()
	next.ServeHTTP(answer, ask)
	var o struct{ Generation string }
	if answer.Code != http.StatusOK || json.Unmarshal(answer.Body.Bytes(), &o) != nil {
		return "0"
	}
	return o.Generation
}

package server_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/docs"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/schema"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/server/docsite"
)

// newDocsStage returns a stage with the documentation, whose only sample is dawn.jpg.
func newDocsStage(t *testing.T, setting string) *stage {
	t.Helper()
	change := func(c *server.Config, _ *gallerytest.Config) { c.Docs = setting }
	return newStageWith(t, change, func(d *server.Deps) {
		d.Docs = func() (*docsite.Site, error) { return docsite.New(docs.Files, schema.Files(), "test") }
		d.Sample = func(path string) ([]byte, error) {
			if !strings.HasPrefix(path, "demo/") {
				return nil, fault.New(fault.NotFound, "no sample %s", path)
			}
			return []byte(png), nil
		}
	})
}

// read sends a GET request with the actor's token in the cookie of the documentation.
func (s *stage) readDocs(actor, path string, headers ...string) (status int, header http.Header, body string) {
	s.Helper()
	request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	s.must(err)
	if token := s.tokens[actor]; token != "" {
		request.Header.Set("Cookie", "other=1; safelight_docs="+token)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	s.must(err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	s.must(err)
	return response.StatusCode, response.Header, string(data)
}

// TestDocsByRole holds the setting docs: who reads pages, sees examples and changes them.
func TestDocsByRole(t *testing.T) {
	const change = "/docs/try?path=300x200/filters:blur(2)/demo/landscapes/dawn.jpg"
	for setting, want := range map[string]map[string][4]int{ // page, Markdown, access to changes, a changed example
		server.DocsUsers: {
			"anonymous": {401, 401, 401, 401}, "guest": {200, 200, 200, 403}, "user": {200, 200, 200, 200},
			"admin": {200, 200, 200, 200},
		},
		server.DocsPublic: {
			"anonymous": {200, 200, 200, 403}, "guest": {200, 200, 200, 403}, "user": {200, 200, 200, 200},
		},
		server.DocsOff: {"anonymous": {404, 404, 404, 404}, "admin": {404, 404, 404, 404}},
	} {
		s := newDocsStage(t, setting)
		for actor, statuses := range want {
			paths := []string{"/docs/guides/gallery.html", "/docs/reference/filters/blur.md", "/docs/access.json",
				change}
			for i, path := range paths {
				status, _, body := s.readDocs(actor, path)
				if status != statuses[i] {
					t.Errorf("docs=%s, %s: GET %s answers %d %.200s, want %d", setting, actor, path, status, body,
						statuses[i])
				}
				mayEdit := statuses[3] == http.StatusOK
				if path == "/docs/access.json" && status == http.StatusOK && strings.Contains(body, "true") != mayEdit {
					t.Errorf("docs=%s, %s: access is %s", setting, actor, body)
				}
			}
		}
	}
}

// TestDocsAskForALogin checks that a browser gets a page whose script and style work without a session, and that a
// revoked session reads nothing.
func TestDocsAskForALogin(t *testing.T) {
	s := newDocsStage(t, server.DocsUsers)
	for _, open := range []string{"docs.css", "theme.js", "session.js", "gate.js"} {
		if status, _, _ := s.readDocs("anonymous", "/docs/"+open); status != http.StatusOK {
			t.Errorf("GET /docs/%s answers %d", open, status)
		}
	}
	for _, closed := range []string{"docs.js", "search.json", "", "docs", "index.html", "js", "examples/x.jpg"} {
		if status, _, _ := s.readDocs("anonymous", "/docs/"+closed); status != http.StatusUnauthorized {
			t.Errorf("GET /docs/%s answers %d", closed, status)
		}
	}
	if status, _, _ := s.readDocs("user", "/docs/"); status != http.StatusOK {
		t.Fatalf("GET /docs/ answers %d to a user", status)
	}
	s.do("POST", "/api/auth/logout", "{}", "Authorization", "Bearer "+s.tokens["user"],
		"Content-Type", "application/json")
	if status, header, _ := s.readDocs("user", "/docs/"); status != http.StatusUnauthorized ||
		header.Get("Cache-Control") != "no-store" {
		t.Errorf("GET /docs/ answers %d, %v after the logout", status, header)
	}
}

// TestDocsFiles holds types, caching, compression and redirects.
func TestDocsFiles(t *testing.T) {
	s := newDocsStage(t, server.DocsPublic)
	for path, want := range map[string]string{
		"/docs/":                      "text/html; charset=utf-8",
		"/docs/guides/gallery.md":     "text/markdown; charset=utf-8",
		"/docs/docs.js":               "text/javascript; charset=utf-8",
		"/docs/search.json":           "application/json",
		"/docs/images/gallery.webp":   "image/webp",
		"/docs/start/first-hour.html": "text/html; charset=utf-8",
	} {
		status, header, _ := s.readDocs("anonymous", path, "Accept-Encoding", "br")
		if status != http.StatusOK || header.Get("Content-Type") != want || header.Get("Cache-Control") != "no-cache" {
			t.Errorf("GET %s answers %d, %v", path, status, header)
		}
		if compressed := !strings.HasSuffix(path, ".webp"); compressed != (header.Get("Content-Encoding") == "br") {
			t.Errorf("GET %s has the encoding %q", path, header.Get("Content-Encoding"))
		}
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") {
			t.Errorf("GET %s has the policy %s", path, policy)
		}
		status, _, body := s.readDocs("anonymous", path, "If-None-Match", header.Get("Etag"))
		if _, again, _ := s.readDocs("anonymous", path); again.Get("Etag") == header.Get("Etag") &&
			(status != http.StatusNotModified || body != "") {
			t.Errorf("GET %s answers %d with its ETag", path, status)
		}
	}
	for path, want := range map[string]string{
		"/docs":                  "docs/",
		"/docs/guides/gallery":   "gallery.html",
		"/docs/guides/migrate":   "migrate/index.html",
		"/docs/guides/migrate/":  "index.html",
		"/docs/reference/schema": "schema/index.html",
		// the links of a page start at its folder, which a slash that is escaped is not the end of
		"/docs/guides%2Fgallery":            "guides/gallery.html",
		"/docs/guides%2Fgallery.html":       "guides/gallery.html",
		"/docs/reference%2Ffilters/blur.md": "../reference/filters/blur.md",
	} {
		if _, header, _ := s.readDocs("anonymous", path); header.Get("Location") != want {
			t.Errorf("GET %s leads to %q, want %q", path, header.Get("Location"), want)
		}
	}
	for _, path := range []string{"/docs/none", "/docs/examples/none.jpg", "/docs/%2e%2e/README.md", "/docs/guides",
		"/docs/%2F%2Fother.example/guides%2Fgallery"} {
		if status, _, _ := s.readDocs("anonymous", path); status != http.StatusNotFound {
			t.Errorf("GET %s answers %d", path, status)
		}
	}
}

// TestDocsExamples checks that everybody sees the examples of the pages, which are rendered once.
func TestDocsExamples(t *testing.T) {
	s := newDocsStage(t, server.DocsPublic)
	_, _, page := s.readDocs("anonymous", "/docs/reference/filters/blur.html")
	_, rest, _ := strings.Cut(page, `class="after"><img src="../../`)
	example, _, _ := strings.Cut(rest, `"`)
	for range 2 {
		status, header, body := s.readDocs("anonymous", "/docs/"+example)
		if status != http.StatusOK || !strings.Contains(body, "blur(12)") || header.Get("Etag") == "" {
			t.Errorf("GET %s answers %d %s", example, status, body)
		}
	}
	if n := s.engine.processed.Load(); n != 1 {
		t.Errorf("the example was rendered %d times", n)
	}
	if status, _, body := s.readDocs("user", "/docs/try?path=9x9/secret.jpg"); status != http.StatusNotFound {
		t.Errorf("an example of another picture answers %d %s", status, body)
	}
}

// TestDocsExamplesShareARun checks that concurrent first readers of an example cause one run, and that the error of a
// run is not kept.
func TestDocsExamplesShareARun(t *testing.T) {
	s := newDocsStage(t, server.DocsPublic)
	_, _, page := s.readDocs("anonymous", "/docs/reference/filters/blur.html")
	_, rest, _ := strings.Cut(page, `class="after"><img src="../../`)
	example, _, _ := strings.Cut(rest, `"`)
	readers := func(process func(context.Context, imaging.Source) error, want int) {
		t.Helper()
		before := s.engine.processed.Load()
		s.engine.process = process
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if status, _, body := s.readDocs("anonymous", "/docs/"+example); status != want {
					t.Errorf("GET %s answers %d %s, want %d", example, status, body, want)
				}
			})
		}
		all.Wait()
		if n := s.engine.processed.Load() - before; n != 1 {
			t.Errorf("the example was rendered %d times", n)
		}
	}
	afterAll := func(err error) func(context.Context, imaging.Source) error {
		return func(context.Context, imaging.Source) error {
			for s.server.WaitingForExamples() < 4 {
				time.Sleep(time.Millisecond)
			}
			return err
		}
	}
	readers(afterAll(fault.New(fault.CorruptImage, "broken")), http.StatusUnprocessableEntity)
	readers(afterAll(nil), http.StatusOK)
}

package server_test

import (
	"compress/gzip"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
)

// browser is the Accept header of a browser that opens a page.
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

// appScript is long enough to become smaller in every coding.
var appScript = strings.Repeat("export const answer = 42\n", 40)

// appPicture stands for a picture, whose bytes are compressed already; it would become smaller all the same.
var appPicture = strings.Repeat("picture", 100)

// newAppStage returns a stage that serves a small application, which pages of the embedders may frame.
func newAppStage(t *testing.T, embedders ...string) *stage {
	t.Helper()
	return newFilesStage(t, fstest.MapFS{
		"index.html":       {Data: []byte("<!doctype html>the application")},
		"app/main-1.js":    {Data: []byte(appScript)},
		"app/one-2.css":    {Data: []byte("a{}")},
		"app/three-3.png":  {Data: []byte(appPicture)},
		"app/four-4.webp":  {Data: []byte(appPicture)},
		"app/five-5.woff2": {Data: []byte(appPicture)},

		"app/worker.js":            {Data: []byte(appScript)},
		"app/manifest.webmanifest": {Data: []byte("{}")},
		"app/icon-192.png":         {Data: []byte(appPicture)},
	}, embedders...)
}

func newFilesStage(t *testing.T, files fs.FS, embedders ...string) *stage {
	t.Helper()
	return newStageWith(t, func(c *server.Config, _ *gallerytest.Config) {
		c.Guest, c.AppOrigin, c.Embedders = true, "https://pictures.example", embedders
		c.TilesOrigin = "https://tiles.example"
	},
		func(d *server.Deps) { d.Web = files })
}

func TestAppPages(t *testing.T) {
	s := newAppStage(t)
	for _, path := range []string{"/", "/login", "/setup", "/f", "/f/a/b", "/i/a/b.png", "/timeline", "/map",
		"/search?q=x",
		"/edit?t=x", "/edit/a.png", "/templates", "/templates/x", "/clean", "/trash", "/admin", "/admin/tokens", "/me",
		"/pick", "/share", "/favorites"} {
		a := s.do("GET", path, "", "Accept", browser)
		if a.status != 200 || !strings.Contains(a.body, "the application") ||
			a.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %s %.60s", path, a.status, a.header.Get("Cache-Control"), a.body)
		}
		if vary := a.header.Values("Vary"); !strings.Contains(strings.Join(vary, ","), "Accept") {
			t.Errorf("%s: Vary is %q", path, vary)
		}
	}
	policy := s.do("GET", "/", "", "Accept", browser).header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'; style-src 'self';",
		"img-src 'self' https://pictures.example https://tiles.example blob: data:",
		"connect-src 'self' https://pictures.example;",
		"base-uri 'none'", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'; trusted-types svelte-trusted-html safelight-worker"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %q: %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy allows what is inline: %s", policy)
	}
}

// TestAppLeavesTheRest: only pages answer with the application, not pictures, API clients or the API.
func TestAppLeavesTheRest(t *testing.T) {
	s := newAppStage(t)
	for _, c := range []struct{ path, accept string }{
		{"/", "*/*"}, {"/", ""}, {"/f/a.png", "image/avif,image/webp,*/*;q=0.8"}, {"/api/nothing", browser},
		{"/healthz", browser}, {"/params/unsafe/a/b.png", browser},
		{"/somewhere", browser}, {"/" + strings.Repeat("a", 27) + "/a/b.png", browser}, {"/unsafe/a/b.png", browser},
		{"/appx", browser},
	} {
		if a := s.do("GET", c.path, "", "Accept", c.accept); strings.Contains(a.body, "the application") {
			t.Errorf("%s for %q is the application", c.path, c.accept)
		}
	}
}

// TestUploadsAreSandboxed checks that no upload runs in the origin of the application, which holds the session: every
// response except the pages forbids scripts, frames and sniffing. An upload of HTML is refused.
func TestUploadsAreSandboxed(t *testing.T) {
	s := newAppStage(t)
	s.store(
		"a/evil.svg",
		`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>`,
	)
	for _, path := range []string{
		s.signed("filters:raw()/a/evil.svg"), s.signed("filters:raw()/a/evil.html"), s.signed("a/evil.html"),
		s.signed("meta/a/evil.svg"), s.signed("9x9/a/missing.png"),
		"/params/unsafe/<script>", "/<script>alert(1)</script>", "/api/nothing", "/healthz", "/openapi.json",
	} {
		a := s.do("GET", path, "", "Accept", browser)
		policy := a.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") ||
			strings.Contains(policy, "allow-") {
			t.Errorf("%s: %d, the policy is %q", path, a.status, policy)
		}
		if a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
}

// TestAppPathsAreNoImages: no page shadows a signed image URL, because no page path starts with a signature.
func TestAppPathsAreNoImages(t *testing.T) {
	for _, path := range []string{"/login", "/setup", "/f/x", "/timeline/x", "/search/x", "/i/x", "/edit/x",
		"/templates/x", "/clean/x", "/trash/x", "/admin/x", "/me/x", "/pick/x", "/share", "/app/x"} {
		if hash, _ := imaging.SplitSigned(path); hash != "" {
			t.Errorf("%s begins with the signature %q", path, hash)
		}
	}
}

func TestAppAssets(t *testing.T) {
	s := newAppStage(t)
	for _, c := range []struct{ accept, coding string }{
		{"br, gzip", "br"}, {"gzip", "gzip"}, {"gzip;q=1, br;q=0", "gzip"}, {"identity", ""}, {"zstd", ""},
	} {
		a := s.do("GET", "/app/main-1.js", "", "Accept-Encoding", c.accept)
		if a.status != 200 || a.header.Get("Content-Encoding") != c.coding || decoded(t, a) != appScript {
			t.Errorf("%s: %d %s %q", c.accept, a.status, a.header.Get("Content-Encoding"), a.body)
		}
		if c.coding != "" && len(a.body) >= len(appScript) {
			t.Errorf("%s: %d bytes, the file has %d", c.accept, len(a.body), len(appScript))
		}
		if a.header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			a.header.Get("Content-Type") != "text/javascript; charset=utf-8" ||
			a.header.Get("X-Content-Type-Options") != "nosniff" || !slices.Contains(a.header.Values("Vary"),
			"Accept-Encoding") {
			t.Errorf("%s: %v", c.accept, a.header)
		}

		head := s.do("HEAD", "/app/main-1.js", "", "Accept-Encoding", c.accept)
		for _, name := range []string{"Content-Length", "Content-Encoding", "ETag"} {
			if head.header.Get(name) != a.header.Get(name) {
				t.Errorf("%s: %s of HEAD is %q, of GET %q", c.accept, name, head.header.Get(name), a.header.Get(name))
			}
		}
		if length := strconv.Itoa(len(a.body)); a.header.Get("Content-Length") != length {
			t.Errorf("%s: Content-Length is %q, the body has %s bytes", c.accept, a.header.Get("Content-Length"),
				length)
		}
		again := s.do("GET", "/app/main-1.js", "", "Accept-Encoding", c.accept, "If-None-Match", a.header.Get("ETag"))
		if again.status != 304 {
			t.Errorf("%s, again: %d", c.accept, again.status)
		}
		part := s.do("GET", "/app/main-1.js", "", "Accept-Encoding", c.accept, "Range", "bytes=3-9")
		if part.status != 206 || part.body != a.body[3:10] {
			t.Errorf("%s, a part: %d %q", c.accept, part.status, part.body)
		}
	}
	for _, path := range []string{
		"/app/", "/app/nothing.js", "/app/main-1.js.br", "/app/main-1.js.gz", "/app/..%2Findex.html",
		"/app/../index.html", "/app//main-1.js",
	} {
		a := s.do("GET", path, "")
		if a.status != 404 || !strings.Contains(a.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d %q %s", path, a.status, a.header.Get("Content-Security-Policy"), a.body)
		}
	}
}

// TestAppFilesAsTheyAre: compression makes some files larger, and others are compressed already.
func TestAppFilesAsTheyAre(t *testing.T) {
	s := newAppStage(t)
	for path, want := range map[string]string{
		"/app/one-2.css": "a{}", "/app/three-3.png": appPicture, "/app/four-4.webp": appPicture,
		"/app/five-5.woff2": appPicture,
	} {
		for _, coding := range []string{"br", "gzip", "identity"} {
			a := s.do("GET", path, "", "Accept-Encoding", coding)
			if a.status != 200 || a.body != want || a.header.Get("Content-Encoding") != "" {
				t.Errorf("%s for %s: %d %q %q", path, coding, a.status, a.header.Get("Content-Encoding"), a.body)
			}
		}
	}
}

// countedFiles counts how often a file is opened, and is slow to open it.
type countedFiles struct {
	fs.FS
	opened *atomic.Int64
}

func (f countedFiles) Open(name string) (fs.File, error) {
	if name == "app/main-1.js" {
		f.opened.Add(1)
		time.Sleep(50 * time.Millisecond)
	}
	return f.FS.Open(name)
}

// TestAppFixedFiles: what browsers know by its name is asked for each time, and the service worker may control all
// pages.
func TestAppFixedFiles(t *testing.T) {
	s := newAppStage(t)
	for path, want := range map[string]string{
		"/app/worker.js": "text/javascript; charset=utf-8", "/app/manifest.webmanifest": "application/manifest+json",
		"/app/icon-192.png": "image/png",
	} {
		a := s.do("GET", path, "")
		if a.status != 200 || a.header.Get("Content-Type") != want || a.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
		scope := a.header.Get("Service-Worker-Allowed")
		if (scope == "/") != (path == "/app/worker.js") {
			t.Errorf("%s: Service-Worker-Allowed is %q", path, scope)
		}
		policy := a.header.Get("Content-Security-Policy")
		if strings.Contains(policy, "script-src") != (path == "/app/worker.js") ||
			!strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
	}
}

// TestAppShared: a share that no service worker has taken leads to the page that says so.
func TestAppShared(t *testing.T) {
	a := newAppStage(t).do("POST", "/share", "--x\r\n", "Content-Type", "multipart/form-data; boundary=x")
	if a.status != 303 || a.header.Get("Location") != "/share?lost=1" {
		t.Errorf("%d %q %s", a.status, a.header.Get("Location"), a.body)
	}
}

// TestAppCompressesOnce: a form is made for the first of many requests, from the file, which is not read again.
func TestAppCompressesOnce(t *testing.T) {
	files := countedFiles{fstest.MapFS{"app/main-1.js": {Data: []byte(appScript)}}, &atomic.Int64{}}
	s := newFilesStage(t, files)
	if n := files.opened.Load(); n != 0 {
		t.Errorf("the start opened the file %d times", n)
	}
	for i, coding := range []string{"br", "gzip"} {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				a := s.do("GET", "/app/main-1.js", "", "Accept-Encoding", coding)
				if a.status != 200 || a.header.Get("Content-Encoding") != coding || decoded(t, a) != appScript {
					t.Errorf("%s: %d %s", coding, a.status, a.header.Get("Content-Encoding"))
				}
			})
		}
		all.Wait()
		if n := files.opened.Load(); n != int64(i)+1 {
			t.Errorf("%d forms took %d compressions", i+1, n)
		}
	}
}

// decoded returns what the body says in its content coding.
func decoded(t *testing.T, a answer) string {
	t.Helper()
	var body io.Reader = strings.NewReader(a.body)
	switch a.header.Get("Content-Encoding") {
	case "br":
		body = brotli.NewReader(body)
	case "gzip":
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			t.Error(err)
			return ""
		}
		body = unzipped
	}
	data, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

func TestAuthOptions(t *testing.T) {
	a := newAppStage(t).do("GET", "/api/auth/options", "")
	if a.status != 200 || a.json("guest") != true || a.json("setup") != false || a.json("version") != "test" {
		t.Error(a.body)
	}
}

// TestFrameAncestors: the listed origins, and no others, may frame the pages of the application; nothing else may be
// framed.
func TestFrameAncestors(t *testing.T) {
	s := newAppStage(t, "https://cms.example", "http://localhost:3000")
	for path, opener := range map[string]string{"/pick": "unsafe-none", "/edit/a/b.png": "unsafe-none",
		"/login": "unsafe-none", "/": "same-origin", "/admin": "same-origin"} {
		h := s.do("GET", path, "", "Accept", browser).header
		if policy := h.Get("Content-Security-Policy"); !strings.Contains(policy,
			"; frame-ancestors https://cms.example http://localhost:3000;") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		if h.Values("X-Frame-Options") != nil || h.Get("Cross-Origin-Opener-Policy") != opener {
			t.Errorf("%s: %q, opener policy %q, want none and %q", path, h.Values("X-Frame-Options"),
				h.Get("Cross-Origin-Opener-Policy"), opener)
		}
	}
	for _, path := range []string{"/api/auth/options", "/playground", "/unsafe/a/b.png", "/healthz", "/nothing"} {
		h := s.do("GET", path, "", "Accept", browser).header
		if h.Get("X-Frame-Options") != "DENY" || strings.Contains(h.Get("Content-Security-Policy"), "cms.example") {
			t.Errorf("%s may be framed: %q, policy %q", path, h.Get("X-Frame-Options"),
				h.Get("Content-Security-Policy"))
		}
	}
	if a := s.do("GET", "/api/auth/options", ""); !strings.Contains(a.body,
		`"embedders":["https://cms.example","http://localhost:3000"]`) {
		t.Error(a.body)
	}
	if h := newAppStage(t).do("GET", "/pick", "", "Accept", browser).header; h.Get("X-Frame-Options") != "DENY" ||
		h.Get("Cross-Origin-Opener-Policy") != "same-origin" {
		t.Errorf("without the setting: %v", h)
	}
}

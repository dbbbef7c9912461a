package server_test

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/signing"
)

// request returns a request as it is on the wire; lines are header lines.
func request(method, path string, lines ...string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: a\r\n" + strings.Join(append(lines, ""), "\r\n") + "\r\n"
}

// warm requests a URL until its answer is kept, and returns the answer.
func (s *stage) warm(url string, headers ...string) (a answer) {
	s.Helper()
	for range 2 { // the first comes from the engine, the second from memory
		if a = s.send(url, headers...); a.status != 200 && a.status != 304 {
			s.Fatalf("%s: %d %s", url, a.status, a.body)
		}
	}
	return a
}

// send is do for a GET with the path alone in its request line.
func (s *stage) send(url string, headers ...string) answer {
	s.Helper()
	return s.do("GET", url, "", headers...)
}

// fromCache reports whether the response cache answers a request. The request line is the one that do sends.
func (s *stage) fromCache(method, url string, lines ...string) (status int, body string, ok bool) {
	return s.server.FromCache(request(method, s.url+url, lines...))
}

// TestCached: the third answer is one that was kept, and equal to the second.
func TestCached(t *testing.T) {
	s := cachedStage(t)
	url := s.signed("10x10/a/b.png")
	second := s.warm(url)
	third := s.send(url)
	for _, a := range []answer{second, third} {
		if id := a.header.Get("X-Request-Id"); len(id) != 26 {
			t.Errorf("the id is %q", id)
		}
		for _, name := range []string{"X-Request-Id", "Date"} {
			a.header.Del(name)
		}
	}
	if !maps.EqualFunc(second.header, third.header, func(a, b []string) bool {
		return strings.Join(a,
			"\n") == strings.Join(b, "\n")
	}) || second.body != third.body || third.status != 200 {
		t.Errorf("%d %v,\nexpected %v", third.status, third.header, second.header)
	}
	tag := second.header.Get("ETag")
	if a := s.warm(url, "If-None-Match", tag); a.status != 304 {
		t.Fatalf("%d", a.status)
	}
	if a := s.send(url, "X-Request-Id", "client-1234"); a.header.Get("X-Request-Id") != "client-1234" {
		t.Errorf("the id is %q", a.header.Get("X-Request-Id"))
	}
	if n := strings.Count(s.log.String(), "msg=request"); n != 6 {
		t.Errorf("%d lines of requests, expected 6:\n%s", n, s.log)
	}
	for name, c := range map[string]struct {
		method string
		lines  []string
		status int // 0: the routes answer
	}{
		"plain": {"GET", nil, 200},
		"others": {"GET", []string{"User-Agent: x", "Cookie: a=b", "Accept-Encoding: gzip",
			"X-Forwarded-For: 1.2.3.4", "Sec-Fetch-Dest: image"}, 200},
		"an origin, without CORS":  {"GET", []string{"Origin: https://a.example"}, 200},
		"the tag":                  {"GET", []string{"If-None-Match: " + tag}, 304},
		"another tag":              {"GET", []string{`If-None-Match: "x"`}, 0},
		"the tag twice":            {"GET", []string{"If-None-Match: " + tag, "If-None-Match: " + tag}, 0},
		"HEAD":                     {"HEAD", nil, 0},
		"POST":                     {"POST", []string{"Content-Length: 0"}, 0},
		"a token":                  {"GET", []string{"Authorization: Bearer x"}, 0},
		"a range":                  {"GET", []string{"Range: bytes=0-1"}, 0},
		"a range in small letters": {"GET", []string{"range: bytes=0-1"}, 0},
		"a condition":              {"GET", []string{"If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"}, 0},
		"another condition":        {"GET", []string{`If-Match: "x"`}, 0},
		"a body":                   {"GET", []string{"Content-Length: 0"}, 0},
		"a hint":                   {"GET", []string{"Sec-CH-DPR: 2"}, 0},
		"another Accept":           {"GET", []string{"Accept: image/webp"}, 0},
	} {
		if status, _, ok := s.fromCache(c.method, url, c.lines...); ok != (c.status > 0) || ok && status != c.status {
			t.Errorf("%s: %t %d, expected %d", name, ok, status, c.status)
		}
	}
}

// TestNotCached: an answer is not sent again after something has changed that it depends on.
func TestNotCached(t *testing.T) {
	var results *cache.Cache
	admin := func(s *stage) context.Context {
		return auth.WithIdentity(s.Context(), auth.Identity{Role: auth.RoleAdmin, Scopes: auth.RoleAdmin.Scopes()})
	}
	file := func(s *stage) string { return filepath.Join(s.files, "a", "b.png") }
	for name, c := range map[string]struct {
		url    func(s *stage) string
		change func(s *stage)
		status int
	}{
		"nothing":  {nil, func(*stage) {}, 0},
		"the file": {nil, func(s *stage) { s.must(os.WriteFile(file(s), []byte(png+"!"), 0o600)) }, 200},
		"its time": {nil, func(s *stage) { s.must(os.Chtimes(file(s), time.Unix(1e9, 0), time.Unix(1e9, 0))) }, 200},
		"a file of the same size and time in its place": {nil, func(s *stage) {
			info, err := os.Stat(file(s))
			s.must(err)
			s.must(os.WriteFile(file(s)+"2", []byte(png), 0o600))
			s.must(os.Chtimes(file(s)+"2", info.ModTime(), info.ModTime()))
			s.must(os.Rename(file(s)+"2", file(s)))
		}, 200},
		"deleted":           {nil, func(s *stage) { s.must(s.rules.DeleteFile(admin(s), "a/b.png")) }, 404},
		"deleted behind us": {nil, func(s *stage) { s.must(os.Remove(file(s))) }, 404},
		"a folder in its place": {nil, func(s *stage) { s.must(os.Remove(file(s))); s.must(os.Mkdir(file(s), 0o700)) },
			404},
		"the layer": {func(s *stage) string {
			s.store("c.png", png)
			return s.signed("filters:watermark(c.png,0,0,0)/a/b.png")
		}, func(s *stage) { s.must(os.Remove(filepath.Join(s.files, "c.png"))) }, 404},
		"purged": {nil, func(s *stage) {
			_, err := results.Purge(s.Context(),
				cache.Selection{All: true})
			s.must(err)
		}, 200},
		"another secret": {nil, func(s *stage) {
			// the previous one is accepted for a day
			for _, secret := range []string{"another secret", "a third secret"} {
				_, err := s.rules.ConfigureProcessor(admin(s), signing.ProcessorInput{Secret: &secret})
				s.must(err)
			}
		}, 403},
		"the family's key revoked": {func(s *stage) string {
			_, _, err := s.rules.CreateFamilyKey(admin(s), "shop-1")
			s.must(err)
			f, err := s.rules.SignFamily(access.All(s.Context()), "a/b.png", imaging.Operations{},
				family.Policy{Key: "shop-1", Widths: []int{10, 20}})
			s.must(err)
			return "/" + f.Signature + "/" + f.Policy + "/10w/" + f.Path
		}, func(s *stage) { _, err := s.rules.RevokeFamilyKey(admin(s), "shop-1"); s.must(err) }, 403},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			if results, err = cache.New(cache.Config{MemoryBytes: 1 << 20, Now: later}); err != nil {
				t.Fatal(err)
			}
			defer results.Close()
			s := newStageWith(t, func(sc *server.Config, g *gallerytest.Config) {
				g.Gallery.Results, sc.Now = results,
					later
			}, func(d *server.Deps) { d.Results = results })
			url := s.signed("10x10/a/b.png")
			if c.url != nil {
				url = c.url(s)
			}
			s.warm(url)
			c.change(s)
			if _, _, ok := s.fromCache("GET", url); ok != (c.status == 0) {
				t.Errorf("sent again: %t", ok)
			}
			if a := s.send(url); c.status != 0 && a.status != c.status {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}

// TestCachedUntilExpiry: Cache-Control counts down, and the URL expires.
func TestCachedUntilExpiry(t *testing.T) {
	var at clock
	now := time.Now().Add(time.Hour)
	at.set(now)
	s := cachedStageAt(t, at.now, at.now)
	url := s.signed(fmt.Sprintf("10x10/filters:expire(%d)/a/b.png", now.Add(10*time.Second).UnixMilli()))
	for after := range 12 {
		at.set(now.Add(time.Duration(after) * time.Second))
		for range 3 {
			a := s.send(url)
			want := fmt.Sprintf("public, max-age=%d, must-revalidate, no-transform", 10-after)
			if after >= 10 && a.status != 410 || after < 10 && (a.status != 200 ||
				a.header.Get("Cache-Control") != want && a.header.Get("Cache-Control") != strings.Replace(want,
					fmt.Sprint(10-after), fmt.Sprint(9-after), 1)) {
				t.Errorf("after %d s: %d %s", after, a.status, a.header.Get("Cache-Control"))
			}
		}
	}
}

// TestCachedForOrigins: with CORS, answers depend on the origin; requests that are counted or need a token are never
// sent again.
func TestCachedForOrigins(t *testing.T) {
	c, err := cache.New(cache.Config{MemoryBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := newStageWith(t, func(sc *server.Config, g *gallerytest.Config) {
		g.Gallery.Results, sc.Now, sc.Origins, sc.Unsafe, sc.RateLimit = c, later, []string{"https://a.example"}, true,
			1000
	}, func(d *server.Deps) { d.Results = c })
	url := s.signed("10x10/a/b.png")
	s.warm(url, "Origin", "https://a.example")
	for origin, want := range map[string]bool{"https://a.example": true, "https://b.example": false} {
		if _, _, ok := s.fromCache("GET", url, "Origin: "+origin); ok != want {
			t.Errorf("%s: %t", origin, ok)
		}
	}
	if _, _, ok := s.fromCache("GET", url); ok {
		t.Error("sent without an origin")
	}
	s.warm("/unsafe/10x10/a/b.png")
	if _, _, ok := s.fromCache("GET", "/unsafe/10x10/a/b.png"); ok {
		t.Error("a request that is counted was answered without counting")
	}
}

// TestCachedLog: each answer that is sent again is logged, with the client that a trusted proxy forwards for, and
// counted.
func TestCachedLog(t *testing.T) {
	c, err := cache.New(cache.Config{MemoryBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := newStageWith(t, func(sc *server.Config, g *gallerytest.Config) {
		g.Gallery.Results, sc.Now = c, later
		sc.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	}, func(d *server.Deps) { d.Results = c })
	url := s.signed("10x10/a/b.png")
	s.warm(url)
	for forwarded, logged := range map[string]string{
		"203.0.113.9, 198.51.100.7": "198.51.100.7",
		"198.51.100.8, 10.0.0.2":    "198.51.100.8",
		"nonsense":                  "127.0.0.1",
	} {
		before := len(s.log.String())
		if a := s.send(url, "X-Forwarded-For", forwarded, "X-Request-Id", "client-1234"); a.status != 200 {
			t.Fatalf("%s: %d", forwarded, a.status)
		}
		line := s.log.String()[before:]
		for _, want := range []string{"msg=request requestId=client-1234 method=GET path=\"" + url +
			"\" status=200 bytes=", " address=" + logged + " "} {
			if !strings.Contains(line, want) || strings.Count(line, "\n") != 1 {
				t.Errorf("%s: %s", forwarded, line)
			}
		}
	}
	metrics := s.do("GET", "/metrics", "").body
	for _, want := range []string{`safelight_requests_total{route="image",status="200"} 5`,
		`safelight_request_seconds_count{route="image"} 5`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("%s is missing:\n%s", want, metrics)
		}
	}
}

// TestCachedTrace: a response from the cache has the span of its request, and none of a stage.
func TestCachedTrace(t *testing.T) {
	c, err := cache.New(cache.Config{MemoryBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	s := newStageWith(t, func(sc *server.Config, g *gallerytest.Config) { g.Gallery.Results, sc.Now = c, later },
		func(d *server.Deps) { d.Results, d.Tracer = c, provider.Tracer("test") })
	url := s.signed("10x10/a/b.png")
	s.warm(url)
	if _, _, ok := s.fromCache("GET", url); !ok {
		t.Fatal("the response is not cached")
	}
	before := len(spans.Ended())
	s.send(url)
	if ended := spans.Ended()[before:]; len(ended) != 1 || ended[0].Name() != "GET image" {
		t.Errorf("the spans are %v, expected GET image", ended)
	}
}

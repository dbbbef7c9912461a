package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
)

// later is an hour ahead, so that the sources of a test are old enough to be trusted.
func later() time.Time { return time.Now().Add(time.Hour) }

// cachedStage has a cache in memory and files.
func cachedStage(t *testing.T) *stage { return cachedStageAt(t, later, later) }

// cachedStageAt is cachedStage with clocks of the server and of its cache.
func cachedStageAt(t *testing.T, serverNow, cacheNow func() time.Time) *stage {
	t.Helper()
	c, err := cache.New(cache.Config{MemoryBytes: 1 << 20, Folder: t.TempDir(), FileBytes: 1 << 30,
		NegativeAge: time.Minute, Now: cacheNow})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return newStageWith(t, func(sc *server.Config, g *gallerytest.Config) {
		g.Gallery.Results, sc.Workers, sc.Queue, sc.Now = c, 1, 1, serverNow
	}, func(d *server.Deps) { d.Results = c })
}

// clock stands still until a test moves it.
type clock struct{ at atomic.Int64 } // Unix nanoseconds

func (c *clock) set(at time.Time) { c.at.Store(at.UnixNano()) }
func (c *clock) now() time.Time   { return time.Unix(0, c.at.Load()) }

// TestFreshSourceIsNotCached: a result is not cached while its source may change again without a new modification time.
func TestFreshSourceIsNotCached(t *testing.T) {
	var at clock
	longAgo := func() time.Time { return time.Unix(1, 0) } // the purge of the upload must not reach the results
	s := cachedStageAt(t, at.now, longAgo)
	whole := time.Unix(1_700_000_000, 0)
	fraction := whole.Add(123_456_789)
	for n, c := range []struct {
		modified time.Time
		age      time.Duration
		kept     bool
	}{
		{fraction, 0, false},
		{fraction, server.ClockResolution - 1, false},
		{fraction, server.ClockResolution, true},
		{fraction, time.Hour, true},
		{fraction, -time.Minute, true}, // a wrong clock must not turn the cache off
		{whole, server.ClockResolution, false},
		{whole, server.CoarseResolution - 1, false},
		{whole, server.CoarseResolution, true},
	} {
		s.must(os.Chtimes(filepath.Join(s.files, "a", "b.png"), c.modified, c.modified))
		at.set(c.modified.Add(c.age))
		url := s.signed(fmt.Sprintf("%dx10/a/b.png", n+1))
		before := s.engine.processed.Load()
		first := s.do("GET", url, "")
		if got := strings.HasSuffix(first.header.Get("Cache-Status"), "; stored"); first.status != 200 ||
			got != c.kept {
			t.Errorf("%s old, %v: %d, stored is %v", c.age, c.modified, first.status, got)
		}
		s.do("GET", url, "")
		if got := s.engine.processed.Load()-before == 1; got != c.kept {
			t.Errorf("%s old, %v: kept is %v", c.age, c.modified, got)
		}
	}
}

func TestResultIsKept(t *testing.T) {
	s := cachedStage(t)
	url := s.signed("10x10/filters:nope():attachment(x)/a/b.png")
	first := s.do("GET", url, "")
	again := s.do("GET", url, "")
	if n := s.engine.processed.Load(); n != 1 {
		t.Errorf("processed %d times", n)
	}
	if again.body != first.body || again.status != 200 {
		t.Errorf("%d %q after %q", again.status, again.body, first.body)
	}
	for _, name := range []string{"Etag", "Content-Type", "Cache-Control", "X-Warnings", "Content-Disposition"} {
		if again.header.Get(name) != first.header.Get(name) || again.header.Get(name) == "" {
			t.Errorf("%s is %q after %q", name, again.header.Get(name), first.header.Get(name))
		}
	}
	if a, b := first.header.Get("Cache-Status"),
		again.header.Get("Cache-Status"); a != "Safelight; fwd=uri-miss; stored" ||
		b != "Safelight; hit; detail=memory" {
		t.Errorf("Cache-Status %q, then %q", a, b)
	}
	meta := s.do("GET", s.signed("meta/a/b.png"), "")
	if more := s.do("GET", s.signed("meta/a/b.png"), ""); more.body != meta.body || s.engine.processed.Load() != 2 ||
		more.header.Get("Content-Type") != "application/json" {
		t.Errorf("meta: %d %q", more.status, more.body)
	}
}

// TestPrivateSharesBytesNotHeaders requests one result with a token and with a signature.
func TestPrivateSharesBytesNotHeaders(t *testing.T) {
	var at clock
	at.set(later().Add(time.Hour)) // after the purge of the upload, as the cache sees it
	s := cachedStageAt(t, at.now, later)
	private := s.do("GET", "/unsafe/10x10/a/b.png", "", "Authorization", "Bearer "+s.tokens["user"])
	public := s.do("GET", s.signed("10x10/a/b.png"), "")
	if s.engine.processed.Load() != 1 || private.body != public.body {
		t.Error("the bytes are not shared")
	}
	if !strings.HasPrefix(private.header.Get("Cache-Control"), "private") ||
		!strings.HasPrefix(public.header.Get("Cache-Control"), "public") {
		t.Errorf("%q and %q", private.header.Get("Cache-Control"), public.header.Get("Cache-Control"))
	}
	if a := s.do("GET", "/unsafe/10x10/a/b.png", ""); a.status != 403 {
		t.Errorf("without a token: %d", a.status)
	}
	soon := at.now().Add(time.Minute)
	url := s.signed(fmt.Sprintf("10x10/filters:expire(%d)/a/b.png", soon.UnixMilli()))
	if a := s.do("GET", url, ""); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	at.set(soon)
	if a := s.do("GET", url, ""); a.status != 410 {
		t.Errorf("an expired URL is served from the cache: %d", a.status)
	}
}

func TestReplacedSourceShowsAtOnce(t *testing.T) {
	s := cachedStage(t)
	content := ""
	s.engine.process = func(_ context.Context, src imaging.Source) error {
		b, err := io.ReadAll(src.Reader)
		content = string(b)
		return err
	}
	url := s.signed("10x10/a/b.png")
	look := func(want string) {
		t.Helper()
		for range 2 {
			s.do("GET", url, "")
		}
		if content != want {
			t.Errorf("got %q, expected %q", content, want)
		}
	}
	look(png)
	s.store("a/b.png", png+"by the API")
	look(png + "by the API")
	file := filepath.Join(s.files, "a", "b.png")
	for i := range 20 {
		want := fmt.Sprint(png, "by hand ", i%10)
		s.must(os.WriteFile(file, []byte(want), 0o600)) // the same length, in place
		// the clock of the file system may stand still between two writes
		written := time.Now().Add(time.Duration(i) * time.Second)
		s.must(os.Chtimes(file, written, written))
		look(want)
	}
	s.must(os.WriteFile(file+".new", []byte(png+"renamed  "), 0o600))
	s.must(os.Rename(file+".new", file))
	look(png + "renamed  ")
	s.must(os.Remove(file))
	if a := s.do("GET", url, ""); a.status != 404 {
		t.Errorf("a removed source: %d", a.status)
	}
}

// TestReplacedWithinSourceCheck: a result that is not cached is rendered from the file that another program put in the
// place of the one whose version is cached.
func TestReplacedWithinSourceCheck(t *testing.T) {
	s := cachedStage(t)
	s.rules.Versions.Age = time.Hour
	first, second := s.signed("10x10/a/b.png"), s.signed("20x20/a/b.png")
	before := s.warm(first)
	written := time.Now().Add(-time.Hour)
	s.must(os.Chtimes(filepath.Join(s.files, "a", "b.png"), written, written))
	if a := s.do("GET", first, ""); a.header.Get("ETag") != before.header.Get("ETag") {
		t.Error("the version is not cached")
	}
	if a := s.do("GET", second, ""); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.do("GET", first, ""); a.header.Get("ETag") == before.header.Get("ETag") {
		t.Error("the replaced file still does not show")
	}
}

// TestProcessedOnce has 500 clients request one new result; the first disconnects.
func TestProcessedOnce(t *testing.T) {
	s := cachedStage(t)
	started, gate := make(chan struct{}), make(chan struct{})
	s.engine.process = func(ctx context.Context, _ imaging.Source) error {
		close(started)
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return fault.New(fault.Canceled, "gone")
		}
	}
	url := s.signed("10x10/a/b.png")
	leader, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	fmt.Fprintf(leader, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", url)
	<-started
	var wg sync.WaitGroup
	for range 500 {
		wg.Go(func() {
			if a := s.do("GET", url, ""); a.status != 200 ||
				a.header.Get("Cache-Status") != "Safelight; fwd=uri-miss; collapsed" {
				t.Errorf("got %d, Cache-Status %q", a.status, a.header.Get("Cache-Status"))
			}
		})
	}
	for s.server.Waiting() != 501 {
		runtime.Gosched()
	}
	leader.Close()
	for s.server.Waiting() != 500 { // the disconnect is noticed
		runtime.Gosched()
	}
	close(gate)
	wg.Wait()
	if n := s.engine.processed.Load(); n != 1 {
		t.Errorf("processed %d times", n)
	}
}

func TestBrokenPictureIsTriedOnceAMinute(t *testing.T) {
	s := cachedStage(t)
	s.engine.process = func(context.Context, imaging.Source) error {
		return fault.OnField(fault.CorruptImage, "x", "it is broken")
	}
	for range 3 {
		a := s.do("GET", s.signed("a/b.png"), "")
		if a.status != 422 || a.json("message") != "it is broken" || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %v %s", a.status, a.header, a.body)
		}
	}
	if n := s.engine.processed.Load(); n != 1 {
		t.Errorf("processed %d times", n)
	}
	s.engine.process = nil
	s.store("a/b.png", png+"mended")
	if a := s.do("GET", s.signed("a/b.png"), ""); a.status != 200 {
		t.Errorf("a mended picture: %d", a.status)
	}
}

func TestPurgeThroughTheAPI(t *testing.T) {
	s := cachedStage(t)
	fill := func() {
		for _, path := range []string{"10x10/a/b.png", "20x20/a/b.png", "10x10/color:red"} {
			s.do("GET", s.signed(path), "")
		}
	}
	for input, want := range map[string]float64{`path: "a/b.png"`: 2, `folder: "a"`: 2, `folder: ""`: 3, `all: true`: 3,
		`path: "a"`: 0, `tag: "nobody's"`: 0} {
		fill()
		a := s.graphQL(
			"admin",
			`mutation { purgeCache(input: {`+input+`}) { purged { memory files bytes } userErrors { code } } }`,
			nil,
		)
		if got := a.json("data", "purgeCache", "purged", "memory"); got != want {
			t.Errorf("%s: %v, expected %v: %s", input, got, want, a.body)
		}
		processed := s.engine.processed.Load()
		s.do("GET", s.signed("10x10/a/b.png"), "")
		if anew := s.engine.processed.Load() > processed; anew != (want > 0) {
			t.Errorf("%s: rendered again is %v", input, anew)
		}
	}
	for _, input := range []string{``, `all: true, path: "a/b.png"`, `folder: "../x"`, `all: false`} {
		a := s.graphQL(
			"admin",
			`mutation { purgeCache(input: {`+input+`}) { purged { memory } userErrors { code field } } }`,
			nil,
		)
		if !strings.Contains(a.body, `"code":"`) || a.json("data", "purgeCache", "purged") != nil {
			t.Errorf("%q: %s", input, a.body)
		}
	}
	a := s.graphQL(
		"admin",
		`{ cacheStatus { enabled memory { hits entries maxBytes } files { corrupt } s3 { hits } misses } }`,
		nil,
	)
	if a.json("data", "cacheStatus", "enabled") != true || a.json("data", "cacheStatus", "s3") != nil ||
		a.json("data", "cacheStatus", "memory", "maxBytes") != float64(1<<20) {
		t.Errorf("%s", a.body)
	}
	fill()
	s.must(s.rules.MoveFile(access.All(s.Context()), "a/b.png", "a/c.png"))
	for entries := 0.0; entries != 1; { // the purge runs in the background
		a := s.graphQL("admin", `{ cacheStatus { memory { entries } } }`, nil)
		entries, _ = a.json("data", "cacheStatus", "memory", "entries").(float64)
	}
}

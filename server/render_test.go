package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
)

// cachedStage has a cache in memory and files.
func cachedStage(t *testing.T) (*stage, string) {
	t.Helper()
	dir := t.TempDir()
	c, err := cache.New(cache.Config{MemoryBytes: 1 << 20, Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s := newStageWith(t, func(sc *server.Config, g *gallerytest.Config) { g.Gallery.Results, sc.Workers, sc.Queue = c, 1, 1 }, func(d *server.Deps) { d.Results = c })
	time.Sleep(2 * server.ClockResolution) // a source that is younger is not trusted
	return s, dir
}

func TestResultIsKept(t *testing.T) {
	s, _ := cachedStage(t)
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
	if a, b := first.header.Get("Cache-Status"), again.header.Get("Cache-Status"); a != "Safelight; fwd=uri-miss; stored" || b != "Safelight; hit; detail=memory" {
		t.Errorf("Cache-Status %q, then %q", a, b)
	}
	meta := s.do("GET", s.signed("meta/a/b.png"), "")
	if more := s.do("GET", s.signed("meta/a/b.png"), ""); more.body != meta.body || s.engine.processed.Load() != 2 || more.header.Get("Content-Type") != "application/json" {
		t.Errorf("meta: %d %q", more.status, more.body)
	}
}

// TestPrivateSharesBytesNotHeaders asks for one result with a token and with a signature.
func TestPrivateSharesBytesNotHeaders(t *testing.T) {
	s, _ := cachedStage(t)
	private := s.do("GET", "/unsafe/10x10/a/b.png", "", "Authorization", "Bearer "+s.tokens["user"])
	public := s.do("GET", s.signed("10x10/a/b.png"), "")
	if s.engine.processed.Load() != 1 || private.body != public.body {
		t.Error("the bytes are not shared")
	}
	if !strings.HasPrefix(private.header.Get("Cache-Control"), "private") || !strings.HasPrefix(public.header.Get("Cache-Control"), "public") {
		t.Errorf("%q and %q", private.header.Get("Cache-Control"), public.header.Get("Cache-Control"))
	}
	if a := s.do("GET", "/unsafe/10x10/a/b.png", ""); a.status != 403 {
		t.Errorf("without a token: %d", a.status)
	}
	soon := time.Now().Add(300 * time.Millisecond)
	url := s.signed(fmt.Sprintf("10x10/filters:expire(%d)/a/b.png", soon.UnixMilli()))
	if a := s.do("GET", url, ""); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	time.Sleep(time.Until(soon))
	if a := s.do("GET", url, ""); a.status != 410 {
		t.Errorf("an expired URL is served from the cache: %d", a.status)
	}
}

func TestReplacedSourceShowsAtOnce(t *testing.T) {
	s, _ := cachedStage(t)
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

// TestProcessedOnce has 500 clients ask for one new result, the first of which hangs up.
func TestProcessedOnce(t *testing.T) {
	s, _ := cachedStage(t)
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
			how := "" // who comes late finds it in memory
			if a := s.do("GET", url, ""); a.status == 200 {
				how = a.header.Get("Cache-Status")
			}
			if how != "Safelight; fwd=uri-miss; collapsed" && how != "Safelight; hit; detail=memory" {
				t.Errorf("got %q", how)
			}
		})
	}
	inFlight := regexp.MustCompile(`(?m)^safelight_requests_in_flight (50\d)$`)
	for !inFlight.MatchString(s.do("GET", "/metrics", "").body) { // all have come
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond) // and most of them are waiting
	leader.Close()
	time.Sleep(300 * time.Millisecond) // the hang-up is noticed
	close(gate)
	wg.Wait()
	if n := s.engine.processed.Load(); n != 1 {
		t.Errorf("processed %d times", n)
	}
}

func TestBrokenPictureIsTriedOnceAMinute(t *testing.T) {
	s, _ := cachedStage(t)
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
	s, _ := cachedStage(t)
	fill := func() {
		for _, path := range []string{"10x10/a/b.png", "20x20/a/b.png", "10x10/color:red"} {
			s.do("GET", s.signed(path), "")
		}
	}
	for input, want := range map[string]float64{`path: "a/b.png"`: 2, `folder: "a"`: 2, `folder: ""`: 3, `all: true`: 3, `path: "a"`: 0, `tag: "nobody's"`: 0} {
		fill()
		a := s.graphQL("admin", `mutation { purgeCache(input: {`+input+`}) { purged { memory files bytes } userErrors { code } } }`, nil)
		if got := a.json("data", "purgeCache", "purged", "memory"); got != want {
			t.Errorf("%s: %v, expected %v: %s", input, got, want, a.body)
		}
		processed := s.engine.processed.Load()
		s.do("GET", s.signed("10x10/a/b.png"), "")
		if anew := s.engine.processed.Load() > processed; anew != (want > 0) {
			t.Errorf("%s: rendered anew is %v", input, anew)
		}
	}
	for _, input := range []string{``, `all: true, path: "a/b.png"`, `folder: "../x"`} {
		a := s.graphQL("admin", `mutation { purgeCache(input: {`+input+`}) { purged { memory } userErrors { code field } } }`, nil)
		if list, _ := a.json("data", "purgeCache", "userErrors").([]any); len(list) != 1 || a.json("data", "purgeCache", "purged") != nil {
			t.Errorf("%q: %s", input, a.body)
		}
	}
	a := s.graphQL("admin", `{ cacheStatus { enabled memory { hits entries maxBytes } files { damaged } s3 { hits } misses } }`, nil)
	if a.json("data", "cacheStatus", "enabled") != true || a.json("data", "cacheStatus", "s3") != nil || a.json("data", "cacheStatus", "memory", "maxBytes") != float64(1<<20) {
		t.Errorf("%s", a.body)
	}
	fill()
	s.must(s.rules.MoveFile(s.Context(), "a/b.png", "a/c.png"))
	status := ""
	for range 200 { // it is done aside
		a := s.graphQL("admin", `{ cacheStatus { memory { entries } } }`, nil)
		if status = a.body; a.json("data", "cacheStatus", "memory", "entries") == float64(1) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("a move does not purge: %s", status)
}

package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/storage/remote"
)

func unsafeStage(t *testing.T, fetch *remote.Fetcher) *stage {
	return newStageWith(t, func(c *server.Config, _ *gallerytest.Config) { c.Unsafe = true },
		func(d *server.Deps) { d.Remote = fetch })
}

// TestLayersOfURLs checks the layers that the engine gets, and that the ETag identifies their bytes.
func TestLayersOfURLs(t *testing.T) {
	s := unsafeStage(t, nil)
	s.store("main.png", png+"main")
	s.store("over/one.png", png+"one")
	s.store("two.png", png+"two")
	var names []string
	s.engine.process = func(_ context.Context, src imaging.Source) error {
		names = nil
		for name, layer := range src.Layers {
			data, err := io.ReadAll(layer.Reader)
			if err != nil || layer.Size != int64(len(data)) {
				t.Errorf("layer %s of %d bytes: %q, %v", name, layer.Size, data, err)
			}
			names = append(names, name)
		}
		slices.Sort(names)
		return nil
	}
	url := "/unsafe/filters:image(over/one.png):watermark(filters:image(two.png)/over/one.png,0,0):image(color:red)/main.png"
	first := s.do("GET", url, "")
	if first.status != 200 || strings.Join(names, " ") != "over/one.png two.png" {
		t.Fatalf("%d, layers %q", first.status, names)
	}
	if again := s.do("GET", url, "", "If-None-Match", first.header.Get("ETag")); again.status != 304 {
		t.Errorf("the same layers: %d, expected 304", again.status)
	}
	s.store("two.png", png+"another two")
	if again := s.do("GET", url, "", "If-None-Match", first.header.Get("ETag")); again.status != 200 {
		t.Errorf("a layer changed: %d, expected 200", again.status)
	}
	for path, want := range map[string]int{
		"filters:image(missing.png)/main.png":                            404,
		"filters:image(..%2F..%2Fetc%2Fpasswd)/main.png":                 400,
		"filters:image(color:nocolour)/main.png":                         400,
		"filters:image(https%3A%2F%2Fhost.example%2Fa)/main.png":         400,
		"filters:" + strings.Repeat("text(a):", 33) + "blur(1)/main.png": 413,
		"https://host.example/a.png":                                     400,
	} {
		if r := s.do("GET", "/unsafe/"+path, ""); r.status != want {
			t.Errorf("%.70s: %d, expected %d", path, r.status, want)
		}
	}
}

// TestRemoteSources serves pictures of another server, and only of listed hosts.
func TestRemoteSources(t *testing.T) {
	var asked atomic.Int64
	version := atomic.Pointer[string]{}
	one := `"1"`
	version.Store(&one)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("ETag", *version.Load())
		if r.Header.Get("If-None-Match") == *version.Load() {
			w.WriteHeader(304)
			return
		}
		if r.URL.Path == "/gone.png" {
			w.WriteHeader(404)
			return
		}
		io.WriteString(w, png+*version.Load())
	}))
	defer origin.Close()
	host := strings.TrimPrefix(origin.URL, "http://")
	closed, err := remote.New(remote.Config{Hosts: []string{host, "*.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	if r := unsafeStage(t, closed).do("GET", "/unsafe/http://"+host+"/a.png", ""); r.status != 403 ||
		asked.Load() != 0 {
		t.Errorf("a listed host with a private address: %d after %d requests, expected 403 after none", r.status,
			asked.Load())
	}
	fetch, err := remote.New(remote.Config{Hosts: []string{host},
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	s := unsafeStage(t, fetch)
	s.store("main.png", png)
	for path, want := range map[string]int{
		"http://" + host + "/a.png": 200, "http%3A%2F%2F" + host + "%2Fa.png%3Fsecret=1": 200,
		"filters:image(http%3A%2F%2F" + host + "%2Fa.png)/main.png": 200, "http://" + host + "/gone.png": 404,
		"http://other.example/a.png": 403, "http://user:pass@" + host + "/a.png": 400, "meta/http://" + host +
			"/a.png": 200,
	} {
		r := s.do("GET", "/unsafe/"+path, "")
		if r.status != want {
			t.Errorf("%s: %d, expected %d", path, r.status, want)
		}
	}
	if strings.Contains(s.log.String(), "secret=1") && strings.Contains(s.log.String(), "level=ERROR") {
		t.Error("a query string is in an error of the log")
	}
	first := s.do("GET", "/unsafe/http://"+host+"/a.png", "")
	two := `"2"`
	version.Store(&two)
	again := s.do("GET", "/unsafe/http://"+host+"/a.png", "", "If-None-Match", first.header.Get("ETag"))
	if again.status != 200 || again.header.Get("ETag") == first.header.Get("ETag") {
		t.Errorf("the origin's picture changed: %d with tag %s", again.status, again.header.Get("ETag"))
	}
}

package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
)

// TestPageOfColdThumbnails asks for 200 pictures at once of a server with two workers: every one is answered.
func TestPageOfColdThumbnails(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.Unsafe, c.Workers = true, 2 })
	const pictures = 200
	arrived := make(chan struct{})
	var mu sync.Mutex
	waiting := 0
	s.engine.process = func(context.Context, imaging.Source) error {
		<-arrived // no picture is made before all are asked for, or are refused
		return nil
	}
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: pictures}}
	defer client.CloseIdleConnections()
	statuses := map[int]int{}
	var wait sync.WaitGroup
	for n := range pictures {
		wait.Go(func() {
			mu.Lock()
			if waiting++; waiting == pictures {
				close(arrived)
			}
			mu.Unlock()
			r, err := client.Get(s.url + fmt.Sprintf("/unsafe/%dx20/color:red", 10+n))
			if err != nil {
				t.Error(err)
				return
			}
			r.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			statuses[r.StatusCode]++
		})
	}
	wait.Wait()
	if statuses[200] != pictures {
		t.Errorf("answers by status: %v, expected %d of 200", statuses, pictures)
	}
}

// TestReplacedPicture checks that the URLs of a file name its version, which a replaced picture changes, and that the
// old URL is answered with the new picture and no promise.
func TestReplacedPicture(t *testing.T) {
	s := newStage(t, nil)
	ask := func() (urls map[string]string) {
		a := s.graphQL(
			"user",
			`{ file(path: "a/b.png") { etag url metaUrl srcset(widths: [1]) thumbnailUrls { grid preview full original meta }
			srcFamily(vary: [WIDTH, FORMAT]) { template url } expiring: srcFamily(vary: [WIDTH], expiresIn: 60) { url } } }`,
			nil,
		)
		urls = map[string]string{}
		for _, name := range []string{"etag", "url", "metaUrl", "srcset"} {
			urls[name], _ = a.json("data", "file", name).(string)
		}
		for _, name := range []string{"grid", "preview", "full", "original", "meta"} {
			urls[name], _ = a.json("data", "file", "thumbnailUrls", name).(string)
		}
		for _, name := range []string{"template", "url"} {
			urls["srcFamily."+name], _ = a.json("data", "file", "srcFamily", name).(string)
			urls["srcFamily."+name] = strings.Replace(urls["srcFamily."+name], "{choice}", "320w,webp", 1)
		}
		urls["expiring"], _ = a.json("data", "file", "expiring", "url").(string)
		return urls
	}
	path := func(u string) string {
		u, _, _ = strings.Cut(u, " ")
		return u[strings.Index(u, "/"):]
	}
	before := ask()
	for name, u := range before {
		if name == "etag" {
			continue
		}
		if !strings.Contains(u, "?v=") {
			t.Errorf("%s has no version: %s", name, u)
			continue
		}
		a := s.do("GET", path(u), "")
		if c := a.header.Get("Cache-Control"); a.status != 200 || strings.Contains(c,
			"immutable") != (name != "expiring") {
			t.Errorf("%s: %d with Cache-Control %q, expected immutable if it does not expire", name, a.status, c)
		}
	}
	s.store("a/b.png", png+"another")
	after := ask()
	for name, u := range before {
		if name != "etag" && after[name] == u {
			t.Errorf("%s stays %s for another picture", name, u)
		}
	}
	if c := s.do("GET", path(before["grid"]), "").header.Get("Cache-Control"); c != "private, no-cache, "+
		"must-revalidate, no-transform" {
		t.Errorf("the old URL says %q", c)
	}
	a := s.graphQL("user", `{ generateProcessorUrl(imagePath: "a/b.png", params: {width: 9}) { url } }`, nil)
	if strings.Contains(a.body, "?v=") {
		t.Errorf("a URL for embedding has a version: %s", a.body)
	}
}

// TestErrorPages checks that a browser that opens a wrong URL sees a page, and everything else JSON without escapes.
func TestErrorPages(t *testing.T) {
	s := newStage(t, nil)
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, c := range []struct {
		name, path string
		headers    []string
		page       bool
	}{
		{"a page", "/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/<here>/a.jpg", []string{"Accept", browser}, true},
		{"a page of a browser that says so", "/nothing/a.jpg", []string{"Accept", browser, "Sec-Fetch-Dest",
			"document"}, true},
		{"a frame", "/nothing/a.jpg", []string{"Accept", browser, "Sec-Fetch-Dest", "iframe"}, false},
		{"an image", "/nothing/a.jpg", []string{"Accept", "image/avif,image/webp,*/*;q=0.8"}, false},
		{"a program", "/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/<here>/a.jpg", nil, false},
		{"the API", "/api/nothing", []string{"Accept", browser}, false},
	} {
		a := s.do("GET", c.path, "", c.headers...)
		kind := a.header.Get("Content-Type")
		if a.status < 400 || strings.HasPrefix(kind, "text/html") != c.page || !c.page && !json.Valid([]byte(a.body)) {
			t.Errorf("%s: %d %s %.80s", c.name, a.status, kind, a.body)
		}
		if strings.Contains(a.body, "<here>") == c.page && strings.Contains(c.path, "<") ||
			strings.Contains(a.body, `\u003c`) {
			t.Errorf("%s: the path is not as it should be: %s", c.name, a.body)
		}
	}
	if a := s.do("GET", "/robots.txt", ""); a.status != 200 || !strings.Contains(a.body, "Disallow: /api/") {
		t.Errorf("/robots.txt: %d %s", a.status, a.body)
	}
	if a := s.do("GET", "/favicon.ico", ""); a.status >= 300 {
		t.Errorf("/favicon.ico: %d", a.status)
	}
}

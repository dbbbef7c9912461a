package server_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
)

func TestImage(t *testing.T) {
	s := newStage(t, nil)
	url := s.signed("300x200/filters:blur(2)/a/b.png")
	a := s.do("GET", url, "")
	tag := a.header.Get("ETag")
	if a.status != 200 || a.body != "picture 300x200/filters:blur(2)/a/b.png" ||
		a.header.Get("Content-Type") != "image/webp" || len(tag) < 20 ||
		a.header.Get("Cache-Control") != "public, max-age=604800, no-transform" ||
		a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	before := s.engine.processed.Load()
	for header, status := range map[string]int{tag: 304, "W/" + tag: 304, "*": 304, `"x", ` + tag + `, "y"`: 304,
		`"a,b",W/` + tag: 304} {
		if a := s.do("GET", url, "", "If-None-Match", header); a.status != status || a.body != "" ||
			a.header.Get("ETag") != tag {
			t.Errorf("If-None-Match %s: %d %v", header, a.status, a.header)
		}
	}
	head := s.do("HEAD", url, "")
	if head.status != 200 || head.header.Get("ETag") != tag || head.header.Get("Content-Type") != "image/png" ||
		s.engine.processed.Load() != before {
		t.Errorf("HEAD: %d %v, %d pictures processed", head.status, head.header, s.engine.processed.Load()-before)
	}
	for _, header := range []string{`"x"`, strings.Trim(tag, `"`), `"` + tag, ""} {
		if a := s.do("GET", url, "", "If-None-Match", header); a.status != 200 {
			t.Errorf("If-None-Match %s: %d", header, a.status)
		}
	}
	others := []string{"301x200/filters:blur(2)/a/b.png", "300x200/a/b.png", "meta/300x200/filters:blur(2)/a/b.png",
		"color:red"}
	for _, other := range others {
		if a := s.do("GET", s.signed(other), ""); a.status != 200 || a.header.Get("ETag") == tag ||
			a.header.Get("ETag") == "" {
			t.Errorf("%s: %d with tag %s", other, a.status, a.header.Get("ETag"))
		}
	}
}

func TestImageHeaders(t *testing.T) {
	s := newStage(t, nil)
	soon := time.Now().Add(time.Hour).UnixMilli()
	for path, want := range map[string][2]string{
		"filters:max_age(60)/a/b.png":                   {"Cache-Control", "public, max-age=60, no-transform"},
		fmt.Sprintf("filters:expire(%d)/a/b.png", soon): {"Cache-Control", "public, max-age=3599, no-transform"},
		"filters:attachment()/a/b.png":                  {"Content-Disposition", `attachment; filename="b.webp"`},
		"filters:attachment(x.png)/a/b.png":             {"Content-Disposition", `attachment; filename="x.webp"`},
		"filters:attachment(b64:w7wgIi5qcGc)/a/b.png": {"Content-Disposition",
			`attachment; filename="_ _.webp"; filename*=UTF-8''%C3%BC%20%22.webp`},
		"filters:raw()/a/b.png": {"Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'; sandbox"},
		"filters:nope(1):brightness(500)/a/b.png": {"X-Warnings",
			`filter "nope" is unknown; filter brightness: argument amount is "500", expected a number from -100 to 100`},
		"filters:attachment(a%0D%0ASet-Cookie:x)/a/b.png": {"Set-Cookie", ""},
		"meta/a/b.png": {"Content-Type", "application/json"},
		"fit-in/10x10/filters:" + strings.Repeat("nope():", 60) + "/a/b.png": {"Content-Type", "image/webp"},
	} {
		a := s.do("GET", s.signed(path), "")
		got := a.header.Get(want[0])
		if a.status != 200 || got != want[1] && !strings.Contains(want[1], "3599") ||
			len(a.header.Get("X-Warnings")) > 1024 {
			t.Errorf("%.60s: %d %s: %q, expected %q", path, a.status, want[0], got, want[1])
		}
	}
}

func TestUnsafe(t *testing.T) {
	s := newStage(t, nil)
	for actor, status := range map[string]int{"admin": 200, "user": 200, "guest": 403, "anonymous": 403} {
		a := s.do("GET", "/unsafe/10x10/a/b.png", "", "Authorization", "Bearer "+s.tokens[actor])
		if a.status != status || status == 200 && !strings.HasPrefix(a.header.Get("Cache-Control"), "private") {
			t.Errorf("%s: %d %v", actor, a.status, a.header)
		}
	}
	open := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.Unsafe = true })
	if a := open.do("GET", "/unsafe/10x10/a/b.png", ""); a.status != 200 ||
		!strings.HasPrefix(a.header.Get("Cache-Control"), "public") {
		t.Errorf("with unsafe on: %d %v", a.status, a.header)
	}
}

func TestSignatureIsOfTheExactBytes(t *testing.T) {
	s := newStage(t, nil)
	for _, path := range []string{"10x10/a%2Fb.png", "10x10/a/b%2Epng", "10x10//a/b.png",
		"filters:text(a%20b)/a/b.png"} {
		url := s.signed(path)
		if a := s.do("GET", url+"?v=2", ""); a.status != 200 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		changed := strings.NewReplacer("%2F", "/", "%2E", ".", "10x10//", "10x10/", "%20", "+").Replace(url)
		if a := s.do("GET", changed, ""); a.status != 403 || a.code() != "SIGNATURE_MISMATCH" {
			t.Errorf("%s is accepted as %s: %d", url, changed, a.status)
		}
	}
}

func TestParamsRoute(t *testing.T) {
	s := newStage(t, nil)
	url := s.signed("300x200/smart/none.png")
	a := s.do("GET", "/params"+url, "")
	if a.status != 200 || a.json("valid_signature") != true || a.json("width") != float64(300) ||
		a.json("image") != "none.png" || a.json("path") != "300x200/smart/none.png" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.do("GET", "/params"+url+"x", ""); a.json("valid_signature") != false {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.do("GET", "/params/unsafe/a.png", ""); a.json("unsafe") != true || a.json("valid_signature") != nil {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestAutoFormat(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.AutoFormat = true })
	url := s.signed("10x10/a/b.png")
	tags := map[string]bool{}
	for accept, want := range map[string]string{"image/avif,image/webp,*/*": "image/avif", "image/webp": "image/webp",
		"image/avif;q=0.5, image/webp;q=0.9": "image/webp", "*/*": "image/png", "image/avif;q=0": "image/png"} {
		a := s.do("HEAD", url, "", "Accept", accept)
		if a.status != 200 || a.header.Get("Content-Type") != want || !strings.Contains(a.header.Get("Vary"),
			"Accept") {
			t.Errorf("Accept %s: %d %v", accept, a.status, a.header)
		}
		tags[a.header.Get("ETag")] = true
	}
	if len(tags) < 3 {
		t.Errorf("formats share tags: %v", tags)
	}
	if a := s.do("GET", s.signed("none.png"), ""); a.header.Get("Vary") == "" {
		t.Error("an error must vary too")
	}
}

func TestEngineFaults(t *testing.T) {
	s := newStage(t, nil)
	url := s.signed("a/b.png")
	for err, status := range map[error]int{
		fault.New(fault.CorruptImage, "x"): 422, fault.New(fault.TooLarge, "x"): 413,
		fault.New(fault.UnsupportedType, "x"): 415,
		fault.New(fault.Timeout, "x"):         504, errors.New("/secret/path: boom"): 500,
	} {
		s.engine.process = func(context.Context, imaging.Source) error { return err }
		a := s.do("GET", url, "")
		if a.status != status || strings.Contains(a.body, "secret") || a.header.Get("ETag") != "" ||
			a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v: %d %v %s", err, a.status, a.header, a.body)
		}
	}
	s.engine.process = func(context.Context, imaging.Source) error { panic("boom") }
	if a := s.do("GET", url, ""); a.status != 500 || a.code() != "INTERNAL" || strings.Contains(a.body, "boom") {
		t.Errorf("a panic: %d %s", a.status, a.body)
	}
	s.engine.process = nil
	if a := s.do("GET", url, ""); a.status != 200 {
		t.Errorf("after a panic: %d %s", a.status, a.body)
	}
	if !strings.Contains(s.log.String(), "boom") {
		t.Error("the panic is not in the log")
	}
}

func TestHangUpCancels(t *testing.T) {
	s := newStage(t, nil)
	started, ended := make(chan struct{}), make(chan struct{})
	s.engine.process = func(ctx context.Context, _ imaging.Source) error {
		close(started)
		<-ctx.Done()
		close(ended)
		return fault.New(fault.Canceled, "gone")
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", s.signed("a/b.png"))
	<-started
	c.Close()
	<-ended
}

func TestQueueIsBounded(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.Workers, c.Queue = 1, 2 })
	gate := make(chan struct{})
	s.engine.process = func(context.Context, imaging.Source) error { <-gate; return nil }
	statuses := make(chan answer, 8)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { statuses <- s.do("GET", s.signed(fmt.Sprintf("%dx1/a/b.png", i+1)), "") })
	}
	for range 5 { // one runs, two are queued
		if a := <-statuses; a.status != 503 || a.code() != "OVERLOADED" || a.header.Get("Retry-After") == "" {
			t.Errorf("%d %v %s", a.status, a.header, a.body)
		}
	}
	if a := s.do("GET", "/healthz", ""); a.status != 200 {
		t.Errorf("a full queue stops %d", a.status)
	}
	close(gate)
	wg.Wait()
	for range 3 {
		if a := <-statuses; a.status != 200 {
			t.Errorf("who waited got %d %s", a.status, a.body)
		}
	}
}

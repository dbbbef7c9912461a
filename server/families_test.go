package server_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/signing"
)

// relatives returns the URL of a choice of a family that the stage signs.
func relatives(t *testing.T, s *stage, policy, path string) func(choice string) string {
	t.Helper()
	signer, err := imaging.NewSigner(imaging.SignerConfig{Secret: familySecret})
	if err != nil {
		t.Fatal(err)
	}
	signature := signer.Sign("family(" + policy + ")/" + path)
	return func(choice string) string { return "/" + signature + "/family(" + policy + ")/" + choice + "/" + path }
}

const familySecret = "a secret of families, long enough to be good"

func familyStage(t *testing.T, change func(*server.Config)) *stage {
	t.Helper()
	results, err := cache.New(cache.Config{MemoryBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = results.Close() })
	return newStageWith(t, func(c *server.Config, rules *gallerytest.Config) {
		rules.Signing = signing.Config{Processor: &imaging.SignerConfig{Secret: familySecret}}
		if change != nil {
			change(c)
		}
	}, func(d *server.Deps) { d.Results = results })
}

// TestFamily: a family gives its variants, which equal those of ordinary URLs, and nothing else.
func TestFamily(t *testing.T) {
	s := familyStage(t, nil)
	s.store("a/c.png", png)
	old := time.Now().Add(-time.Hour) // results of a source that was written just now are not stored
	s.must(os.Chtimes(filepath.Join(s.files, "a/b.png"), old, old))
	url := relatives(t, s, "320w,640w,1x,2x,webp,avif,low,high", "300x200/filters:blur(2)/a/b.png")
	for choice, ordinary := range map[string]string{
		"-":                "300x200/filters:blur(2)/a/b.png",
		"640w":             "640x427/filters:blur(2)/a/b.png",
		"640w,2x,webp,low": "1280x853/filters:blur(2):format(webp):quality(45)/a/b.png",
		"2x":               "600x400/filters:blur(2)/a/b.png",
	} {
		a, b := s.do("GET", url(choice), ""), s.do("GET", s.signed(ordinary), "")
		if a.status != http.StatusOK || a.body != b.body || a.header.Get("ETag") != b.header.Get("ETag") ||
			a.header.Get("Cache-Control") != b.header.Get("Cache-Control") {
			t.Errorf("%s: %d %s\nordinary: %d %s", choice, a.status, a.body, b.status, b.body)
		}
		if !strings.Contains(b.header.Get("Cache-Status"), "hit") {
			t.Errorf("%s: the ordinary URL does not share the result: %s", choice, b.header.Get("Cache-Status"))
		}
		if head := s.do("HEAD", url(choice), ""); head.status != http.StatusOK ||
			head.header.Get("ETag") != a.header.Get("ETag") ||
			head.header.Get("Content-Length") != a.header.Get("Content-Length") {
			t.Errorf("HEAD of %s: %d %v", choice, head.status, head.header)
		}
		if c := s.do("GET", url(choice), "", "If-None-Match",
			a.header.Get("ETag")); c.status != http.StatusNotModified {
			t.Errorf("%s with If-None-Match: %d", choice, c.status)
		}
		if c := s.do("GET", url(choice), "", "Range", "bytes=0-3"); c.status != http.StatusPartialContent ||
			c.body != a.body[:4] {
			t.Errorf("%s with Range: %d %q", choice, c.status, c.body)
		}
	}
	signature := strings.Split(url("-"), "/")[1]
	for _, path := range []string{
		// not of the policy
		url("321w"), url("640w,640w"), url("2x,640w"), url("3x"), url("jpeg"), url("medium"), url(""), url("640W"),
		url("0640w"), url("640w%2C2x"),
		strings.Replace(url("640w"), "640w,1x", "640w,700w,1x", 1), strings.Replace(url("640w"), ",high)",
			",high,until=4000000000)", 1),
		strings.Replace(url("-"), "b.png", "c.png", 1), strings.Replace(url("-"), "300x200", "301x200", 1),
		strings.Replace(url("-"), "blur(2)", "blur(3)", 1),
		strings.Replace(url("-"), "family(", "family%28", 1), strings.Replace(url("-"), "/family", "//family", 1),
		"/" + signature + "/300x200/filters:blur(2)/a/b.png", "/" + signature +
			"/family(320w,640w,1x,2x,webp,avif,low,high)/300x200/filters:blur(2)/a/b.png",
		"/" + signature + "/meta/300x200/filters:blur(2)/a/b.png", "/" + strings.Repeat("A", 28) +
			strings.TrimPrefix(url("-"), "/"+signature),
		"/" + strings.Split(s.signed("a/b.png"), "/")[1] + "/family(320w)/-/a/b.png", "/family(320w)/320w/a/b.png",
		"/" + signature + "/family(320w,key=k1)/320w/a/b.png",
	} {
		if a := s.do("GET", path, ""); a.status != http.StatusForbidden || a.code() != "SIGNATURE_MISMATCH" ||
			strings.Contains(a.body, familySecret) {
			t.Errorf("%s: %d %s, expected 403", path, a.status, a.body)
		}
	}
	meta := relatives(t, s, "320w", "meta/a/b.png")
	for _, path := range []string{"/unsafe/family(320w)/320w/a/b.png", meta("320w"),
		relatives(t, s, "320", "a/b.png")("-")} {
		if a := s.do("GET", path, "", "Authorization", "Bearer "+s.tokens["admin"]); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s, expected 400", path, a.status, a.body)
		}
	}
	if a := s.do("GET", url("321w"), ""); !strings.Contains(fmt.Sprint(a.json("message")),
		`the family does not allow "321w", it allows 320w 640w, 1x 2x`) {
		t.Errorf("message %s", a.body)
	}
}

// TestFamilyNames: files whose names look like families keep their URLs.
func TestFamilyNames(t *testing.T) {
	s := familyStage(t, nil)
	for _, image := range []string{"family(2).png", "family(320w)/b.png", "family(320w)/320w/b.png"} {
		s.store(image, png)
		path := imaging.Operations{}.Path(image)
		for _, url := range []string{s.signed(path), s.signed(image), s.signed("300x0/" + image)} {
			if a := s.do("GET", url, ""); a.status != http.StatusOK || !strings.Contains(a.body, "family%28") {
				t.Errorf("%s: %d %s", url, a.status, a.body)
			}
		}
	}
	signer, err := imaging.NewSigner(imaging.SignerConfig{Secret: familySecret})
	s.must(err)
	if a := s.do("GET", "/"+signer.Sign("family(2).png")+"/family(2).png", ""); a.status != http.StatusOK {
		t.Errorf("a URL that exists: %d %s", a.status, a.body)
	}
}

// TestFamilyHeaders: a chosen format does not vary, hints change nothing, and caches keep nothing longer than the
// family.
func TestFamilyHeaders(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := familyStage(t, func(c *server.Config) {
		c.AutoFormat, c.ClientHints, c.Now, c.RateLimit = true, true, func() time.Time { return now }, 3
	})
	until := now.Add(90 * time.Second)
	url := relatives(t, s, fmt.Sprintf("320w,2x,webp,until=%d", until.Unix()), "300x200/filters:format(auto)/a/b.png")
	for choice, vary := range map[string]string{"320w,webp": "", "320w": "Accept"} {
		a := s.do("GET", url(choice), "", "Sec-CH-DPR", "3", "Accept", "image/avif")
		if a.status != http.StatusOK || a.header.Get("Vary") != vary || a.header.Get("Accept-CH") != "" ||
			!strings.Contains(a.body, "picture 320x213/") {
			t.Errorf("%s: %d %s %v", choice, a.status, a.body, a.header)
		}
		if got := a.header.Get("Cache-Control"); got != "public, max-age=90, must-revalidate, no-transform" {
			t.Errorf("%s: Cache-Control %s", choice, got)
		}
	}
	for range 10 { // signed URLs are not counted
		if a := s.do("GET", url("320w"), ""); a.status != http.StatusOK {
			t.Fatal(a.status, a.body)
		}
	}
	now = until
	if a := s.do("GET", url("320w"), ""); a.status != http.StatusGone || a.code() != "EXPIRED" ||
		a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("after it expired: %d %s", a.status, a.body)
	}
	codes := ""
	for range 5 { // others are
		codes += fmt.Sprint(s.do("GET", url("321w"), "").status, " ")
	}
	if codes != "403 403 403 429 429 " {
		t.Errorf("choices that are not allowed: %s", codes)
	}
}

// TestFamilyParams: /params explains what a family allows, and whether the choice is one of it.
func TestFamilyParams(t *testing.T) {
	s := familyStage(t, nil)
	url := relatives(t, s, "320-640-160w,2x,webp,low,until=4000000000", "300x200/a/b.png")
	a := s.do("GET", "/params"+url("480w,2x,webp"), "")
	for _, c := range []struct {
		path []string
		want string
	}{
		{[]string{"valid_signature"}, "true"}, {[]string{"width"}, "960"}, {[]string{"height"}, "640"},
		{[]string{"image"}, "a/b.png"},
		{[]string{"path"}, "family(320-640-160w,2x,webp,low,until=4000000000)/480w,2x,webp/300x200/a/b.png"},
		{[]string{"warnings"}, "<nil>"},
		{[]string{"family", "widths"}, "[320 480 640]"}, {[]string{"family", "densities"}, "[2]"},
		{[]string{"family", "formats"}, "[webp]"}, {[]string{"family", "qualities"}, "[low]"},
		{[]string{"family", "choices"}, "32"}, {[]string{"family", "choice"}, "480w,2x,webp"},
		{[]string{"family", "until"}, "2096-10-02T07:06:40Z"}, {[]string{"family", "error"}, "<nil>"},
	} {
		if got := fmt.Sprint(a.json(c.path...)); got != c.want {
			t.Errorf("%v = %s, expected %s", c.path, got, c.want)
		}
	}
	for _, c := range []struct{ url, valid, err string }{
		{
			url("500w"), "true",
			`the family does not allow "500w", it allows 320w 480w 640w, 2x, webp, low, or - for none`},
		{strings.Replace(url("480w"), "300x200", "301x200", 1), "false", "<nil>"},
		// the last time that JSON holds
		{strings.Replace(url("480w"), "until=4000000000", "until=253402300799", 1), "false", "<nil>"},
		{strings.Replace(url("480w"), "low,until=4000000000", "until=253402300800", 1), "false",
			`the family has "until=253402300800", expected key= with 1 to 32 of A-Z, a-z, 0-9, - and _, and until= with a Unix time in seconds, each once`},
		{relatives(t, s, "x", "a/b.png")("-"), "true",
			`the family has "x", expected widths as 320w or 320-1920-160w, densities as 1.5x, formats of avif webp jpeg png jxl gif, low, medium, high, key= or until=`},
	} {
		a := s.do("GET", "/params"+c.url, "")
		if valid, err := fmt.Sprint(a.json("valid_signature")), fmt.Sprint(a.json("family",
			"error")); a.status != 200 || valid != c.valid || err != c.err {
			t.Errorf("/params%s: %d valid %s, error %s", c.url, a.status, valid, err)
		}
	}
}

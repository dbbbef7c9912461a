package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/signing"
)

// target sends a request target as it is, and returns the response without its body.
func (s *stage) target(target string) *http.Response {
	s.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: pictures.example\r\nConnection: close\r\n\r\n", target)
	s.must(err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	s.must(err)
	res.Body.Close()
	return res
}

// checkAliases fails unless each target is redirected to the URL, or refused if want is empty.
func (s *stage) checkAliases(want string, targets ...string) {
	s.Helper()
	for _, target := range targets {
		res := s.target(target)
		if location := res.Header.Get("Location"); want != "" && (res.StatusCode != 308 || location != want ||
			res.Header.Get("Cache-Control") != "no-store") {
			s.Errorf("%s: %d to %q (%s), expected 308 to %q", target, res.StatusCode, location,
				res.Header.Get("Cache-Control"), want)
		}
		if want == "" && (res.StatusCode < 400 || res.StatusCode >= 500 ||
			res.Header.Get("Cache-Control") != "no-store") {
			s.Errorf("%s: %d (%s), expected to be refused", target, res.StatusCode, res.Header.Get("Cache-Control"))
		}
	}
	if want == "" {
		return
	}
	if res := s.target(want); res.StatusCode != 200 {
		s.Errorf("%s: %d, expected 200", want, res.StatusCode)
	}
}

// TestAliasesOfSignedURLs: whoever has a signed URL cannot make others of the same picture that a cache would keep. The
// signature covers the bytes after it, so these are refused; what it leaves out is redirected.
func TestAliasesOfSignedURLs(t *testing.T) {
	s := newStage(t, nil)
	s.store("a/b.png", png)
	st, err := s.rules.StatImage(access.All(t.Context()), "a/b.png")
	s.must(err)
	versioned := "v=" + url.QueryEscape(st.ETag)
	encoded := fmt.Sprintf("v=%%%02X%s", st.ETag[0], url.QueryEscape(st.ETag[1:]))
	one := s.signed("fit-in/300x200/filters:quality(80)/a/b.png")
	s.checkAliases(one, "/"+one, "//"+one, "////////"+one, one+"?x=1", one+"?x=2", one+"?utm_source=a&b=c", one+"?&",
		one+"?V=1", one+"?=1",
		one+"#x", "http://other.example/"+one, "//"+one+"?x=1#y")
	for _, target := range []string{one + "#", one + "?"} { // one more at most
		if res := s.target(target); res.StatusCode != 200 && res.StatusCode != 308 {
			t.Errorf("%s: %d", target, res.StatusCode)
		}
	}
	s.checkAliases(one+"?"+versioned, one+"?"+versioned+"&x=1", one+"?x=1&"+versioned, one+"?"+encoded,
		one+"?"+versioned+"&"+versioned, "/"+one+"?"+versioned,
		one+"?"+versioned+"#x", one+"?"+strings.Replace(versioned, "v=", "%76=", 1))
	// an old page has one of these
	for _, target := range []string{one + "?v=1", one + "?v=2", one + "?" + versioned + "1"} {
		if res := s.target(target); res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Cache-Control"),
			"private, no-cache") {
			t.Errorf("%s: %d %s, expected a response that no shared cache keeps", target, res.StatusCode,
				res.Header.Get("Cache-Control"))
		}
	}
	for _, target := range []string{one, one + "?" + versioned} {
		if res := s.target(target); res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Cache-Control"),
			"public, max-age=") {
			t.Errorf("%s: %d %s", target, res.StatusCode, res.Header.Get("Cache-Control"))
		}
	}
	hash, rest, _ := strings.Cut(one[1:], "/")
	hash = "/" + hash
	s.checkAliases("", hash+"//"+rest, hash+"/./"+rest, hash+"/debug/"+rest, hash+"/"+rest+"/",
		hash+"/"+strings.Replace(rest, "a/b", "a//b", 1),
		hash+"/"+strings.Replace(rest, "a/b", "a%2Fb", 1), hash+"/"+strings.Replace(rest, "a/b", "%61/b", 1),
		hash+"/"+strings.Replace(rest, "300", "0300", 1),
		hash+"/"+strings.Replace(rest, "quality", "QUALITY", 1), hash+"/"+strings.Replace(rest, "filters:", "filters::",
			1),
		strings.TrimRight(hash, "=")+"/"+rest, hash+"=/"+rest, strings.Replace(hash, "=", "%3D", 1)+"/"+rest, "/."+one,
		"/x/.."+one, "/%2F"+one[1:])
	for _, head := range []string{"/unsafe", "//unsafe", "/UNSAFE"} {
		s.checkAliases("", head+"/"+rest)
	}
	if a := s.do("GET", "//unsafe/300x0/a/b.png?x=1", "", "Authorization",
		"Bearer "+s.tokens["user"]); a.status != 200 || a.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("a URL that needs a token: %d %v", a.status, a.header)
	}
}

// TestAliasesOfFamilies: only the choice of a family is free, and it has one spelling.
func TestAliasesOfFamilies(t *testing.T) {
	s := presetStage(t, false)
	choose := relatives(t, s, "320w,640w,2x", "300x0/a/b.png")
	one := choose("640w")
	if res := s.target(one); res.StatusCode != 200 {
		t.Fatalf("%s: %d", one, res.StatusCode)
	}
	s.checkAliases(one, "/"+one, one+"?x=1", one+"#x")
	for _, choice := range []string{"0640w", "640W", "640w,", ",640w", "640w,640w", "2x,640w", "", "-,640w", "2.0x",
		"%3640w", "640w/", "/640w"} {
		s.checkAliases("", choose(choice))
	}
}

// TestAliasesOfPresets: with presets-only and unsafe, an unsigned URL of a preset and an image has one spelling. With
// the processor secret, nothing stands beside the preset, either.
func TestAliasesOfPresets(t *testing.T) {
	s := presetStage(t, true)
	s.store("a/\u00e9 +'.png", png)
	for _, path := range []string{
		"preset(card)/0x0/a/b.png", "preset(card)/x/a/b.png", "preset(card)/0x/a/b.png", "preset(card)/00x000/a/b.png",
		"preset(card)/filters:/a/b.png",
		"0x0/preset(card)/a/b.png", "x/preset(card)/a/b.png", "x/0x0/preset(card)/a/b.png",
		"filters:/preset(card)/a/b.png", "debug/preset(card)/a/b.png",
		"preset(card)/x/0x0/a/b.png", "preset(card)//a/b.png", "preset(card)///a/b.png", "/preset(card)/a/b.png",
		"preset(card)/0x0:0x0/a/b.png",
		"meta/preset(card)/x/a/b.png", "debug/meta/preset(card)/a/b.png", "preset(card)/filters::/a/b.png",
		"preset(card)/-x/a/b.png",
		"preset(card)/x/filters:expire(99999999999999)/a/b.png",
	} {
		s.checkAliases("", "/unsafe/"+path, "//unsafe/"+path, signedBySecret(t, path))
	}
	s.checkAliases("/unsafe/preset(card)/a/b.png", "//unsafe/preset(card)/a/b.png", "/unsafe/preset(card)/%61/b.png",
		"/unsafe/preset(card)/a%2Fb.png",
		"/unsafe/preset(card,)/a/b.png", "/unsafe/preset(card,320)/a/b.png", "/unsafe/preset(card,320,80)/a/b.png",
		"/unsafe/preset(card,,)/a/b.png",
		"/unsafe/preset(card)/b64:YS9iLnBuZw", "/unsafe/preset(card)/b64:YS9iLnBuZw==", "/unsafe/preset(card)/a/b.png/",
		"/unsafe/preset(card)/a/b.png?x",
		"/unsafe/preset(card)/a/b.png%2F", "/unsafe/preset(card)/a/b%2Epng")
	s.checkAliases("/unsafe/preset(card,640)/a/b.png", "/unsafe/preset(card,640,80)/a/b.png",
		"/unsafe/preset(card,640,)/a/b.png")
	s.checkAliases("/unsafe/preset(card,,7)/a/b.png", "/unsafe/preset(card,320,7)/a/b.png")
	s.checkAliases("/unsafe/preset(card@1)/a/b.png", "/unsafe/preset(card@1,320)/a/b.png")
	s.checkAliases("/unsafe/meta/preset(card)/a/b.png", "/unsafe/meta/preset(card,320)/a/b.png",
		"/unsafe/meta/preset(card)/a%2Fb.png")
	s.checkAliases("/unsafe/preset(card)/a/%C3%A9%20%2B'.png", "/unsafe/preset(card)/a/\u00e9+%2B'.png",
		"/unsafe/preset(card)/a/%c3%a9%20%2b%27.png",
		"/unsafe/preset(card)/a/e%CC%81%20%2B'.png")
	for _, target := range []string{"/unsafe/preset(card)/filters:expire(99999999999999)/a/b.png",
		"/unsafe/preset(plain)/color:red", "/unsafe/preset(plain)/color:ff0000"} {
		if res := s.target(target); res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Cache-Control"),
			"private, no-cache") {
			t.Errorf("%s: %d %s, expected a response that no shared cache keeps", target, res.StatusCode,
				res.Header.Get("Cache-Control"))
		}
	}
	// the secret covers these
	for _, path := range []string{"preset(card,320)/a%2Fb.png", "preset(card)/filters:expire(99999999999999)/a/b.png",
		"preset(card)/b64:YS9iLnBuZw"} {
		if res := s.target(signedBySecret(t, path)); res.StatusCode != 200 ||
			!strings.HasPrefix(res.Header.Get("Cache-Control"), "public") {
			t.Errorf("signed %s: %d %s", path, res.StatusCode, res.Header.Get("Cache-Control"))
		}
	}
}

// TestRedirectBehindAProxy: a proxy that serves the pictures below a folder, as the base URL says, redirects into it.
func TestRedirectBehindAProxy(t *testing.T) {
	s := newStage(t, func(_ *server.Config, rules *gallerytest.Config) {
		rules.Signing = signing.Config{Processor: &imaging.SignerConfig{Secret: familySecret},
			BaseURL: "https://pictures.example/below/here"}
	})
	path := signedBySecret(t, "300x0/a/b.png")
	for _, target := range []string{"/" + path, path + "?x=1"} {
		if res := s.target(target); res.StatusCode != 308 || res.Header.Get("Location") != "/below/here"+path {
			t.Errorf("%s: %d to %s", target, res.StatusCode, res.Header.Get("Location"))
		}
	}
}

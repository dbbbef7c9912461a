package server_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// TestConformCORS follows the Fetch standard: which origins may read a response.
func TestConformCORS(t *testing.T) {
	const app = "https://app.example"
	listed := newStage(t, func(c *server.Config, _ *gallerytest.Config) {
		c.Origins = []string{app,
			"http://localhost:3000"}
	})
	tag := listed.do("GET", listed.signed("a/b.png"), "").header.Get("ETag")
	allowed := map[string]string{"Access-Control-Allow-Origin": app, "Vary": "~Origin",
		"Access-Control-Allow-Credentials": "true", "Access-Control-Expose-Headers": "~ETag",
		"Timing-Allow-Origin": app}
	refused := map[string]string{"Access-Control-Allow-Origin": "", "Vary": "~Origin",
		"Access-Control-Allow-Credentials": "", "Timing-Allow-Origin": ""}
	ask := func(method, headers string) []string {
		return []string{"Origin", app, "Access-Control-Request-Method", method, "Access-Control-Request-Headers",
			headers}
	}
	listed.run([]exchange{
		{name: "listed", path: "a/b.png", send: []string{"Origin", app}, status: 200, engine: 1, want: allowed},
		{name: "listed, 304", path: "a/b.png", send: []string{"Origin", app, "If-None-Match", tag}, status: 304,
			want: allowed},
		{name: "listed, error", path: "none.png", send: []string{"Origin", app}, status: 404, want: allowed},
		{name: "listed, HEAD", method: "HEAD", path: "a/b.png", send: []string{"Origin", app}, status: 200,
			want: allowed},
		{name: "another", path: "a/b.png", send: []string{"Origin", "https://evil.example"}, status: 200, engine: 1,
			want: refused},
		{name: "a longer one", path: "a/b.png", send: []string{"Origin", app + ".evil.example"}, status: 200, engine: 1,
			want: refused},
		{name: "null", path: "a/b.png", send: []string{"Origin", "null"}, status: 200, engine: 1, want: refused},
		{name: "none", path: "a/b.png", status: 200, engine: 1, want: refused},
		{name: "API", path: "/api/auth/me", send: []string{"Origin", app}, status: 401,
			want: map[string]string{"Access-Control-Allow-Origin": app, "Vary": "Origin, Authorization",
				"Timing-Allow-Origin": ""}},
		{name: "preflight of the API", method: "OPTIONS", path: "/api/graphql",
			send: ask("POST", "authorization,content-type"), status: 204, body: "-",
			want: map[string]string{"Access-Control-Allow-Origin": app, "Access-Control-Allow-Methods": "~POST",
				"Access-Control-Allow-Headers": "authorization,content-type", "Access-Control-Max-Age": "7200",
				"Vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"}},
		{name: "preflight of a picture", method: "OPTIONS", path: "a/b.png", send: ask("GET", "range"), status: 204,
			body: "-", want: map[string]string{"Access-Control-Allow-Methods": "GET, HEAD",
				"Access-Control-Allow-Headers": "range"}},
		{name: "preflight with odd headers", method: "OPTIONS", path: "/api/graphql", send: ask("POST", "*"),
			status: 204, want: map[string]string{"Access-Control-Allow-Headers": ""}},
		{name: "preflight of another", method: "OPTIONS", path: "/api/graphql",
			send: []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}, status: 405,
			want: refused},
		{name: "no preflight", method: "OPTIONS", path: "/api/graphql", send: []string{"Origin", app}, status: 405,
			want: map[string]string{"Allow": "GET, POST"}},
	})
	open := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.Origins = []string{"*"} })
	everyone := map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Credentials": "",
		"Vary": "", "Timing-Allow-Origin": "*"}
	open.run([]exchange{
		{name: "everybody", path: "a/b.png", send: []string{"Origin", "https://any.example"}, status: 200, engine: 1,
			want: everyone},
		{name: "everybody, no origin", path: "a/b.png", status: 200, engine: 1, want: everyone},
		{name: "everybody, preflight", method: "OPTIONS", path: "/api/graphql", send: ask("POST", "authorization"),
			status: 204, want: map[string]string{"Access-Control-Allow-Origin": "*",
				"Access-Control-Allow-Credentials": "", "Access-Control-Allow-Headers": "authorization"}},
	})
	newStage(t, nil).run([]exchange{
		{name: "off", path: "a/b.png", send: []string{"Origin", app}, status: 200, engine: 1,
			want: map[string]string{"Access-Control-Allow-Origin": "", "Vary": ""}},
		{name: "off, preflight", method: "OPTIONS", path: "/api/graphql", send: ask("POST", ""), status: 405},
	})
}

// TestConformSecurity holds the security headers.
func TestConformSecurity(t *testing.T) {
	s := newStage(t, nil)
	s.store("a/evil.svg", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)
	sandbox := map[string]string{"Content-Security-Policy": "~sandbox", "Cross-Origin-Resource-Policy": "cross-origin",
		"X-Frame-Options": "DENY"}
	doc := s.do("GET", "/openapi.json", "").header.Get("ETag")
	s.run([]exchange{
		{name: "original SVG", path: "filters:raw()/a/evil.svg", status: 200,
			want: map[string]string{"Content-Security-Policy": "~sandbox", "Content-Type": "image/svg+xml",
				"Cross-Origin-Resource-Policy": "cross-origin"}},
		{name: "part of an SVG", path: "filters:raw()/a/evil.svg", send: []string{"Range", "bytes=0-3"}, status: 206,
			want: sandbox, body: "<svg"},
		{name: "HEAD of an SVG", method: "HEAD", path: "filters:raw()/a/evil.svg", status: 200, want: sandbox},
		{name: "picture", path: "a/b.png", status: 200, engine: 1,
			want: map[string]string{"Cross-Origin-Resource-Policy": "cross-origin"}},
		{name: "API", path: "/api/auth/me", status: 401,
			want: map[string]string{"Cross-Origin-Resource-Policy": "same-origin", "Vary": "Authorization"}},
		{name: "GraphQL", path: "/api/graphql", status: 401,
			want: map[string]string{"Vary": "Authorization, Accept, Accept-Encoding"}},
		{name: "health", path: "/healthz", status: 200, want: map[string]string{"Cache-Control": "no-store"}},
		{name: "ready", path: "/readyz", status: 200, want: map[string]string{"Cache-Control": "no-store"}},
		{name: "document", path: "/openapi.json", send: []string{"If-None-Match", doc}, status: 304, body: "-"},
		{name: "document, HEAD", method: "HEAD", path: "/openapi.json", status: 200,
			want: map[string]string{"Content-Length": "*", "ETag": "*", "Cache-Control": "no-cache"}},
		{name: "document, part", path: "/openapi.json", send: []string{"Range", "bytes=0-0"}, status: 206, body: "{"},
		{name: "packed script", path: "/playground/graphiql.js", send: []string{"Accept-Encoding", "gzip"}, status: 200,
			want: map[string]string{"Vary": "Accept-Encoding", "Content-Encoding": "gzip", "ETag": "*"}},
	})
	params := s.do("GET", "/params/unsafe/10x10/a/b.png", "")
	s.run([]exchange{
		{name: "params", path: "/params/unsafe/10x10/a/b.png", send: []string{"If-None-Match",
			params.header.Get("ETag")}, status: 304, want: map[string]string{"Cache-Control": "no-cache"}},
		{name: "params, HEAD", method: "HEAD", path: "/params/unsafe/10x10/a/b.png", status: 200,
			want: map[string]string{"Content-Length": fmt.Sprint(len(params.body)),
				"Content-Type": "application/json"}},
		{name: "other params", path: "/params/unsafe/10x11/a/b.png", send: []string{"If-None-Match",
			params.header.Get("ETag")}, status: 200},
	})
}

// TestConformNames follows RFC 6266 for names that people give to pictures.
func TestConformNames(t *testing.T) {
	s := newStage(t, nil)
	for argument, want := range map[string]string{
		"":                     `attachment; filename="b.webp"`,
		"x":                    `attachment; filename="x.webp"`,
		"two words":            `attachment; filename="two words.webp"`,
		"%C3%BCber":            `attachment; filename="_ber.webp"; filename*=UTF-8''%C3%BCber.webp`,
		"%F0%9F%8D%8B":         `attachment; filename="_.webp"; filename*=UTF-8''%F0%9F%8D%8B.webp`,
		"50%25":                `attachment; filename="50_.webp"; filename*=UTF-8''50%25.webp`,
		"say %22hi%22":         `attachment; filename="say _hi_.webp"; filename*=UTF-8''say%20%22hi%22.webp`,
		"..%2F..%2Fetc%5Cpass": `attachment; filename=".._.._etc_pass.webp"`,
		"a%0D%0Ac":             `attachment; filename="a__c.webp"`,
		"%FFx":                 `attachment; filename="_x.webp"`,
		"gpj.%E2%80%AEexe":     `attachment; filename="gpj._exe.webp"`,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			a := s.do(method, s.signed("filters:format(webp):attachment("+strings.ReplaceAll(argument, " ",
				"%20")+")/a/b.png"), "")
			if got := a.header.Get("Content-Disposition"); got != want || a.status != 200 {
				t.Errorf("%s %s: %d %s, expected %s", method, argument, a.status, got, want)
			}
		}
	}
}

// TestConformHints holds the effect of client hints, and that Vary names them.
func TestConformHints(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.ClientHints = true })
	size := func(name, path, becomes string, send ...string) exchange {
		vary := "Save-Data, Sec-CH-DPR, DPR"
		if strings.HasPrefix(path, "a/") || strings.HasPrefix(path, "filters") {
			vary = "Save-Data, Sec-CH-Width, Width"
		}
		return exchange{name: name, path: path, send: send, status: 200, engine: 1, body: "picture " + becomes,
			want: map[string]string{"Vary": vary, "Accept-CH": "Sec-CH-DPR, Sec-CH-Width, DPR, Width"}}
	}
	s.run([]exchange{
		size("no hint", "100x50/a/b.png", "100x50/a/b.png"),
		size("DPR", "100x50/a/b.png", "200x100/a/b.png", "DPR", "2"),
		size("Sec-CH-DPR goes first", "100x50/a/b.png", "150x75/a/b.png", "DPR", "3", "Sec-CH-DPR", "1.5"),
		size("one side", "fit-in/0x50/a/b.png", "fit-in/0x100/a/b.png", "DPR", "2"),
		size("padding too", "100x50/5x5/a/b.png", "200x100/10x10/a/b.png", "DPR", "2"),
		size("at most 4", "100x50/a/b.png", "400x200/a/b.png", "DPR", "100"),
		size("at least a half", "100x50/a/b.png", "50x25/a/b.png", "DPR", "0.001"),
		size("within the limits", "16000x10/a/b.png", "16383x10/a/b.png", "DPR", "2"),
		size("none", "100x50/a/b.png", "100x50/a/b.png", "DPR", "NaN"),
		size("negative", "100x50/a/b.png", "100x50/a/b.png", "DPR", "-2"),
		size("Width beside a size", "100x50/a/b.png", "100x50/a/b.png", "Width", "300"),
		size("Width", "a/b.png", "300x0/filters:no_upscale()/a/b.png", "Width", "300"),
		size("Sec-CH-Width", "filters:blur(2)/a/b.png", "300x0/filters:blur(2):no_upscale()/a/b.png", "Sec-CH-Width",
			"300", "DPR", "2"),
		size("Width beyond all", "a/b.png", "16383x0/filters:no_upscale()/a/b.png", "Width", "1e9"),
		size("Save-Data", "100x50/a/b.png", "100x50/filters:quality(60)/a/b.png", "DPR", "2", "Save-Data", "on"),
		size("Save-Data on a screen of few pixels", "100x50/a/b.png", "50x25/filters:quality(60)/a/b.png", "DPR", "0.5",
			"Save-Data", "on"),
		size("Save-Data off", "100x50/a/b.png", "100x50/a/b.png", "Save-Data", "off"),
		size("Save-Data beside a quality", "100x50/filters:quality(90)/a/b.png", "100x50/filters:quality(90)/a/b.png",
			"Save-Data", "on"),
		size("DPR without a size", "a/b.png", "a/b.png", "DPR", "2"),
		{name: "original", path: "filters:raw()/a/b.png", send: []string{"Width", "3", "DPR", "2"}, status: 200,
			body: png, want: map[string]string{"Vary": "", "Accept-CH": ""}},
		{name: "error", path: "10x10/none.png", send: []string{"DPR", "2"}, status: 404,
			want: map[string]string{"Vary": "Save-Data, Sec-CH-DPR, DPR"}},
	})
	one, two := s.do("HEAD", s.signed("10x10/a/b.png"), ""), s.do("HEAD", s.signed("10x10/a/b.png"), "", "DPR", "2")
	if one.header.Get("ETag") == two.header.Get("ETag") {
		t.Error("two sizes share a tag")
	}
	newStage(t, nil).run([]exchange{
		{name: "off", path: "100x50/a/b.png", send: []string{"DPR", "2"}, status: 200, engine: 1,
			body: "picture 100x50/a/b.png", want: map[string]string{"Vary": "", "Accept-CH": ""}},
	})
}

// TestRateLimit holds which requests count, by which address, and the shape of the rejection.
func TestRateLimit(t *testing.T) {
	stage := func(proxies ...netip.Prefix) *stage {
		return newStage(t, func(c *server.Config, _ *gallerytest.Config) {
			c.RateLimit, c.Unsafe, c.TrustedProxies = 5, true, proxies
		})
	}
	s := stage()
	unsigned := []string{"/unsafe/a/b.png", "/params/unsafe/a/b.png", "/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/a/b.png",
		"/api/auth/me", "/api/nothing"}
	for _, path := range unsigned {
		if a := s.do("GET", path, "", "X-Forwarded-For", "10.9.9.9"); a.status == 429 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for i, path := range append(unsigned, "/api/graphql", "/API/auth/me") {
		a := s.do("GET", path, "", "X-Forwarded-For", fmt.Sprintf("10.0.0.%d", i))
		if a.status != 429 || a.code() != "RATE_LIMITED" || a.header.Get("Retry-After") == "" ||
			a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s", path, a.status, a.header, a.body)
		}
	}
	for _, path := range []string{s.signed("a/b.png"), "/healthz", "/readyz", "/metrics", "/"} {
		if a := s.do("GET", path, ""); a.status != 200 {
			t.Errorf("%s is counted: %d", path, a.status)
		}
	}
	s = stage(netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.1.0.0/16"))
	for round := range 6 {
		for _, from := range []string{"203.0.113.1", "9.9.9.9, 203.0.113.2", "203.0.113.3, 10.1.2.3",
			"203.0.113.4:5555", "2001:db8::1", "[2001:db8:1::1]:80", "x, 203.0.113.5"} {
			a := s.do("GET", "/unsafe/a/b.png", "", "X-Forwarded-For", from)
			if (a.status == 429) != (round == 5) {
				t.Errorf("request %d of %s: %d", round+1, from, a.status)
			}
		}
	}
	for from, status := range map[string]int{"203.0.113.1, 203.0.113.77": 200, "203.0.113.77, 203.0.113.1": 429,
		"2001:db8::2": 429, "2001:db8:0:1::1": 200, "::ffff:203.0.113.1": 429} {
		if a := s.do("GET", "/unsafe/a/b.png", "", "X-Forwarded-For", from); a.status != status {
			t.Errorf("%s: %d, expected %d", from, a.status, status)
		}
	}
}

package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// original is a file of 18 bytes: a PNG signature, then its offsets.
const original = "\x89PNG\r\n\x1A\n0123456789"

// exchange is one row: the request and the expected response.
type exchange struct {
	name   string
	method string // GET when empty
	path   string // without the signature, which is added unless it starts with a slash
	send   []string
	status int
	want   map[string]string // the exact value of a header; "" absent, "*" present, "~x" contains x
	body   string            // exact; "-" empty, "" any
	engine int64             // how often the engine was called
}

// check sends the request and compares the response.
func (e exchange) check(s *stage) {
	s.Helper()
	if e.method == "" {
		e.method = http.MethodGet
	}
	path := e.path
	if !strings.HasPrefix(path, "/") {
		path, query, found := strings.Cut(path, "?")
		if e.path = s.signed(path); found {
			e.path += "?" + query
		}
	}
	before := s.engine.processed.Load()
	a := s.do(e.method, e.path, "", e.send...)
	worked := s.engine.processed.Load() - before
	if a.status != e.status {
		s.Errorf("%s: %s %s answers %d, expected %d: %.200s", e.name, e.method, path, a.status, e.status, a.body)
	}
	if worked != e.engine {
		s.Errorf("%s: the engine was called %d times, expected %d", e.name, worked, e.engine)
	}
	for header, want := range e.want {
		got, found := a.header[http.CanonicalHeaderKey(header)], true
		text := strings.Join(got, ", ")
		switch {
		case want == "":
			found = len(got) == 0
		case want == "*":
			found = text != ""
		case strings.HasPrefix(want, "~"):
			found = strings.Contains(text, want[1:])
		default:
			found = text == want
		}
		if !found {
			s.Errorf("%s: %s is %q, expected %q", e.name, header, text, want)
		}
	}
	if e.body == "-" && a.body != "" || e.body != "" && e.body != "-" && a.body != e.body {
		s.Errorf("%s: the body is %q, expected %q", e.name, a.body, e.body)
	}
	e.always(s, a)
}

// always checks what holds for every response.
func (e exchange) always(s *stage, a answer) {
	s.Helper()
	for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Date": ""} {
		if got := a.header.Get(header); got == "" || want != "" && got != want {
			s.Errorf("%s: %s is %q", e.name, header, got)
		}
	}
	if a.status >= 400 && (a.header.Get("Cache-Control") != "no-store" || a.header.Get("ETag") != "" ||
		a.header.Get("X-Request-Id") == "") {
		s.Errorf("%s: an error says %v", e.name, a.header)
	}
	if a.status == 304 && (a.header.Get("ETag") == "" || a.header.Get("Cache-Control") == "" ||
		a.header.Get("Content-Type") != "" || a.header.Get("Content-Length") != "") {
		s.Errorf("%s: a 304 says %v", e.name, a.header)
	}
	if (a.status == 304 || e.method == http.MethodHead) && a.body != "" {
		s.Errorf("%s: %d with the body %q", e.name, a.status, a.body)
	}
}

// run runs every row as a subtest.
func (s *stage) run(rows []exchange) {
	t := s.T
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s.T = t
			row.check(s)
		})
	}
	s.T = t
}

// TestConformConditional follows RFC 9110, section 13: content that the client has is neither sent nor rendered again.
func TestConformConditional(t *testing.T) {
	s := newStage(t, nil)
	for _, path := range []string{"100x100/a/b.png", "meta/a/b.png", "filters:raw()/a/b.png", "color:red"} {
		first := s.do("GET", s.signed(path), "")
		tag, date := first.header.Get("ETag"), first.header.Get("Last-Modified")
		if tag == "" || (date == "") != (path == "color:red") {
			t.Fatalf("%s: ETag %s, Last-Modified %s", path, tag, date)
		}
		works := int64(1)
		if strings.Contains(path, "raw") {
			works = 0
		}
		same := map[string]string{"ETag": tag, "Cache-Control": first.header.Get("Cache-Control"), "Last-Modified": ""}
		rows := []exchange{
			{name: "the tag", send: []string{"If-None-Match", tag}, status: 304, want: same, body: "-"},
			{name: "the tag, weak", send: []string{"If-None-Match", "W/" + tag}, status: 304, want: same, body: "-"},
			{name: "in a list", send: []string{"If-None-Match", `"a,b" , W/"c",` + tag}, status: 304, want: same,
				body: "-"},
			{name: "any", send: []string{"If-None-Match", " * "}, status: 304, want: same, body: "-"},
			{name: "HEAD", method: "HEAD", send: []string{"If-None-Match", tag}, status: 304, want: same, body: "-"},
			{name: "another tag", send: []string{"If-None-Match", `"other"`}, status: 200, engine: works},
			{name: "without quotes", send: []string{"If-None-Match", strings.Trim(tag, `"`)}, status: 200,
				engine: works},
			{name: "a part of it", send: []string{"If-None-Match", tag[:8] + `"`}, status: 200, engine: works},
			{name: "If-Match", send: []string{"If-Match", `"x", ` + tag}, status: 200, engine: works},
			{name: "If-Match any", send: []string{"If-Match", "*"}, status: 200, engine: works},
			{name: "If-Match weak", send: []string{"If-Match", "W/" + tag}, status: 412},
			{name: "If-Match another", send: []string{"If-Match", `"x"`}, status: 412},
			{name: "both", send: []string{"If-Match", `"x"`, "If-None-Match", tag}, status: 412},
			{name: "no date", send: []string{"If-Modified-Since", "yesterday"}, status: 200, engine: works},
		}
		if date != "" {
			at, err := http.ParseTime(date)
			s.must(err)
			before, after := at.Add(-time.Second).Format(http.TimeFormat), at.Add(time.Hour).Format(http.TimeFormat)
			rows = append(rows,
				exchange{name: "the date", send: []string{"If-Modified-Since", date}, status: 304, want: same,
					body: "-"},
				exchange{name: "a later date", send: []string{"If-Modified-Since", after}, status: 304, want: same,
					body: "-"},
				exchange{name: "RFC 850", send: []string{"If-Modified-Since",
					at.Format("Monday, 02-Jan-06 15:04:05 GMT")}, status: 304, body: "-"},
				exchange{name: "HEAD by date", method: "HEAD", send: []string{"If-Modified-Since", date}, status: 304,
					body: "-"},
				exchange{name: "an earlier date", send: []string{"If-Modified-Since", before}, status: 200,
					engine: works},
				exchange{name: "the tag goes first", send: []string{"If-None-Match", `"x"`, "If-Modified-Since", date},
					status: 200, engine: works},
				exchange{name: "unmodified", send: []string{"If-Unmodified-Since", date}, status: 200, engine: works},
				exchange{name: "modified", send: []string{"If-Unmodified-Since", before}, status: 412},
				exchange{name: "If-Match goes first", send: []string{"If-Match", tag, "If-Unmodified-Since", before},
					status: 200, engine: works})
		}
		for i := range rows {
			rows[i].path = path
		}
		t.Run(path, func(t *testing.T) {
			s.T = t
			s.run(rows)
		})
		s.T = t
	}
}

// TestConformHead: HEAD has the headers of GET, and processes nothing.
func TestConformHead(t *testing.T) {
	s := newStage(t, nil)
	s.store("a/o.png", original)
	s.run([]exchange{
		{name: "a result", method: "HEAD", path: "100x100/filters:format(webp)/a/o.png", status: 200,
			want: map[string]string{"ETag": "*", "Last-Modified": "*", "Content-Type": "image/webp",
				"Accept-Ranges": "bytes", "Content-Length": "", "Cache-Control": "~public"}},
		{name: "an original", method: "HEAD", path: "filters:raw()/a/o.png", status: 200,
			want: map[string]string{"Content-Type": "image/png", "Content-Length": "18", "Accept-Ranges": "bytes",
				"Content-Security-Policy": "~sandbox"}},
		{name: "metadata", method: "HEAD", path: "meta/a/o.png", status: 200,
			want: map[string]string{"Content-Type": "application/json", "Content-Length": "", "ETag": "*"}},
		{name: "a download", method: "HEAD", path: "filters:attachment(x):format(jpeg)/a/o.png", status: 200,
			want: map[string]string{"Content-Disposition": `attachment; filename="x.jpg"`}},
		{name: "a warning", method: "HEAD", path: "filters:nope()/a/o.png", status: 200,
			want: map[string]string{"X-Warnings": "~nope"}},
		{name: "nothing there", method: "HEAD", path: "10x10/a/none.png", status: 404,
			want: map[string]string{"Content-Length": "*"}},
		{name: "no signature", method: "HEAD", path: "/10x10/a/o.png", status: 403},
		{name: "range of HEAD", method: "HEAD", path: "filters:raw()/a/o.png", send: []string{"Range", "bytes=0-3"},
			status: 200, want: map[string]string{"Content-Range": "", "Content-Length": "18"}},
		{name: "POST", method: "POST", path: "10x10/a/o.png", status: 405,
			want: map[string]string{"Allow": "GET, HEAD"}},
		{name: "DELETE", method: "DELETE", path: "10x10/a/o.png", status: 405,
			want: map[string]string{"Allow": "GET, HEAD"}},
	})
}

// TestConformRange follows RFC 9110, section 14, for an original and a result.
func TestConformRange(t *testing.T) {
	s := newStage(t, nil)
	s.store("a/o.png", original)
	result := "picture 100x100/a/o.png"
	for path, bytes := range map[string]string{"filters:raw()/a/o.png": original, "100x100/a/o.png": result} {
		size, works := len(bytes), int64(1)
		if bytes == original {
			works = 0
		}
		first := s.do("GET", s.signed(path), "")
		tag := first.header.Get("ETag")
		if first.body != bytes || first.header.Get("Accept-Ranges") != "bytes" ||
			first.header.Get("Content-Length") != fmt.Sprint(size) {
			t.Fatalf("%s: %v %q", path, first.header, first.body)
		}
		part := func(name, ask string, from, to int, more ...string) exchange {
			return exchange{name: name, send: append([]string{"Range", ask}, more...), status: 206, engine: works,
				body: bytes[from : to+1],
				want: map[string]string{"Content-Range": fmt.Sprintf("bytes %d-%d/%d", from, to, size),
					"Content-Length": fmt.Sprint(to - from + 1), "ETag": tag,
					"Content-Type":  first.header.Get("Content-Type"),
					"Cache-Control": first.header.Get("Cache-Control")}}
		}
		all := func(name, ask string, more ...string) exchange {
			return exchange{name: name, send: append([]string{"Range", ask}, more...), status: 200, engine: works,
				body: bytes, want: map[string]string{"Content-Range": ""}}
		}
		none := func(name, ask string) exchange {
			return exchange{name: name, send: []string{"Range", ask}, status: 416, engine: works,
				want: map[string]string{"Content-Range": fmt.Sprintf("bytes */%d", size),
					"Content-Type": "~application/json", "Last-Modified": ""}}
		}
		rows := []exchange{
			part("first bytes", "bytes=0-3", 0, 3), part("one byte", "bytes=5-5", 5, 5),
			part("to the end", "bytes=10-", 10, size-1),
			part("beyond the end", "bytes=10-999", 10, size-1), part("the last", "bytes=-4", size-4, size-1),
			part("more than all", "bytes=-999", 0, size-1),
			part("unit in capitals", "Bytes=1-2", 1, 2), part("number beyond numbers", "bytes=3-99999999999999999999",
				3, size-1), part("a current tag", "bytes=0-1", 0, 1, "If-Range", tag),
			all("several", "bytes=0-1,5-6"), all("touching", "bytes=0-3,4-7"),
			all("one of two is there", "bytes=900-,0-1"),
			all("an old tag", "bytes=0-1", "If-Range", `"old"`), all("a weak tag", "bytes=0-1", "If-Range", "W/"+tag),
			all("an old date", "bytes=0-1", "If-Range", "Tue, 01 Jan 2019 00:00:00 GMT"),
			all("another unit", "items=0-1"), all("no range", "bytes=x"), all("backwards", "bytes=5-2"),
			all("nothing", "bytes="), all("a sign", "bytes=+1-2"), all("twice the whole", "bytes=5-,0-"),
			all("too many", "bytes="+strings.Repeat("9-9,1-1,", 9)),
			none("behind the end", "bytes=900-"), none("right behind the end", fmt.Sprintf("bytes=%d-", size)),
			none("no last bytes", "bytes=-0"),
			{name: "not modified goes first", send: []string{"Range", "bytes=0-1", "If-None-Match", tag}, status: 304,
				body: "-"},
			{name: "If-Match fails", send: []string{"Range", "bytes=0-1", "If-Match", `"x"`}, status: 412},
		}
		for i := range rows {
			rows[i].path = path
		}
		t.Run(path, func(t *testing.T) {
			s.T = t
			s.run(rows)
		})
		s.T = t
	}
}

// TestConformCaching holds who may cache a response, and for how long.
func TestConformCaching(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) {
		c.StaleWhileRevalidate, c.MaxAge = time.Minute, time.Hour
	})
	soon := fmt.Sprint(time.Now().Add(time.Hour).UnixMilli())
	bearer := []string{"Authorization", "Bearer " + s.tokens["user"]}
	cache := func(v string) map[string]string { return map[string]string{"Cache-Control": v} }
	const askAgain = "private, no-cache, must-revalidate, no-transform"
	st, err := s.rules.StatImage(access.All(t.Context()), "a/b.png")
	s.must(err)
	v := "?v=" + url.QueryEscape(st.ETag)
	s.run([]exchange{
		{name: "by setting", path: "a/b.png", status: 200, engine: 1, want: cache("public, max-age=3600, " +
			"no-transform, stale-while-revalidate=60")},
		{name: "max_age", path: "filters:max_age(60)/a/b.png", status: 200, engine: 1,
			want: cache("public, max-age=60, no-transform, stale-while-revalidate=60")},
		{name: "expire", path: "filters:max_age(60):expire(" + soon + ")/a/b.png", status: 200, engine: 1,
			want: cache("public, max-age=60, must-revalidate, no-transform")},
		{name: "expired", path: "filters:expire(1)/a/b.png", status: 410},
		{name: "versioned", path: "a/b.png" + v, status: 200, engine: 1, want: cache("public, max-age=31536000, " +
			"no-transform, immutable")},
		{name: "another version", path: "a/b.png?v=3", status: 200, engine: 1, want: cache(askAgain)},
		{name: "another version of the original", path: "filters:raw()/a/b.png?v=3", status: 200,
			want: cache(askAgain)},
		{name: "versioned, with a layer", path: "filters:image(a/b.png,0,0)/a/b.png" + v, status: 200, engine: 1,
			want: cache("public, max-age=3600, no-transform, stale-while-revalidate=60")},
		{name: "versioned, max_age", path: "filters:max_age(60)/a/b.png" + v, status: 200, engine: 1,
			want: cache("public, max-age=60, no-transform, immutable")},
		{name: "an empty version", path: "a/b.png?v=", status: 200, engine: 1, want: cache("public, max-age=3600, " +
			"no-transform, stale-while-revalidate=60")},
		{name: "a token", path: "/unsafe/a/b.png", send: bearer, status: 200, engine: 1,
			want: map[string]string{"Cache-Control": "private, no-cache", "Vary": "Authorization"}},
		{name: "a token, versioned", path: "/unsafe/a/b.png?v=3", send: bearer, status: 200, engine: 1,
			want: cache("private, no-cache")},
		{name: "a token, any", path: "/unsafe/a/b.png", send: append(bearer, "If-None-Match", "*"), status: 304,
			want: map[string]string{"Cache-Control": "private, no-cache", "Vary": "Authorization"}},
		{name: "a token, HEAD", method: "HEAD", path: "/unsafe/filters:raw()/a/b.png", send: bearer, status: 200,
			want: map[string]string{"Cache-Control": "private, no-cache", "Vary": "Authorization"}},
		{name: "a token, part", path: "/unsafe/filters:raw()/a/b.png", send: append(bearer, "Range", "bytes=0-1"),
			status: 206, want: map[string]string{"Cache-Control": "private, no-cache", "Vary": "Authorization"}},
		{name: "no token", path: "/unsafe/a/b.png", status: 403, want: map[string]string{"Vary": "Authorization"}},
		{name: "a token on a signed URL", path: "a/b.png", send: bearer, status: 200, engine: 1,
			want: map[string]string{"Cache-Control": "~public", "Vary": ""}},
		{name: "a wrong signature", path: "/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/a/b.png?v=3", status: 403},
		{name: "nothing there", path: "a/none.png?v=3", status: 404},
		{name: "original", path: "filters:raw()/a/b.png", status: 200, want: cache("~public, max-age=3600"), body: png},
		{name: "original, versioned", path: "filters:raw()/a/b.png" + v, status: 200, want: cache("~immutable"),
			body: png},
		{name: "wrong filter", path: "meta/filters:blurhash(0,0)/a/b.png", status: 400},
	})
}

// TestConformVary: Vary lists exactly the headers that affect a response, for every kind of response.
func TestConformVary(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.AutoFormat = true })
	tag := s.do("GET", s.signed("a/b.png"), "", "Accept", "image/webp").header.Get("ETag")
	accept := map[string]string{"Vary": "Accept"}
	none := map[string]string{"Vary": ""}
	kind := func(v string) map[string]string { return map[string]string{"Vary": "Accept", "Content-Type": v} }
	head := func(name, accept, want string) exchange {
		return exchange{name: name, method: "HEAD", path: "a/b.png", send: []string{"Accept", accept}, status: 200,
			want: kind(want)}
	}
	s.run([]exchange{
		{name: "GET", path: "a/b.png", status: 200, engine: 1, want: accept},
		{name: "GET, no Accept", path: "a/b.png", send: []string{"Accept", ""}, status: 200, engine: 1, want: accept},
		{name: "304", path: "a/b.png", send: []string{"Accept", "image/webp", "If-None-Match", tag}, status: 304,
			want: accept},
		{name: "the tag of another format", path: "a/b.png", send: []string{"Accept", "image/avif", "If-None-Match",
			tag}, status: 200, engine: 1, want: accept},
		{name: "412", path: "a/b.png", send: []string{"If-Match", `"x"`}, status: 412, want: accept},
		{name: "416", path: "a/b.png", send: []string{"Range", "bytes=999-"}, status: 416, engine: 1, want: accept},
		{name: "404", path: "none.png", status: 404, want: accept},
		{name: "meta", path: "meta/a/b.png", status: 200, engine: 1, want: accept},
		{name: "format named", path: "filters:format(jpeg)/a/b.png", status: 200, engine: 1, want: none},
		{name: "format auto", path: "filters:format(auto)/a/b.png", status: 200, engine: 1, want: accept},
		{name: "original", path: "filters:raw()/a/b.png", status: 200, want: none},
		{name: "params", path: "/params/unsafe/a/b.png", status: 200, want: none},
		head("AVIF first", "image/avif,image/webp,*/*", "image/avif"),
		head("q decides", "image/avif;q=0.5, image/webp;q=0.9", "image/webp"),
		head("q=0", "image/avif;q=0, image/webp;q=0.000", "image/png"),
		head("a wildcard is no AVIF", "image/*, */*;q=0.8", "image/png"),
		head("the source is liked better", "image/webp;q=0.5, image/png, image/jpeg", "image/png"),
		head("all else is liked better", "image/avif;q=0.1, */*;q=0.9", "image/png"),
		head("a browser", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "image/avif"),
		head("Firefox", "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", "image/avif"),
		head("capitals and spaces", "IMAGE/WEBP ; Q=0.7", "image/webp"),
		head("q that is none", "image/webp;q=x", "image/png"),
	})
	plain := newStage(t, nil)
	plain.run([]exchange{
		{name: "auto-format off", path: "a/b.png", send: []string{"Accept", "image/webp"}, status: 200, engine: 1,
			want: none},
		{name: "auto-format off, format auto", path: "filters:format(auto)/a/none.png", status: 404, want: accept},
	})
}

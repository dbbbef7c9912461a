package responsecache

import (
	"bufio"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// TestRead: the fields of plain requests are found; all that only the routes know is refused.
func TestRead(t *testing.T) {
	for lines, want := range map[string]string{
		"Host: a":                               "",
		"Host: a|Accept: image/webp":            "image/webp",
		"Host: a|aCCEPT:image/webp \t":          "image/webp",
		"Host: a|X-Long-Name-Of-No-Interest: b": "",
		"Host: a|Accept: a|Accept: b":           "refused",
		"Host: a|Accept:|Accept: b":             "refused",
		"Host: a|RANGE: bytes=0-1":              "refused",
		"Host: a|If-Unmodified-Since: x":        "refused",
		"Host: a|Content-Length: 0":             "refused",
		"Host: a|Transfer-Encoding: chunked":    "refused",
		"Host: a|Authorization: Bearer x":       "refused",
		"Host: a|save-data: on":                 "refused",
	} {
		var r fasthttp.RequestCtx
		r.Init(&fasthttp.Request{}, nil, nil)
		text := "GET /a HTTP/1.1\r\n" + strings.ReplaceAll(lines, "|", "\r\n") + "\r\n\r\n"
		if err := r.Request.Header.Read(bufio.NewReader(strings.NewReader(text))); err != nil {
			t.Fatalf("%s: %v", lines, err)
		}
		got := "refused"
		if f, ok := New(Config{}).read(&r); ok {
			got = string(f.accept)
		}
		if got != want {
			t.Errorf("%s: %q, expected %q", lines, got, want)
		}
	}
}

// TestKnowsAll: a response that varies by more than a Cache knows is not kept.
func TestKnowsAll(t *testing.T) {
	for vary, want := range map[string]bool{"": true, "Accept": true, "Accept, Origin": true,
		"Authorization,Save-Data": true, "Accept, Accept-Language": false, "*": false} {
		var h fasthttp.ResponseHeader
		if vary != "" {
			h.Set("Vary", vary)
		}
		if got := knowsAll(&h); got != want {
			t.Errorf("%q: %t", vary, got)
		}
	}
}

package responsecache

import (
	"bufio"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/cache"
)

// TestForgotten: a response that does not apply any longer is asked about once, not by each request of its URL.
func TestForgotten(t *testing.T) {
	asked, current := 0, true
	c := New(Config{Now: time.Now, Basis: func() Basis { return Basis{} },
		Current: func(context.Context, Source) bool { asked++; return current },
		Result:  func(cache.Key) *cache.Entry { return nil }})
	request := func() *fasthttp.RequestCtx {
		r := &fasthttp.RequestCtx{}
		r.Init(&fasthttp.Request{}, nil, nil)
		if err := r.Request.Header.Read(bufio.NewReader(strings.NewReader("GET /a HTTP/1.1\r\nHost: " +
			"a\r\nIf-None-Match: x\r\n\r\n"))); err != nil {
			t.Fatal(err)
		}
		return r
	}
	answered := request()
	answered.Response.SetStatusCode(fasthttp.StatusNotModified)
	c.Keep(answered, &Response{Sources: []Source{{Image: "a.png"}}}, nil)
	for n, want := range []struct{ sent, asked int }{{1, 1}, {0, 2}, {0, 2}, {0, 2}} {
		if current = n == 0; true {
			a := c.Send(t.Context(), request())
			if sent := a != nil; sent != (want.sent == 1) || asked != want.asked {
				t.Errorf("request %d: sent %v, asked %d times, expected %d", n, sent, asked, want.asked)
			}
		}
	}
}

// Package responsecache caches the headers of responses to image URLs, and sends them again with the body from the
// result cache. It needs no invalidation, because each lookup compares everything that a response depends on: the
// rights of the URL, the versions of its sources, the result in the cache and the headers of the request
// (docs/contributing/decisions/0013).
package responsecache

import (
	"bytes"
	"context"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/signing"
)

// slots is the number of responses that a Cache can hold, each of 2 to 3 KB. maxText is the max length in bytes of the
// parts of a request that select a response.
const (
	slots   = 8192
	maxText = 1500
)

// Config holds what responses depend on. All functions are required.
type Config struct {
	Now     func() time.Time
	Basis   func() Basis
	Current func(context.Context, Source) bool // reports whether the file still has that version
	Result  func(cache.Key) *cache.Entry       // looks up the result in memory; nil on a miss
	SetBody func(*fasthttp.RequestCtx, []byte) // sets the body, whose bytes must not change
	Origin  bool                               // whether responses depend on the header Origin
}

// Basis is what all responses depend on. Values are compared with ==.
type Basis struct {
	Rights signing.Rights
	Fonts  any // the uploaded fonts
}

// Source is a version of a file from which a response was rendered.
type Source struct {
	Image, ETag string
	Size        int64
}

// Response is a response without its body, with everything that it depends on.
type Response struct {
	Header  fasthttp.ResponseHeader // except X-Request-Id
	Path    string                  // path of the URL as logged
	Sources []Source
	Key     cache.Key // key of the body; not used for 304
	Basis   Basis
	Until   time.Time // when the response expires; zero: never

	uri, accept, origin, match string
	cached                     bool // the body is the result of Key
	contentType, format        string
}

// Cache holds responses. The hash of the request selects the slot in which a response replaces the previous one. Its
// methods are safe for concurrent use. Create it with New.
type Cache struct {
	config Config
	seed   maphash.Seed
	slots  [slots]atomic.Pointer[Response]
}

// New returns an empty cache.
func New(c Config) *Cache {
	return &Cache{config: c, seed: maphash.MakeSeed()}
}

// Keep stores the response to r, whose status is 304 or whose body is that of result. It does nothing if the response
// depends on headers that a Cache does not compare. It sets a.Header.
func (c *Cache) Keep(r *fasthttp.RequestCtx, a *Response, result *cache.Entry) {
	f, ok := c.read(r)
	if !ok || len(f.uri)+len(f.accept)+len(f.origin)+len(f.match) > maxText || !knowsAll(&r.Response.Header) {
		return
	}
	a.uri, a.accept, a.origin, a.match = string(f.uri), string(f.accept), string(f.origin), string(f.match)
	switch status := r.Response.StatusCode(); {
	case status == fasthttp.StatusNotModified:
	case status == fasthttp.StatusOK && isPlain(result):
		a.cached, a.contentType, a.format = true, result.ContentType, result.Format
	default:
		return
	}
	r.Response.Header.CopyTo(&a.Header)
	a.Header.Del("X-Request-Id")
	c.slot(&f).Store(a)
}

// isPlain reports whether the response headers depend only on the type and format of the result.
func isPlain(e *cache.Entry) bool { return e != nil && e.Code == "" && len(e.Warnings) == 0 }

// known are the request headers that a Cache compares, or whose presence makes it send nothing.
var known = []string{"Accept", "Origin", "Authorization", "Sec-CH-DPR", "Sec-CH-Width", "DPR", "Width", "Save-Data"}

// knowsAll reports whether the response varies only by known headers.
func knowsAll(h *fasthttp.ResponseHeader) bool {
	for _, line := range h.PeekAll(fasthttp.HeaderVary) {
	names:
		for name := range bytes.SplitSeq(line, []byte(",")) {
			for _, k := range known {
				if string(bytes.TrimSpace(name)) == k {
					continue names
				}
			}
			return false
		}
	}
	return true
}

func (c *Cache) slot(f *fields) *atomic.Pointer[Response] {
	sum := maphash.Bytes(c.seed, f.uri)
	for _, text := range [...][]byte{f.accept, f.origin, f.match} {
		sum = sum*31 + maphash.Bytes(c.seed, text)
	}
	return &c.slots[sum%slots]
}

// Send answers r with the cached response to this request, and returns that response. If there is none or it no longer
// applies, Send returns nil and does not change r.
func (c *Cache) Send(ctx context.Context, r *fasthttp.RequestCtx) *Response {
	f, ok := c.read(r)
	if !ok {
		return nil
	}
	slot := c.slot(&f)
	a := slot.Load()
	if a == nil || string(f.uri) != a.uri || string(f.accept) != a.accept || string(f.origin) != a.origin ||
		string(f.match) != a.match {
		return nil
	}
	body, ok := c.body(ctx, a)
	if !ok {
		slot.CompareAndSwap(a, nil) // otherwise each request would check a missing or slow source twice
		return nil
	}
	a.Header.CopyTo(&r.Response.Header)
	if a.cached {
		c.config.SetBody(r, body)
	}
	return a
}

// body returns the body of a response, which is nil for 304. ok is false if the response no longer applies.
func (c *Cache) body(ctx context.Context, a *Response) (body []byte, ok bool) {
	if !a.Until.IsZero() && !c.config.Now().Before(a.Until) || a.Basis != c.config.Basis() {
		return nil, false
	}
	for _, one := range a.Sources {
		if !c.config.Current(ctx, one) {
			return nil, false
		}
	}
	if !a.cached {
		return nil, true
	}
	e := c.config.Result(a.Key)
	if !isPlain(e) || e.ContentType != a.contentType || e.Format != a.format {
		return nil, false
	}
	return e.Body, true
}

// Package responsecache sends answers of image URLs that were sent a moment ago, before Fiber, as long as nothing that they depend on has
// changed: the rights of the URL, the versions of its sources, the result in the cache, the headers of the request. Everything else takes the
// routes (docs/decisions/0039-ready-answers.md).
package responsecache

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/signing"
)

// slots is how many answers are kept, and maxText how long the texts of a request that select one may be: some 2 KB each, 3 KB at most.
const (
	slots   = 8192
	maxText = 1500
)

// Config is what answers depend on. All are required.
type Config struct {
	Now     func() time.Time
	Rights  func() signing.Rights
	Current func(Source) bool                  // the file still is that version
	Result  func(cache.Key) *cache.Entry       // from memory; nil on a miss
	SetBody func(*fasthttp.RequestCtx, []byte) // sends these bytes, which do not change, as the body
	Origin  bool                               // the answers depend on Origin
}

// Source is the version of a file that an answer was made of.
type Source struct {
	Image, ETag string
	Size        int64
}

// Answer is an answer that may be sent again, and what it depends on.
type Answer struct {
	Header  fasthttp.ResponseHeader // without what belongs to one request
	Path    string                  // of the URL as the log shows it
	Sources []Source
	Key     cache.Key // of its body; not used for 304
	Rights  signing.Rights
	Until   time.Time // zero: nothing in it depends on the time

	PlainPath bool // Path needs no escapes in JSON

	uri, accept, origin, match string
	cached                     bool // the body is that of Key
	contentType, format        string
}

// Cache keeps answers, each in the slot that the hash of its request selects: the last one stays. Its methods are safe for concurrent
// use. Make it with New.
type Cache struct {
	config Config
	seed   maphash.Seed
	slots  [slots]atomic.Pointer[Answer]
}

// New returns an empty cache.
func New(c Config) *Cache {
	return &Cache{config: c, seed: maphash.MakeSeed()}
}

// Keep keeps the answer to r, which is 304 or has result as its body, unless a header of the request or the response says that it depends on
// more than a Cache knows. It sets Header.
func (c *Cache) Keep(r *fasthttp.RequestCtx, a *Answer, result *cache.Entry) {
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

// isPlain reports whether a result of the same type gives the same headers.
func isPlain(e *cache.Entry) bool { return e != nil && e.Code == "" && len(e.Warnings) == 0 }

// known are the request headers by which a Cache tells answers apart, or with which it sends none.
var known = []string{"Accept", "Origin", "Authorization", "Sec-CH-DPR", "Sec-CH-Width", "DPR", "Width", "Save-Data"}

// knowsAll reports whether the response varies by known headers only.
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

func (c *Cache) slot(f *fields) *atomic.Pointer[Answer] {
	sum := maphash.Bytes(c.seed, f.uri)
	for _, text := range [...][]byte{f.accept, f.origin, f.match} {
		sum = sum*31 + maphash.Bytes(c.seed, text)
	}
	return &c.slots[sum%slots]
}

// Send answers r with what was kept for such a request, and returns it and the id of the request, which the client has set; nil if there is
// nothing that still applies. Then r is unchanged.
func (c *Cache) Send(r *fasthttp.RequestCtx) (a *Answer, id []byte) {
	f, ok := c.read(r)
	if !ok {
		return nil, nil
	}
	slot := c.slot(&f)
	a = slot.Load()
	if a == nil || string(f.uri) != a.uri || string(f.accept) != a.accept || string(f.origin) != a.origin || string(f.match) != a.match {
		return nil, nil
	}
	body, ok := c.body(a)
	if !ok {
		slot.CompareAndSwap(a, nil) // else each request asked twice for a source that is gone, or does not answer
		return nil, nil
	}
	a.Header.CopyTo(&r.Response.Header)
	if a.cached {
		c.config.SetBody(r, body)
	}
	return a, f.id
}

// body returns the body of an answer, nil for 304; ok is false if something has changed that the answer depends on.
func (c *Cache) body(a *Answer) (body []byte, ok bool) {
	if !a.Until.IsZero() && !c.config.Now().Before(a.Until) || a.Rights != c.config.Rights() {
		return nil, false
	}
	for _, one := range a.Sources {
		if !c.config.Current(one) {
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

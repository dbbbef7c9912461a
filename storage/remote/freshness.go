package remote

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const maxFresh = time.Hour // max freshness lifetime that a host may grant

// policy is what Cache-Control says to a client that sends no credentials.
type policy struct {
	stated  bool          // the response has a Cache-Control
	noStore bool          // do not keep
	fresh   time.Duration // 0: ask each time
}

func readPolicy(h http.Header) policy {
	lines := h.Values("Cache-Control")
	p := policy{stated: len(lines) > 0}
	noCache := false
	for directive := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "no-store":
			p.noStore = true
		case "no-cache":
			noCache = true
		case "max-age":
			p.fresh = seconds(strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	p.fresh = max(0, p.fresh-seconds(h.Get("Age")))
	if p.noStore || noCache {
		p.fresh = 0
	}
	return p
}

// seconds reads a count of seconds, at most a day; it returns 0 for other text.
func seconds(s string) time.Duration {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n > 24*60*60 {
		n = 24 * 60 * 60
	}
	return time.Duration(n) * time.Second
}

// keep returns the object of a response, and caches it under key if that is allowed and useful: the object is fresh
// for a while, or has a validator.
func (f *Fetcher) keep(key string, a answer, data []byte) *Object {
	p, etag, modified := readPolicy(a.Header), a.Header.Get("ETag"), a.Header.Get("Last-Modified")
	if etag == `""` {
		etag = "" // a host without a validator that sends an unusual value for it
	}
	o := &Object{Data: data, URL: a.at.key(), ETag: versionOf(a.at.key(), etag, data)}
	if at, err := http.ParseTime(modified); err == nil {
		o.ModTime = at.UTC()
	} else {
		modified = ""
	}
	fresh := min(p.fresh, a.fresh)
	if p.noStore || etag == "" && modified == "" && fresh == 0 {
		f.memory.remove(key)
		return o
	}
	f.memory.put(key, &entry{object: o, etag: etag, modified: modified, fresh: p.fresh,
		until: f.config.hooks.now().Add(fresh)})
	return o
}

// renew extends the freshness of the entry of key after a 304, which is a.
func (f *Fetcher) renew(key string, kept *entry, a answer) {
	p := readPolicy(a.Header)
	if p.noStore {
		f.memory.remove(key)
		return
	}
	again := *kept
	if p.stated {
		again.fresh = p.fresh
	}
	again.until = f.config.hooks.now().Add(min(again.fresh, a.fresh))
	f.memory.put(key, &again)
}

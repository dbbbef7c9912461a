// Package remote fetches pictures over HTTP and HTTPS for the image routes. Only listed hosts
// are asked, only public addresses are dialed, and responses are limited and not trusted.
package remote

import (
	"context"
	"net/http"
	"time"

	"github.com/safelight/safelight/cache/singleflight"
	"github.com/safelight/safelight/fault"
)

// Object is a fetched picture. Callers share Data and must not change it.
type Object struct {
	Data    []byte
	ETag    string    // changes when the bytes change; opaque, without quotes, never empty
	ModTime time.Time // what the host said in UTC; zero when it said nothing
	URL     string    // where the bytes came from, after redirects
}

// Fetcher fetches pictures from the hosts of its Config. It is safe for concurrent use.
type Fetcher struct {
	config    Config
	rules     []hostRule
	transport *http.Transport
	memory    *memory
	downloads singleflight.Group[string, *Object]
}

// New returns a Fetcher. It returns fault.Invalid, naming the value, for a host glob, a prefix,
// a limit or a user agent that makes no sense; an empty list of hosts is valid.
func New(c Config) (*Fetcher, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	rules, err := parseRules(c.Hosts)
	if err != nil {
		return nil, err
	}
	return &Fetcher{
		config:    c,
		rules:     rules,
		transport: newTransport(c),
		memory:    newMemory(c.CacheBytes),
	}, nil
}

// Allowed says whether rawURL may be fetched, without asking anyone: nil, or fault.Invalid for a
// URL that cannot be read, is not HTTP or HTTPS, carries a user name or spells its host oddly,
// or fault.Forbidden for a host that is not listed or an address that is not public. A fragment
// is ignored. What a listed name resolves to is checked by Fetch only.
func (f *Fetcher) Allowed(rawURL string) error {
	_, err := f.permitted(rawURL)
	return err
}

func (f *Fetcher) permitted(rawURL string) (target, error) {
	t, err := parseTarget(rawURL)
	if err != nil {
		return target{}, err
	}
	return t, f.check(t)
}

// check returns fault.Forbidden unless t's host and port are listed and its address, when it
// has one already, is public.
func (f *Fetcher) check(t target) error {
	if !listed(f.rules, t) {
		return fault.New(fault.Forbidden, "pictures may not be fetched from %s, expected a listed host", t.place())
	}
	if t.addr.IsValid() && !dialable(t.addr, f.config.AllowPrivate) {
		return notPublic(t.host, errNotPublic)
	}
	return nil
}

// Fetch returns the picture at rawURL: from memory while its host calls it fresh, else after
// asking. Callers that want the same URL at the same time share one download, which goes on
// while one of them waits. Besides Allowed's errors it returns fault.Forbidden for a name or
// a redirect that leads to a place that is not allowed, fault.NotFound when the host has no such
// picture, fault.TooLarge over Config.MaxBytes, fault.Timeout, fault.Canceled when ctx is, and
// fault.Unavailable for every other failure of the host and after Close.
func (f *Fetcher) Fetch(ctx context.Context, rawURL string) (*Object, error) {
	t, err := f.permitted(rawURL)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, translate(err, t.host)
	}
	o, _, err := f.downloads.Do(ctx, t.key(), func(ctx context.Context) (*Object, error) {
		ctx, cancel := context.WithTimeout(ctx, f.config.Timeout)
		defer cancel()
		return f.download(ctx, t)
	})
	if err != nil {
		return nil, translate(err, t.host)
	}
	own := *o
	return &own, nil
}

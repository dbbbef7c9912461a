// Package remote fetches images over HTTP and HTTPS. It connects only to listed hosts at public addresses, and does not
// trust responses: their sizes and durations are limited.
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
	ModTime time.Time // Last-Modified in UTC; zero if the host did not send one
	URL     string    // the URL of the bytes, after redirects
}

// Fetcher fetches pictures from the hosts of its Config. It is safe for concurrent use.
type Fetcher struct {
	config    Config
	rules     []hostRule
	transport *http.Transport
	memory    *memory
	downloads singleflight.Group[string, *Object]
}

// New returns a Fetcher. It returns fault.Invalid for a host pattern, a prefix, a limit or a user agent that is not
// valid. An empty list of hosts is valid.
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
		memory:    newMemory(memoryBytes),
	}, nil
}

// Allowed returns nil if rawURL may be fetched, without any request. It returns fault.Invalid for a URL that cannot be
// parsed, is not HTTP or HTTPS, contains a user name or an ambiguous spelling of an address, and fault.Forbidden for a
// host that is not listed or an address that is not public. A fragment is ignored. Only Fetch checks which address a
// name resolves to.
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

// check returns fault.Forbidden unless the host and port of t are listed and its address, if it is not a name, is
// public.
func (f *Fetcher) check(t target) error {
	if !listed(f.rules, t) {
		return fault.New(fault.Forbidden, "pictures may not be fetched from %s, expected a listed host", t.place())
	}
	if t.addr.IsValid() && !dialable(t.addr, f.config.AllowPrivate) {
		return notPublic(t.host, ErrNotPublic)
	}
	return nil
}

// Fetch returns the image at rawURL, from memory while it is fresh. Concurrent calls for the same URL share one
// download, which continues as long as one of them waits. Besides the errors of Allowed it returns fault.Forbidden for
// a name or a redirect that leads to an address or URL that is not allowed, fault.NotFound if the host has no such
// image, fault.TooLarge beyond Config.MaxBytes, fault.Timeout, fault.Canceled if ctx is canceled, and
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

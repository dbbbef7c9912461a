package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/safelight/safelight/fault"
)

// maxRedirects is how many redirects are followed.
const maxRedirects = 5

// drained is how many bytes of a redirect's body are read so that its connection can be reused.
const drained = 4 << 10

// answer is the response at the end of the redirects.
type answer struct {
	*http.Response
	at          target
	conditional bool          // the request carried kept's validators
	fresh       time.Duration // shortest freshness lifetime of the redirects that led here
}

// follow requests t and follows redirects. The caller closes the body.
func (f *Fetcher) follow(ctx context.Context, t target, kept *entry) (answer, error) {
	host, a := t.host, answer{at: t, fresh: maxFresh}
	for hops := 0; ; hops++ {
		var err error
		// The validators belong to the URL that sent the body, not to the URLs that redirected to it.
		a.conditional = kept != nil && kept.object.URL == a.at.key()
		if a.Response, err = f.ask(ctx, a, kept); err != nil {
			return answer{}, err
		}
		location := a.Header.Get("Location")
		if !redirects(a.StatusCode) || location == "" {
			return a, nil
		}
		_, _ = io.CopyN(io.Discard, a.Body, drained)
		_ = a.Body.Close()
		if hops >= maxRedirects {
			return answer{}, fault.New(fault.Unavailable, "%s redirects too often, expected at most %d times",
				host, maxRedirects)
		}
		a.fresh = min(a.fresh, readPolicy(a.Header).fresh)
		if a.at, err = f.next(a.at, location); err != nil {
			return answer{}, redirectRefused(host, err)
		}
	}
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// next returns the target of a redirect from t. It checks the target like a URL from a caller.
func (f *Fetcher) next(t target, location string) (target, error) {
	if len(location) > maxURL {
		return target{}, fault.New(fault.Invalid, "the redirect's URL is too long")
	}
	u, err := t.url.Parse(location)
	if err != nil {
		return target{}, reason(err)
	}
	to, err := newTarget(u)
	if err != nil {
		return target{}, err
	}
	if t.url.Scheme == "https" && to.url.Scheme != "https" {
		return target{}, fmt.Errorf("%s would leave HTTPS", to.place())
	}
	return to, f.check(to)
}

// redirectRefused returns the same message for every rejected redirect, except that a rejected address keeps its
// error.
func redirectRefused(host string, err error) error {
	if errors.Is(err, ErrNotPublic) {
		return notPublic(host, fmt.Errorf("after a redirect: %w", err))
	}
	return fault.Wrap(err, fault.Forbidden, "%s redirects to a URL that is not allowed", host)
}

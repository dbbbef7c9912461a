package server

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/server/accesslog"
	"github.com/safelight/safelight/server/metrics"
	"github.com/safelight/safelight/server/responsecache"
	"github.com/safelight/safelight/signing"
)

// sendCached answers a request for a picture from the response cache if nothing has changed that the response depends
// on. Otherwise Fiber answers it, also after a panic in this function. It runs before Fiber, whose context, routing
// and security headers take longer than the response itself.
func (s *Server) sendCached(c *fasthttp.RequestCtx) (sent bool) {
	defer func() {
		if p := recover(); p != nil {
			logPanic(context.Background(), s.Log, p)
			c.Response.Reset()
			sent = false
		}
	}()
	start := c.Time()
	s.active.Add(1)
	defer s.active.Add(-1)
	held := s.filesInUse.Hold()
	defer held.Release()
	r := s.responses.Send(held.Context(), c)
	if r == nil {
		return false
	}
	id := requestID(&c.Request.Header)
	c.Response.Header.SetCanonical(requestIDName, []byte(id))
	status, took := c.Response.StatusCode(), time.Since(start)
	if s.Tracer != nil {
		_, end := s.trace(fault.WithRequestID(context.Background(), id), c, start)
		end(metrics.Image, status)
	}
	s.metrics.Cached(status, took)
	line := accesslog.Request{ID: id, Method: fiber.MethodGet, Took: took, Path: r.Path}
	logRequest(s, c, &line, start.Add(took))
	return true
}

// basis returns the state that all responses in the response cache depend on. It does no I/O.
func (s *Server) basis() responsecache.Basis {
	return responsecache.Basis{Rights: s.Signing.Rights(), Fonts: s.Fonts.State()}
}

// cacheResponse stores the response in the response cache, unless the response is private or the rate limit counts
// such requests.
func (s *Server) cacheResponse(c *fiber.Ctx, p *picture, a *signing.ParsedURL, basis responsecache.Basis) {
	now := s.config.Now()
	// For a source with a modification time in the future, Last-Modified is the current time, so the response must not
	// be cached.
	if p.private || isCounted(s.rates, a) || p.modified.After(now) {
		return
	}
	kept := &responsecache.Response{Path: loggedPath(rawPath(c)), Key: p.key, Basis: basis}
	for _, one := range p.parts {
		switch {
		case one.data != nil:
			return
		case one.canvas == nil:
			kept.Sources = append(kept.Sources, responsecache.Source{Image: one.image, ETag: one.etag, Size: one.size})
		}
	}
	if at, ok := p.expires(); ok { // max-age counts down to it, so the response applies for less than a second
		kept.Until = at.Add(-at.Sub(now).Truncate(time.Second))
	}
	s.responses.Keep(c.Context(), kept, p.hit)
}

// isCurrent reports whether the source of a cached response still has the same version.
func (s *Server) isCurrent(ctx context.Context, one responsecache.Source) bool {
	g := files(ctx).Gallery
	st, ok := g.CachedImage(one.Image)
	if !ok {
		ctx, cancel := context.WithTimeout(ctx, s.config.LoadTimeout)
		defer cancel()
		var err error
		st, err = g.StatImage(access.All(ctx), one.Image) // access is granted because the URL was signed
		ok = err == nil
	}
	return ok && st.ETag == one.ETag && st.Size == one.Size
}

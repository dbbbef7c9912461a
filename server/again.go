package server

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/server/accesslog"
	"github.com/safelight/safelight/server/responsecache"
	"github.com/safelight/safelight/signing"
)

// again sends answers of a moment ago.
type again struct{ *Server }

// replay answers a request as one like it was answered a moment ago; false if nothing was kept that still applies.
func (s again) replay(c *fasthttp.RequestCtx) (sent bool) {
	if s.answers == nil {
		return false
	}
	s.active.Add(1)
	defer s.active.Add(-1)
	defer func() {
		if v := recover(); v != nil {
			logPanic(context.Background(), s.Log, v)
			c.Response.Reset()
			sent = false
		}
	}()
	a, theirs := s.answers.Send(c)
	if a == nil {
		return false
	}
	var own [lengthOfID]byte
	id := theirs
	if !isSaneID(string(id)) {
		id = fillID(&own)
	}
	c.Response.Header.SetCanonical(headerRequestID, id)
	took := time.Since(c.Time())
	s.metrics.Ready(c.Response.StatusCode(), took)
	logRequest(s.Server, c, &accesslog.Request{ID: string(id), Method: fiber.MethodGet, Path: a.Path, PlainPath: a.PlainPath, Took: took}, c.Time().Add(took))
	return true
}

// keep keeps an answer for requests like this one, unless it is for one client only, or they are counted.
func (s again) keep(c *fiber.Ctx, p *picture, a *signing.Address, rights signing.Rights) {
	now := s.config.Now()
	if s.answers == nil || p.private || isCounted(s.rates, a) || p.modified.After(now) { // Last-Modified is then the time
		return
	}
	path := loggedPath(rawPath(c))
	kept := &responsecache.Answer{Path: path, PlainPath: accesslog.IsPlain(path), Key: p.key, Rights: rights}
	for _, one := range p.parts {
		switch {
		case one.data != nil:
			return
		case one.canvas == nil:
			kept.Sources = append(kept.Sources, responsecache.Source{Image: one.image, ETag: one.etag, Size: one.size})
		}
	}
	if at, ok := p.expires(); ok { // Cache-Control counts the seconds until then
		kept.Until = at.Add(-at.Sub(now).Truncate(time.Second))
	}
	s.answers.Keep(c.Context(), kept, p.hit)
}

// isCurrent reports whether a source still has the version of an answer, as resolve would find it.
func (s again) isCurrent(one responsecache.Source) bool {
	held := s.replaceable.Hold() // no request goes through the routes, which hold the files
	defer held.Release()
	g := held.Value.Gallery
	if g.IsImageUnchanged(one.Image, one.ETag, one.Size) {
		return true
	}
	st, ok := g.Versions.Get(one.Image, s.config.Now())
	if !ok { // nearly never, and only then a context is needed
		ctx, cancel := context.WithTimeout(context.Background(), s.config.LoadTimeout)
		defer cancel()
		var err error
		st, err = g.StatImage(ctx, one.Image)
		ok = err == nil
	}
	return ok && st.ETag == one.ETag && st.Size == one.Size
}

// headerRequestID is fiber.HeaderXRequestID for SetCanonical.
var headerRequestID = []byte("X-Request-Id")

// lengthOfID is how many letters the id of a request has.
const lengthOfID = 26

// newID returns a random id of a request, which is no secret.
func newID() string {
	var id [lengthOfID]byte
	return string(fillID(&id))
}

// fillID makes id a random one, and returns all of it.
func fillID(id *[lengthOfID]byte) []byte {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var bits uint64
	for i := range id {
		if i%12 == 0 { // 12 letters take 60 bits
			bits = rand.Uint64()
		}
		id[i] = letters[bits%32]
		bits /= 32
	}
	return id[:]
}

package server

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/server/connection"
	"github.com/safelight/safelight/server/lazycontext"
	"github.com/safelight/safelight/server/lines"
	"github.com/safelight/safelight/server/ready"
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
	id := idOf(theirs, &own)
	c.Response.Header.SetCanonical(headerRequestID, id)
	l := lines.Request{ID: string(id), Took: time.Since(c.Time()), Status: c.Response.StatusCode(), Bytes: bodyBytes(&c.Response), Address: s.config.address(c)}
	s.sent(a, &l, c.Time().Add(l.Took))
	return true
}

// answer is replay for a request that has come as these bytes, before fasthttp reads it; see connection.Answer.
func (s again) answer(peer netip.Addr, request, head []byte) (_, body []byte, at time.Time, ok bool) {
	s.active.Add(1)
	defer s.active.Add(-1)
	defer func() {
		if v := recover(); v != nil {
			logPanic(context.Background(), s.Log, v)
			ok = false
		}
	}()
	began := time.Now()
	r, ok := s.answers.Find(request, began, head)
	if !ok {
		return nil, nil, began, false
	}
	var own [lengthOfID]byte
	id := idOf(r.ID, &own)
	head = append(append(append(r.Head, "X-Request-Id: "...), id...), "\r\n\r\n"...)
	took := time.Since(began)
	at = began.Add(took)
	if s.config.trusts(peer) {
		peer = s.config.behind(peer, string(r.Forwarded))
	}
	s.sent(r.Answer, &lines.Request{ID: string(id), Took: took, Status: r.Header.StatusCode(), Bytes: len(r.Body), Address: peer}, at)
	return head, r.Body, at, true
}

// connections returns what connections need.
func (s again) connections() connection.Config {
	c := connection.Config{Metrics: s.metrics, Writing: &s.writing, WriteTimeout: s.config.WriteTimeout, IdleTimeout: idleTimeout}
	if s.answers != nil {
		c.Answer = s.answer
	}
	return c
}

// sent counts and logs a request that was answered with a.
func (s again) sent(a *ready.Answer, l *lines.Request, at time.Time) {
	l.Method, l.Path, l.PlainPath = fiber.MethodGet, a.Path, a.PlainPath
	s.metrics.Ready(l.Status, l.Took)
	s.lines.Write(l, at)
}

// idOf returns the id of a request: the client's if it is valid, else a new one, in own.
func idOf(theirs []byte, own *[lengthOfID]byte) []byte {
	if isSaneID(string(theirs)) {
		return theirs
	}
	return fillID(own)
}

// keep keeps an answer for requests like this one, unless it is for one client only, or they are counted.
func (s again) keep(c *fiber.Ctx, p *picture, a *signing.Address, rights signing.Rights) {
	now := s.config.Now()
	if s.answers == nil || p.private || isCounted(s.rates, a) || p.modified.After(now) { // Last-Modified is then the time
		return
	}
	path := rawPath(c)
	kept := &ready.Answer{Path: path, PlainPath: lines.IsPlain(path), Key: p.key, Rights: rights}
	for _, one := range p.parts {
		switch {
		case one.data != nil:
			return
		case one.canvas == nil:
			kept.Sources = append(kept.Sources, ready.Source{Image: one.image, ETag: one.etag, Size: one.size})
		}
	}
	if at, ok := p.expires(); ok { // Cache-Control counts the seconds until then
		kept.Until = at.Add(-at.Sub(now).Truncate(time.Second))
	}
	s.answers.Keep(c.Context(), kept, p.hit)
}

// isCurrent reports whether a source still has the version of an answer, as resolve would find it.
func (s again) isCurrent(one ready.Source) bool {
	held := s.replaceable.Hold() // no request goes through the routes, which hold the files
	defer held.Release()
	g := held.Value.Gallery
	if g.IsImageUnchanged(one.Image, one.ETag, one.Size) {
		return true
	}
	st, ok := g.Versions.Get(one.Image, s.config.Now())
	if !ok { // nearly never, and only then a context is needed
		ctx, stop := lazycontext.New(context.Background(), s.config.LoadTimeout, nil)
		defer stop()
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

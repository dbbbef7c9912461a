package server

import (
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// prepare parses the filters, applies the request headers that affect the result, and adds those headers to Vary. It
// must precede every response that depends on them, including errors. It returns fault.Expired for an expired URL. To
// add a header to Vary, also add it to fields.take and known in server/responsecache.
func (s *Server) prepare(c *fiber.Ctx, p *picture) (err error) {
	if p.calls, p.warnings, err = p.request.Operations.Filters.Calls(p.limits.Strict); err != nil {
		return err
	}
	p.version = c.Query(versionKey)
	s.negotiate(c, p)
	s.hints(c, p)
	return p.checkExpiry(s.config.Now())
}

// negotiate selects the format by the Accept header if the URL does not name one.
func (s *Server) negotiate(c *fiber.Ctx, p *picture) {
	negotiates := imaging.Negotiates(p.calls)
	auto := s.config.AutoFormat && (negotiates || !p.has("format", "autojpg"))
	if p.isOriginal() || !auto && !negotiates {
		return
	}
	c.Vary(fiber.HeaderAccept)
	header := field(c, fiber.HeaderAccept)
	list := acceptedFormats(header, s.Engine.Formats())
	switch n := slices.IndexFunc(list, imaging.Format.CanAnimate); {
	case n < 0:
		p.limits.Shown = shownFormats(header) // only in this case may the source's own format be chosen
	case !p.best():
		list = list[:n+1] // formats after the n-th are never chosen, but would be part of the cache key
	}
	if auto {
		p.limits.AutoFormat = list
	}
	if negotiates {
		p.limits.Accept = list
	}
}

// has reports whether there is a filter with one of the given names.
func (p *picture) has(names ...string) bool {
	return slices.ContainsFunc(p.calls, func(c imaging.Call) bool { return slices.Contains(names, c.Name) })
}

// best reports whether the URL asks for the format that gives the smallest result.
func (p *picture) best() bool {
	return slices.ContainsFunc(p.calls, func(c imaging.Call) bool {
		return c.Name == "format" && c.Text("format") == imaging.FormatBest
	})
}

// isOriginal reports whether the response is the source's bytes, unprocessed.
func (p *picture) isOriginal() bool {
	return p.has("raw") && !p.request.Meta && !imaging.IsCanvas(p.request.Image)
}

func (p *picture) checkExpiry(now time.Time) error {
	if at, ok := p.expires(); ok && !now.Before(at) {
		return fault.New(fault.Expired, "the URL expired at %s", at.UTC().Format(time.RFC3339))
	}
	return nil
}

// expires returns when the URL expires, by expire() or validUntil, whichever is earlier. ok is false if it does not.
func (p *picture) expires() (at time.Time, ok bool) {
	ms, ok := p.number("expire")
	if at = time.UnixMilli(ms); !p.validUntil.IsZero() && (!ok || p.validUntil.Before(at)) {
		return p.validUntil, true
	}
	return at, ok
}

// number returns the argument of the last filter with that name, which is expire or max_age.
func (p *picture) number(name string) (n int64, ok bool) {
	argument := "seconds"
	if name == "expire" {
		argument = "ms"
	}
	for _, c := range p.calls {
		if c.Name == name {
			n, ok = int64(c.Float(argument)), true
		}
	}
	return n, ok
}

package server

import (
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// prepare parses the filters, applies the request headers that affect the result and adds them to Vary: before any
// response that depends on them, errors included.
func (s *Server) prepare(c *fiber.Ctx, p *picture) (err error) {
	if p.calls, p.warnings, err = p.request.Operations.Filters.Calls(p.limits.Strict); err != nil {
		return err
	}
	p.version = strings.Clone(c.Query(versionKey))
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
		p.limits.Shown = shownFormats(header) // otherwise the source's format is never chosen
	case !p.best():
		list = list[:n+1] // the rest is never chosen, and would only multiply the cached results
	}
	if auto {
		p.limits.AutoFormat = list
	}
	if negotiates {
		p.limits.Accept = list
	}
}

// has reports whether there is a filter of that name.
func (p *picture) has(names ...string) bool {
	return slices.ContainsFunc(p.calls, func(c imaging.Call) bool { return slices.Contains(names, c.Name) })
}

// best reports whether the smallest of several formats is asked for.
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

// expires returns when the URL expires, by expire() or by its family.
func (p *picture) expires() (at time.Time, ok bool) {
	ms, ok := p.number("expire")
	if at = time.UnixMilli(ms); !p.until.IsZero() && (!ok || p.until.Before(at)) {
		return p.until, true
	}
	return at, ok
}

// number returns the first argument of the last filter of that name: expire or max_age.
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

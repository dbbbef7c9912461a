package server

import (
	"context"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// picture is one image request on its way.
type picture struct {
	request imaging.Request
	calls   []imaging.Call
	limits  imaging.Limits
	private bool // who asked was told by a token: shared caches must not keep it
	source  imaging.Source

	opened   []io.Closer
	versions []string // what names the bytes of the source and its layers
	fetched  int64    // bytes
	etag     string
}

// image answers every URL that is no other route: a picture, its metadata, or what the URL means.
func (s *Server) image(c *fiber.Ctx) error {
	path := rawPath(c)
	r, err := imaging.Parse(path)
	if err != nil {
		return s.fail(c, err)
	}
	if r.Params {
		return s.params(c, path, r)
	}
	if s.config.AutoFormat {
		c.Vary(fiber.HeaderAccept)
	}
	p := &picture{request: r, limits: s.config.Limits}
	if p.private, err = s.permit(c, path, r); err != nil {
		return s.fail(c, err)
	}
	ctx, stop := requestContext(c, s.config.LoadTimeout+s.config.Limits.Timeout)
	defer stop()
	if err := s.open(ctx, c, p); err != nil {
		return s.fail(c, err)
	}
	defer p.close()
	return s.answer(ctx, c, p)
}

// params answers what a URL means. It needs nothing and loads nothing.
func (s *Server) params(c *fiber.Ctx, path string, r imaging.Request) error {
	valid := s.Gallery.VerifyURL(imaging.SplitSigned(path))
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(imaging.Params(path, r, &valid))
}

// permit checks the signature, or who may go without one. private is true when a token decided.
func (s *Server) permit(c *fiber.Ctx, path string, r imaging.Request) (private bool, err error) {
	hash, signed := imaging.SplitSigned(path)
	switch {
	case r.Unsafe && s.config.Unsafe:
		return false, nil
	case r.Unsafe:
		if s.bearer(c).Has(auth.ScopeWrite) {
			return true, nil
		}
		return false, fault.New(fault.UnsafeDisabled, "unsigned URLs need a bearer token of scope write")
	case hash == "":
		return false, fault.New(fault.SignatureMismatch, "the URL bears no signature, expected /<signature>/<operations>/<image>")
	case !s.Gallery.VerifyURL(hash, signed):
		return false, fault.New(fault.SignatureMismatch, "the signature does not fit, expected one of these bytes: %s", signed)
	}
	return false, nil
}

// open checks what the operations say by themselves, then opens the source and names the result.
func (s *Server) open(ctx context.Context, c *fiber.Ctx, p *picture) (err error) {
	o := p.request.Operations
	if p.calls, _, err = o.Filters.Calls(p.limits.Strict); err != nil {
		return err
	}
	if s.config.AutoFormat {
		p.limits.AutoFormat = acceptedFormats(c.Get(fiber.HeaderAccept), s.Engine.Formats())
	}
	if imaging.Negotiates(p.calls) {
		c.Vary(fiber.HeaderAccept)
		p.limits.Accept = acceptedFormats(c.Get(fiber.HeaderAccept), s.Engine.Formats())
	}
	if err := s.checkExpiry(p); err != nil {
		return err
	}
	if err := s.openSources(ctx, p); err != nil {
		p.close()
		return err
	}
	p.etag = p.tag(s.Engine.Version())
	return nil
}

func (s *Server) checkExpiry(p *picture) error {
	if at, ok := p.number("expire"); ok && time.Now().UnixMilli() >= at {
		return fault.New(fault.Expired, "the URL expired at %s", time.UnixMilli(at).UTC().Format(time.RFC3339))
	}
	return nil
}

// number returns the first argument of the last filter of that name.
func (p *picture) number(name string) (n int64, ok bool) {
	argument := map[string]string{"expire": "ms", "max_age": "seconds"}[name]
	for _, c := range p.calls {
		if c.Name == name {
			n, ok = int64(c.Float(argument)), true
		}
	}
	return n, ok
}

// answer answers from the client's cache where that is right, else does the work.
func (s *Server) answer(ctx context.Context, c *fiber.Ctx, p *picture) error {
	s.cacheHeaders(c, p)
	if matches(c.Get(fiber.HeaderIfNoneMatch), p.etag) {
		c.Status(fiber.StatusNotModified)
		return nil
	}
	if c.Method() == fiber.MethodHead {
		return s.head(c, p)
	}
	release, err := s.work.acquire(ctx)
	if err != nil {
		return s.fail(c, err)
	}
	defer release()
	if p.request.Meta {
		return s.meta(ctx, c, p)
	}
	result, err := s.Engine.Process(ctx, p.source, p.request.Operations, p.limits)
	if err != nil {
		return s.fail(c, err)
	}
	p.resultHeaders(c, result)
	return c.Send(result.Data)
}

func (s *Server) meta(ctx context.Context, c *fiber.Ctx, p *picture) error {
	info, err := s.Engine.Info(ctx, p.source, imaging.InfoRequest{Operations: p.request.Operations}, p.limits)
	if err != nil {
		return s.fail(c, err)
	}
	warningsHeader(c, info.Warnings)
	return c.JSON(info)
}

// head answers HEAD from the source's first bytes, without any work on pixels.
func (s *Server) head(c *fiber.Ctx, p *picture) error {
	contentType := fiber.MIMEApplicationJSON
	if !p.request.Meta {
		format, err := s.headFormat(p)
		if err != nil {
			return s.fail(c, err)
		}
		contentType = format.ContentType()
	}
	if contentType != "" {
		c.Set(fiber.HeaderContentType, contentType)
	}
	return nil
}

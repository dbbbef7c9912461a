package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cache"
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

	warnings  []imaging.Warning // of the filters
	versioned bool              // signed, and the query names a version: the same URL never means other bytes

	parts    []part
	opened   []io.Closer
	releases []func()        // free reserved memory
	loading  context.Context // that sources are opened with
	timer    *time.Timer     // ends it
	fetched  int64           // bytes
	validators
	key cache.Key
}

// image answers every URL that is no other route: a picture, its metadata, or what the URL means.
func (s *Server) image(c *fiber.Ctx) error {
	c.Set(headerResourcePolicy, "cross-origin") // pictures are there to be shown elsewhere
	path := rawPath(c)
	r, err := imaging.Parse(path)
	if err != nil {
		return s.fail(c, err)
	}
	if err := s.limitUnsigned(c, path, r); err != nil {
		return s.fail(c, err)
	}
	if r.Params {
		return s.params(c, path, r)
	}
	p := &picture{request: r, limits: s.config.Limits}
	if p.private, err = s.permit(c, path, r); err != nil {
		return s.fail(c, err)
	}
	if err := s.prepare(c, p); err != nil {
		return s.fail(c, err)
	}
	if p.isOriginal() {
		return s.original(c, p)
	}
	ctx, stop := requestContext(c, s.config.LoadTimeout+s.config.QueueTimeout+s.config.Limits.Timeout)
	defer stop()
	defer p.close()
	for range maxSourceChanges {
		loading, loaded := s.stage(ctx, stageLoad)
		err := s.open(loading, p)
		loaded(err)
		if err != nil {
			return s.fail(c, err)
		}
		if err := s.answer(ctx, c, p); !errors.Is(err, errChanged) {
			return err
		}
		p.close()
	}
	return s.fail(c, fault.New(fault.Unavailable, "the source is being replaced again and again"))
}

// maxSourceChanges is how often a source may be replaced while a request looks at it.
const maxSourceChanges = 4

// params answers what a URL means. It needs nothing and loads nothing.
func (s *Server) params(c *fiber.Ctx, path string, r imaging.Request) error {
	valid := s.Signing.VerifyURL(imaging.SplitSigned(path))
	data, err := json.Marshal(imaging.Params(path, r, &valid))
	if err != nil {
		return err
	}
	return s.document(c, fiber.MIMEApplicationJSON, askEachTime, data) // a new secret changes what is valid
}

// permit checks the signature, or who may go without one. private is true when a token decided.
func (s *Server) permit(c *fiber.Ctx, path string, r imaging.Request) (private bool, err error) {
	hash, signed := imaging.SplitSigned(path)
	switch {
	case r.Unsafe && s.config.Unsafe:
		return false, nil
	case r.Unsafe:
		c.Vary(fiber.HeaderAuthorization)
		if s.bearer(c).Has(auth.ScopeWrite) {
			return true, nil
		}
		return false, fault.New(fault.UnsafeDisabled, "unsigned URLs need a bearer token of scope write")
	case hash == "":
		return false, fault.New(fault.SignatureMismatch, "the URL bears no signature, expected /<signature>/<operations>/<image>")
	case !s.Signing.VerifyURL(hash, signed):
		return false, fault.New(fault.SignatureMismatch, "the signature does not fit, expected one of these bytes: %s", signed)
	}
	return false, nil
}

// open finds the sources and names the result.
func (s *Server) open(ctx context.Context, p *picture) error {
	if err := s.resolve(ctx, p); err != nil {
		return err
	}
	p.validators.modified = newest(p.parts)
	p.validators.tag, p.key = s.keys.build(p)
	return nil
}

// answer answers from the client's cache where that is right, else with the result. errChanged is for
// another try; nothing has been answered then.
func (s *Server) answer(ctx context.Context, c *fiber.Ctx, p *picture) error {
	s.cacheHeaders(c, p, p.validators)
	if answered, err := s.precondition(c, p.validators); answered {
		return err
	}
	if c.Method() == fiber.MethodHead {
		return s.head(ctx, c, p)
	}
	result, err := s.getOrRender(ctx, c, p)
	switch {
	case errors.Is(err, errChanged):
		return err
	case err != nil:
		return s.fail(c, err)
	}
	return s.show(c, p, result)
}

// show answers with a finished picture or its metadata; to HEAD with what describes them.
func (s *Server) show(c *fiber.Ctx, p *picture, result *imaging.Result) error {
	if p.request.Meta {
		c.Set(fiber.HeaderContentType, result.ContentType)
		warningsHeader(c, result.Warnings)
		return c.Send(result.Data)
	}
	return s.result(c, p, result)
}

// head answers HEAD without any work on pixels: from a result that is in memory already, else from the
// source's first bytes.
func (s *Server) head(ctx context.Context, c *fiber.Ctx, p *picture) error {
	if e := s.Results.GetMemory(p.key); e != nil {
		result, err := resultOf(c, e, "hit; detail=memory")
		if err != nil {
			return s.fail(c, err)
		}
		return s.show(c, p, result)
	}
	if p.request.Meta {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return nil
	}
	if err := s.openSources(ctx, p); errors.Is(err, errChanged) {
		return err
	} else if err != nil {
		return s.fail(c, err)
	}
	format, err := s.headFormat(p)
	if err != nil {
		return s.fail(c, err)
	}
	c.Set(fiber.HeaderAcceptRanges, "bytes")
	warningsHeader(c, p.warnings)
	if format != "" {
		p.contentHeaders(c, format)
		c.Set(fiber.HeaderContentType, format.ContentType())
	}
	return nil
}

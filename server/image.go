package server

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/metrics"
	"github.com/safelight/safelight/signing"
)

// picture is the state of an image request.
type picture struct {
	request imaging.Request
	calls   []imaging.Call
	limits  imaging.Limits
	private bool      // a token authorized the request: shared caches must not store the response
	fixed   bool      // no client hint changes the size
	until   time.Time // when the URL expires, whatever its operations say; zero: never
	sealed  bool      // the URL does not tell the path of the image, and no response does
	moving  bool      // the URL calls a preset without a version, so its meaning may change

	unbounded bool // anyone can make endless URLs like this one

	labels []string // what made the result: purges find it by them
	source imaging.Source

	warnings  []imaging.Warning // of the filters
	version   string            // that the query names; empty if it names none
	versioned bool              // signed, and version is that of the bytes: the same URL never stands for others
	outdated  bool              // version is not that of the bytes

	parts    []part
	opened   []io.Closer
	releases []func()        // free reserved memory
	loading  context.Context // the context for opening sources
	timer    *time.Timer     // cancels it
	fetched  int64           // bytes
	validators
	key     cache.Key
	hit     *cache.Entry // the result, found in memory
	endTurn func()       // lets other servers look for the result
}

// image answers image URLs with a picture, its metadata, or the meaning of the URL.
func (s *Server) image(c *fiber.Ctx) error {
	c.Set(headerResourcePolicy, "cross-origin") // other sites embed the pictures
	rights := s.Signing.Rights()                // first: a secret that changes meanwhile must not keep the answer
	path := rawPath(c)
	a, err := s.Signing.Read(path)
	if err != nil {
		return s.fail(c, err)
	}
	if err := s.limitUnsigned(c, a); err != nil {
		return s.fail(c, err)
	}
	if a.Params {
		return s.params(c, a)
	}
	p := &picture{
		request: a.Request, limits: s.config.Limits, fixed: a.Fixed, until: a.Until, sealed: a.Sealed, moving: a.Moving,
		unbounded: a.Unbounded, labels: a.Labels,
	}
	c.Locals(localSealed, a.Sealed)
	if p.private, err = s.permit(c, a); err != nil {
		return s.fail(c, err)
	}
	if location := s.canonicalURL(c, a, path); location != "" && !p.private {
		c.Set(fiber.HeaderCacheControl, "no-store") // caches would keep one for each of the other spellings
		return c.Redirect(location, fiber.StatusPermanentRedirect)
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
		loading, loaded := s.stage(ctx, metrics.Load)
		err := s.open(loading, p)
		loaded(err)
		if err != nil {
			return s.fail(c, err)
		}
		if err := s.answer(ctx, c, p); !errors.Is(err, errChanged) {
			s.cacheResponse(c, p, a, rights)
			return err
		}
		p.close()
	}
	return s.fail(c, fault.New(fault.Unavailable, "the source keeps changing, try again later"))
}

// maxSourceChanges is how often a request restarts because a source was replaced.
const maxSourceChanges = 4

// canonicalURL returns the URL of a picture under which caches should keep it; empty if that is the URL of the request,
// whose path that is. The signature covers neither slashes in front of it nor the query, so that anyone could make a
// cache keep endless copies. Of the query, only the version counts.
func (s *Server) canonicalURL(c *fiber.Ctx, a *signing.ParsedURL, path string) string {
	want := "/" + a.Canonical
	if a.Canonical == "" {
		want = "/" + strings.TrimLeft(path, "/")
	}
	query, uri := "", c.Request().URI()
	if len(uri.QueryString()) > 0 {
		if args := uri.QueryArgs(); args.Has(versionKey) {
			query = versionKey + "=" + url.QueryEscape(string(args.Peek(versionKey)))
		}
	}
	if path == want && string(uri.QueryString()) == query && len(uri.Hash()) == 0 {
		return ""
	}
	if query != "" {
		query = "?" + query
	}
	return s.Signing.BasePath() + want + query
}

// versionKey is the key of the version in the query of a URL.
const versionKey = "v"

// params answers with the meaning of a URL. It requires no permission and loads nothing.
func (s *Server) params(c *fiber.Ctx, a *signing.ParsedURL) error {
	data, err := marshal(a.Meaning())
	if err != nil {
		return err
	}
	return s.document(c, fiber.MIMEApplicationJSON, askEachTime, data) // a new secret changes which URLs are valid
}

// permit checks the signature, or the permission to omit it. private is true if a token authorized the request.
func (s *Server) permit(c *fiber.Ctx, a *signing.ParsedURL) (private bool, err error) {
	if !a.Unsafe || s.config.Unsafe && a.Denied == nil {
		return false, a.Denied
	}
	c.Vary(fiber.HeaderAuthorization)
	if identity := s.bearer(c); identity.Has(auth.ScopeWrite) {
		c.SetUserContext(auth.WithIdentity(c.UserContext(), identity))
		return true, nil
	}
	if s.config.Unsafe {
		return false, a.Denied
	}
	return false, fault.New(fault.UnsafeDisabled, "unsigned URLs need a bearer token of scope write")
}

// open resolves the sources and builds the ETag and the cache key.
func (s *Server) open(ctx context.Context, p *picture) error {
	if err := s.resolve(ctx, p); err != nil {
		return err
	}
	p.checkVersion(p.parts[0].etag)
	p.validators.modified = newest(p.parts)
	if p.validators.tag, p.key = s.keys.build(p); p.sealed { // a tag is a hash of the path, which could be guessed
		p.validators.tag = s.Signing.BlindTag(p.validators.tag)
	}
	return nil
}

// answer answers 304 if the client's copy is current, else with the result. After errChanged it has sent nothing and
// the caller tries again.
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

// show answers with a picture or its metadata; for HEAD with the headers only.
func (s *Server) show(c *fiber.Ctx, p *picture, result *imaging.Result) error {
	if p.request.Meta {
		c.Set(fiber.HeaderContentType, result.ContentType)
		warningsHeader(c, result.Warnings)
		return c.Send(result.Data)
	}
	return s.result(c, p, result)
}

// head answers HEAD without processing: from a result in the memory cache, else from the plan of it.
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
	format, err := s.headFormat(ctx, p)
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

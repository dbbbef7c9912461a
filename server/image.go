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
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/metrics"
	"github.com/safelight/safelight/signing"
)

// picture is the state of an image request.
type picture struct {
	request imaging.Request
	calls   []imaging.Call
	limits  imaging.Limits
	private bool // a token authorized the request, so shared caches must not store the response

	ignoreHints bool      // client hints do not change the size
	validUntil  time.Time // when the URL expires regardless of expire(); zero: never
	sealed      bool      // the URL hides the path of the image, so the response must hide it too
	undated     bool      // the response does not reveal when its sources were changed
	unpinned    bool      // the URL calls a preset without a version, so its meaning may change
	unbounded   bool      // anyone can create any number of such URLs

	labels []string // labels by which purges find the result, such as the names of presets
	source imaging.Source

	warnings  []imaging.Warning // of the filters
	version   string            // version in the query of the URL; empty: none
	versioned bool              // the URL is signed, and version is current: the URL will never refer to other bytes
	outdated  bool              // version is not the current one

	parts    []part
	fonts    []imaging.Font // uploaded fonts that the texts name
	opened   []io.Closer
	releases []func()        // functions that free reserved memory
	loading  context.Context // context with which the sources are opened
	timer    *time.Timer     // cancels loading
	fetched  int64           // downloaded bytes of remote sources
	validators
	key cache.Key
	hit *cache.Entry // the result, if the memory cache had it
}

// image answers image URLs with a picture, its metadata, or an explanation of the URL.
func (s *Server) image(c *fiber.Ctx) error {
	c.Set(headerResourcePolicy, "cross-origin") // other sites may embed the pictures
	basis := s.basis()                          // taken before the URL is read, so that a change in between is noticed
	path := rawPath(c)
	a, err := s.Signing.Read(path)
	if err != nil {
		return err
	}
	if err := s.limitUnsigned(c, a); err != nil {
		return err
	}
	if a.Params {
		return s.params(c, a)
	}
	p := &picture{
		request: a.Request, limits: s.config.Limits, ignoreHints: a.IgnoreHints,
		validUntil: a.ValidUntil, sealed: a.Sealed, unpinned: a.Unpinned,
		unbounded: a.Unbounded, labels: a.Labels,
	}
	c.Locals(localSealed, a.Sealed)
	if p.private, err = s.permit(c, a); err != nil {
		return err
	}
	if location := s.canonicalURL(c, a, path); location != "" && !p.private {
		c.Set(fiber.HeaderCacheControl, "no-store") // otherwise caches would store one redirect for each spelling
		return c.Redirect(location, fiber.StatusPermanentRedirect)
	}
	if err := s.prepare(c, p); err != nil {
		return err
	}
	if p.isOriginal() {
		return s.original(c, p)
	}
	if err := s.present(c, p); err != nil {
		return err
	}
	s.cacheResponse(c, p, a, basis)
	return nil
}

// present answers with the result of a prepared request.
func (s *Server) present(c *fiber.Ctx, p *picture) error {
	ctx, stop := requestContext(c, s.config.LoadTimeout+s.config.QueueTimeout+s.config.Limits.Timeout)
	defer stop()
	return s.whileUnchanged(ctx, p, func() error { return s.answer(ctx, c, p) })
}

// maxSourceChanges is how often a result is attempted if its sources are replaced in the meantime.
const maxSourceChanges = 4

// whileUnchanged opens the picture and calls do, again if do returns errChanged.
func (s *Server) whileUnchanged(ctx context.Context, p *picture, do func() error) error {
	defer p.close()
	for range maxSourceChanges {
		loading, loaded := s.stage(ctx, metrics.Load)
		err := s.open(loading, p)
		loaded(err)
		if err != nil {
			return err
		}
		if err := do(); !errors.Is(err, errChanged) {
			return err
		}
		for _, one := range p.parts {
			files(ctx).Gallery.Versions.ForgetImage(one.image) // the cached version is out of date
		}
		p.close()
	}
	return fault.New(fault.Unavailable, "the source keeps changing while it is read, try again later")
}

// canonicalURL returns the URL under which caches should store the picture; empty if the request, whose path is given,
// already used it. The signature covers neither leading slashes nor the query, so without the redirect anyone could
// make caches store an unlimited number of copies. The version is the only part of the query that matters.
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

// versionKey is the query parameter with the version of the source.
const versionKey = "v"

// params answers with an explanation of the URL. It requires no permission and loads no image.
func (s *Server) params(c *fiber.Ctx, a *signing.ParsedURL) error {
	data, err := marshal(a.Meaning())
	if err != nil {
		return err
	}
	return s.document(c, fiber.MIMEApplicationJSON, alwaysRevalidate, data) // a new secret makes URLs invalid
}

// permit returns an error unless the URL is signed, or the caller may use unsigned URLs. private is true if a token
// authorized the request, which then has access to what the caller may see.
func (s *Server) permit(c *fiber.Ctx, a *signing.ParsedURL) (private bool, err error) {
	if !a.Unsafe || s.config.Unsafe && a.Denied == nil {
		c.SetUserContext(access.All(c.UserContext())) // the signature grants access
		return false, a.Denied
	}
	c.Vary(fiber.HeaderAuthorization)
	if identity := s.bearer(c); identity.Has(auth.ScopeWrite) {
		c.SetUserContext(access.Once(auth.WithIdentity(c.UserContext(), identity)))
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
	if !p.undated {
		p.validators.modified = newest(p.parts, p.fonts)
	}
	p.validators.tag, p.key = s.keys.build(p)
	if p.sealed { // an ETag is a hash, against which an attacker could test guesses of the path
		p.validators.tag = s.Signing.BlindTag(p.validators.tag)
	}
	return nil
}

// answer sends 304 if the client's copy is current, and the result otherwise. If it returns errChanged, it has sent
// nothing, and the caller should try again.
func (s *Server) answer(ctx context.Context, c *fiber.Ctx, p *picture) error {
	s.cacheHeaders(c, p, p.validators)
	if answered, err := s.precondition(c, p.validators); answered {
		return err
	}
	if c.Method() == fiber.MethodHead {
		return s.head(ctx, c, p)
	}
	result, err := s.getOrRender(ctx, c, p)
	if err != nil {
		return err
	}
	return s.show(c, p, result)
}

// show answers with a picture or its metadata; for HEAD only with the headers.
func (s *Server) show(c *fiber.Ctx, p *picture, result *imaging.Result) error {
	if p.request.Meta {
		c.Set(fiber.HeaderContentType, result.ContentType)
		warningsHeader(c, result.Warnings)
		return c.Send(result.Data)
	}
	return s.result(c, p, result)
}

// head answers HEAD without processing: from the memory cache, or else from the plan of the result.
func (s *Server) head(ctx context.Context, c *fiber.Ctx, p *picture) error {
	if e := s.Results.GetMemory(p.key); e != nil {
		setCacheStatus(c, "hit; detail=memory")
		result, err := resultOf(e)
		if err != nil {
			return err
		}
		return s.show(c, p, result)
	}
	if p.request.Meta {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return nil
	}
	if err := s.openSources(ctx, p); err != nil {
		return err
	}
	format, err := s.headFormat(ctx, p)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderAcceptRanges, "bytes")
	warningsHeader(c, p.warnings)
	if format != "" {
		p.contentHeaders(c, format)
		c.Set(fiber.HeaderContentType, format.ContentType())
	}
	return nil
}

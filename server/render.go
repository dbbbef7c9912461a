package server

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/hotswap"
)

// headerCacheStatus is defined by RFC 9211.
const headerCacheStatus = "Cache-Status"

// getOrRender returns the result, a picture or its metadata as JSON. It takes it from the cache or from a concurrent
// request that renders it, or renders it itself. It sets Cache-Status. Concurrent requests for one key share a single
// admission and a single run.
func (s *Server) getOrRender(ctx context.Context, c *fiber.Ctx, p *picture) (*imaging.Result, error) {
	if p.hit = s.Results.GetMemory(p.key); p.hit != nil {
		setCacheStatus(c, "hit; detail=memory")
		return resultOf(p.hit)
	}
	r, shared, err := s.renderOnce(ctx, p)
	if err != nil {
		setCacheStatus(c, "fwd=uri-miss")
		if ctx.Err() != nil {
			return nil, admission.ContextError(ctx)
		}
		return nil, err
	}
	if shared {
		r.cacheStatus = "fwd=uri-miss; collapsed"
	}
	setCacheStatus(c, r.cacheStatus)
	return resultOf(r.entry)
}

// renderOnce renders the result, unless a concurrent request for the same key does: then it waits for that, and shared
// is true.
func (s *Server) renderOnce(ctx context.Context, p *picture) (r rendered, shared bool, err error) {
	run := func(ctx context.Context) (r rendered, err error) {
		r.entry, r.cacheStatus, err = s.render(ctx, p.detached(), p.key)
		r.client = clientOf(ctx)
		return r, err
	}
	r, shared, err = s.flights.Do(ctx, p.key, run)
	if shared && fault.CodeOf(err) == fault.Overloaded && r.client != clientOf(ctx) {
		// The client that started the run has too much work in the queue, but this client may not.
		r, shared, err = s.flights.Do(ctx, p.key, run)
	}
	return r, shared, err
}

func setCacheStatus(c *fiber.Ctx, status string) { c.Set(headerCacheStatus, "Safelight; "+status) }

// rendered is a cache entry, with the Cache-Status and the client of the request that started the run.
type rendered struct {
	entry       *cache.Entry
	cacheStatus string
	client      string
}

// detached returns a copy of p without open sources, for work that may continue after the request.
func (p *picture) detached() *picture {
	own := *p
	own.opened, own.releases, own.source = nil, nil, imaging.Source{}
	return &own
}

// render returns the result from the lower tiers of the cache, or renders and stores it. All requests that wait for key
// share one call.
func (s *Server) render(ctx context.Context, p *picture, key cache.Key) (
	e *cache.Entry, cacheStatus string, err error,
) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(ctx, s.Log, v)
		}
	}()
	held := hotswap.From[Files](ctx)
	held.Again() // the request that started the run may end before it
	defer held.Release()
	ctx, cancel := context.WithTimeout(ctx, s.config.LoadTimeout+s.config.QueueTimeout+s.config.Limits.Timeout)
	defer cancel()
	if e = s.Results.GetMemory(key); e != nil { // another run has finished since the first lookup
		return e, "hit; detail=memory", nil
	}
	if e, tier := s.Results.GetLower(ctx, key, p.request.Image); e != nil {
		return e, "hit; detail=" + string(tier), nil
	}
	started := s.config.Now()
	result, err := s.renderUncached(ctx, p)
	e = entryOf(result, err)
	if e == nil {
		return nil, "", err
	}
	e.Started = started
	for _, one := range p.parts {
		e.Sources = append(e.Sources, one.image)
	}
	e.Sources = append(e.Sources, p.labels...)
	status := "fwd=uri-miss"
	if p.sourcesSettled(started) && s.Results.Put(key, e) {
		status += "; stored"
	}
	return e, status, nil
}

// The age at which the version of a source identifies its bytes: longer than the resolution of timestamps.
const (
	clockResolution  = 20 * time.Millisecond
	coarseResolution = 2 * time.Second // for timestamps without a fraction of a second
)

// sourcesSettled reports whether every source is old enough for its version to identify its bytes. For a younger
// source, a second write within the resolution of timestamps could leave the version unchanged.
func (p *picture) sourcesSettled(now time.Time) bool {
	for _, one := range p.parts {
		resolution := clockResolution
		if one.modified.Nanosecond() == 0 {
			resolution = coarseResolution
		}
		if age := now.Sub(one.modified); age >= 0 && age < resolution {
			return false
		}
	}
	return true
}

// renderUncached opens the sources, waits for admission and runs the engine. It returns errChanged if a source or a
// font no longer has the version in the cache key.
func (s *Server) renderUncached(ctx context.Context, p *picture) (*imaging.Result, error) {
	defer p.close()
	if !p.request.Meta { // metadata may not need to queue
		if err := s.work.RejectEarly(clientOf(ctx)); err != nil {
			return nil, err
		}
	}
	if err := s.openSources(ctx, p); err != nil {
		return nil, err
	}
	if !p.request.Meta { // metadata may need only the header
		if err := s.bufferSources(ctx, p); err != nil {
			return nil, err
		}
	}
	var result *imaging.Result
	err := s.admit(ctx, p, func(ctx context.Context) (err error) {
		if p.request.Meta {
			result, err = describe(ctx, s.Engine, p)
		} else {
			result, err = s.runEngine(ctx, p)
		}
		return err
	})
	if errors.Is(err, imaging.ErrFontChanged) {
		err = errChanged
	}
	return result, err
}

// describe returns the metadata of the result as JSON.
func describe(ctx context.Context, engine imaging.Engine, p *picture) (*imaging.Result, error) {
	info, err := engine.Info(ctx, p.source, imaging.InfoRequest{Operations: p.request.Operations}, p.limits)
	if err != nil {
		return nil, err
	}
	body, err := marshal(described{info, messages(info.Warnings)})
	return &imaging.Result{Data: body, ContentType: fiber.MIMEApplicationJSON, Warnings: info.Warnings}, err
}

// runEngine processes the picture and records how long the stages took.
func (s *Server) runEngine(ctx context.Context, p *picture) (result *imaging.Result, err error) {
	ctx, end := s.span(ctx, "engine")
	defer func() { end(err) }()
	if result, err = s.Engine.Process(ctx, p.source, p.request.Operations, p.limits); err == nil {
		s.metrics.Rendered(result)
	}
	return result, err
}

// entryOf returns the cache entry of a result or an error; nil for an error that must not be cached.
func entryOf(r *imaging.Result, err error) *cache.Entry {
	if err != nil {
		var f *fault.Error
		if !errors.As(err, &f) || f.RetryAfter > 0 || statusOf[f.Code] >= fiber.StatusInternalServerError ||
			f.Code == fault.Canceled || f.Code == fault.NotFound {
			return nil
		}
		return &cache.Entry{Code: f.Code, Field: f.Field, Message: f.Message}
	}
	e := &cache.Entry{Body: r.Data, ContentType: r.ContentType, Format: string(r.Format), Width: r.Width,
		Height: r.Height, Pages: r.Pages}
	for _, w := range r.Warnings {
		e.Warnings = append(e.Warnings, cache.Warning(w))
	}
	return e
}

// resultOf returns the result or the error that an entry holds.
func resultOf(e *cache.Entry) (*imaging.Result, error) {
	if e.Code != "" {
		return nil, &fault.Error{Code: e.Code, Field: e.Field, Message: e.Message}
	}
	r := &imaging.Result{Data: e.Body, ContentType: e.ContentType, Format: imaging.Format(e.Format), Width: e.Width,
		Height: e.Height, Pages: e.Pages}
	for _, w := range e.Warnings {
		r.Warnings = append(r.Warnings, imaging.Warning(w))
	}
	return r, nil
}

// described is the response of /meta.
type described struct {
	*imaging.Info
	Warnings []string `json:"warnings,omitempty"`
}

func messages(list []imaging.Warning) []string {
	var texts []string
	for _, w := range list {
		texts = append(texts, w.String())
	}
	return texts
}

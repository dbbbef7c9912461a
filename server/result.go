package server

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// headerCacheStatus says what the cache did, as RFC 9211 has it.
const headerCacheStatus = "Cache-Status"

// finished returns the finished picture, or its metadata as JSON: from the cache, from who is making it
// already, or made now. It sets Cache-Status. Only who makes one takes a worker.
func (s *Server) finished(ctx context.Context, c *fiber.Ctx, p *picture) (*imaging.Result, error) {
	key := p.key
	if e := s.Results.GetMemory(key); e != nil {
		return answerOf(c, e, "hit; detail=memory")
	}
	made, shared, err := s.flights.Do(ctx, key, func(ctx context.Context) (made, error) { return s.make(ctx, p.alone(), key) })
	if err != nil {
		status(c, "fwd=uri-miss")
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		return nil, err
	}
	how := made.how
	if shared {
		how = "fwd=uri-miss; collapsed"
	}
	return answerOf(c, made.entry, how)
}

func status(c *fiber.Ctx, how string) { c.Set(headerCacheStatus, "Safelight; "+how) }

// made is an entry, and what Cache-Status says to who had it made.
type made struct {
	entry *cache.Entry
	how   string
}

// alone returns a copy of p whose sources are not opened, for work that may outlive the request.
func (p *picture) alone() *picture {
	own := *p
	own.opened, own.given, own.source = nil, nil, imaging.Source{}
	return &own
}

// make finds the result in the lower tiers, or makes and keeps it. It runs once for all who wait for it.
func (s *Server) make(ctx context.Context, p *picture, key cache.Key) (m made, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.Log.ErrorContext(ctx, "panic", "requestId", fault.RequestID(ctx), "panic", v, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "Internal error")
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, s.config.LoadTimeout+s.config.QueueTimeout+s.config.Limits.Timeout)
	defer cancel()
	if e := s.Results.GetMemory(key); e != nil { // it landed while we came here
		return made{e, "hit; detail=memory"}, nil
	}
	if e, tier := s.Results.GetLower(ctx, key, p.request.Image); e != nil {
		return made{e, "hit; detail=" + string(tier)}, nil
	}
	begun := time.Now()
	r, err := s.produce(ctx, p)
	e := entryOf(r, err)
	if e == nil {
		return made{}, err
	}
	e.Made = begun
	for _, one := range p.parts {
		e.Sources = append(e.Sources, one.image)
	}
	how := "fwd=uri-miss"
	if p.settled(begun) && s.Results.Put(key, e) {
		how += "; stored"
	}
	return made{e, how}, nil
}

// Longer than the steps in which file systems count time.
const (
	clockStep  = 20 * time.Millisecond
	coarseStep = 2 * time.Second // where times have no fraction of a second
)

// settled reports whether no source was written just now: another write in the same step of the clock would
// leave its version as it is.
func (p *picture) settled(now time.Time) bool {
	for _, one := range p.parts {
		step := clockStep
		if one.modified.Nanosecond() == 0 {
			step = coarseStep
		}
		if age := now.Sub(one.modified); age >= 0 && age < step {
			return false
		}
	}
	return true
}

// produce opens the sources, waits for a worker and does the work. It returns errChanged when a source is
// no longer the one that the key names.
func (s *Server) produce(ctx context.Context, p *picture) (*imaging.Result, error) {
	defer p.close()
	if !p.request.Meta { // metadata may not need to wait
		if err := s.work.turnAway(); err != nil {
			return nil, err
		}
	}
	if err := s.openSources(ctx, p); err != nil {
		return nil, err
	}
	if !p.request.Meta { // metadata may need the header only
		if err := s.readAhead(ctx, p); err != nil {
			return nil, err
		}
	}
	waiting, waited := s.stage(ctx, stageQueue)
	release, err := s.turn(waiting, p)
	waited(err)
	if err != nil {
		return nil, err
	}
	defer release()
	if !p.request.Meta {
		return s.process(ctx, p)
	}
	info, err := s.Engine.Info(ctx, p.source, imaging.InfoRequest{Operations: p.request.Operations}, p.limits)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(info)
	return &imaging.Result{Data: body, ContentType: fiber.MIMEApplicationJSON, Warnings: info.Warnings}, err
}

// entryOf turns an outcome into what the cache keeps; nil for errors that it never keeps.
func entryOf(r *imaging.Result, err error) *cache.Entry {
	if err != nil {
		var f *fault.Error
		if !errors.As(err, &f) || f.RetryAfter > 0 || statusOf[f.Code] >= fiber.StatusInternalServerError || f.Code == fault.Canceled || f.Code == fault.NotFound {
			return nil
		}
		return &cache.Entry{Code: f.Code, Field: f.Field, Message: f.Message}
	}
	e := &cache.Entry{Body: r.Data, ContentType: r.ContentType, Format: string(r.Format), Width: r.Width, Height: r.Height, Pages: r.Pages}
	for _, w := range r.Warnings {
		e.Notes = append(e.Notes, cache.Note(w))
	}
	return e
}

// answerOf turns an entry back into the outcome.
func answerOf(c *fiber.Ctx, e *cache.Entry, how string) (*imaging.Result, error) {
	status(c, how)
	if e.Code != "" {
		return nil, &fault.Error{Code: e.Code, Field: e.Field, Message: e.Message}
	}
	r := &imaging.Result{Data: e.Body, ContentType: e.ContentType, Format: imaging.Format(e.Format), Width: e.Width, Height: e.Height, Pages: e.Pages}
	for _, n := range e.Notes {
		r.Warnings = append(r.Warnings, imaging.Warning(n))
	}
	return r, nil
}

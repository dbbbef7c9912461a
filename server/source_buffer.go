package server

import (
	"context"
	"io"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/metrics"
	"github.com/safelight/safelight/storage"
)

// sourceBudget limits the memory of all buffered sources. A source counts from before it is read until its picture is
// done.
type sourceBudget struct {
	max  int64
	free *semaphore.Weighted // nil: no limit
	used *atomic.Int64
}

// newSourceBudget returns a budget of a quarter of maxMemory, the limit of the pictures being rendered. 0 means no
// limit for both.
func newSourceBudget(maxMemory int64) sourceBudget {
	if maxMemory <= 0 {
		return sourceBudget{used: new(atomic.Int64)}
	}
	return sourceBudget{maxMemory / 4, semaphore.NewWeighted(maxMemory / 4), new(atomic.Int64)}
}

// acquire waits until size bytes are free. A source that is larger than the budget takes all of it. The error is that
// of ctx.
func (b sourceBudget) acquire(ctx context.Context, size int64) (release func(), err error) {
	if b.free == nil {
		b.used.Add(size)
		return func() { b.used.Add(-size) }, nil
	}
	share := min(size, b.max)
	if err := b.free.Acquire(ctx, share); err != nil {
		return nil, err
	}
	b.used.Add(size)
	return func() {
		b.used.Add(-size)
		b.free.Release(share)
	}, nil
}

// bufferSources reads sources from network storage into memory before admission, so that a slow download does not hold
// a worker. It does not buffer local files, nor the sources of preview(), which the engine may have decoded already.
// The load timeout covers the wait for memory and the download. It returns fault.Overloaded if no memory becomes free.
func (s *Server) bufferSources(ctx context.Context, p *picture) (err error) {
	if slices.ContainsFunc(p.calls, func(c imaging.Call) bool { return c.Name == "preview" }) {
		return nil
	}
	var size int64
	download := false
	for i, one := range p.parts {
		src := p.sourceOf(i)
		if _, near := src.Reader.(storage.Near); near || src.Reader == nil {
			continue
		}
		size += one.size
		download = download || one.data == nil
	}
	if size == 0 {
		return nil
	}
	_, end := s.stage(ctx, metrics.Load)
	defer func() { end(err) }()
	loading, cancel := context.WithTimeout(ctx, s.config.LoadTimeout)
	defer cancel()
	release, err := s.sourceBudget.acquire(loading, size)
	if err != nil {
		if ctx.Err() != nil {
			return admission.ContextError(ctx)
		}
		return admission.Overloaded(s.work.RetryAfter(),
			"the sources of other pictures use all of the memory for sources, try again later")
	}
	p.releases = append(p.releases, release)
	if !download {
		return nil
	}
	done, err := s.sourceDownloads.Enter(loading, admission.Work{Client: clientOf(ctx)})
	if err != nil {
		return err
	}
	defer done()
	return s.downloadSources(p)
}

// downloadSources reads every open source that is not in memory yet. p.timer limits the time: it cancels the context
// with which the sources were opened.
func (s *Server) downloadSources(p *picture) error {
	p.timer.Reset(s.config.LoadTimeout)
	defer p.timer.Stop()
	for i, one := range p.parts {
		src := p.sourceOf(i)
		switch src.Reader.(type) {
		case nil, imaging.MemoryFile, storage.Near:
			continue
		}
		data := make([]byte, one.size)
		if _, err := io.ReadFull(src.Reader, data); err != nil {
			return loadError(p.loading, truncated(err))
		}
		if src.Reader = imaging.NewMemoryFile(data); i > 0 {
			p.source.Layers[one.image] = src
		} else {
			p.source = src
		}
	}
	return nil
}

// truncated returns fault.Unavailable if err means that the storage has sent less than the whole source.
func truncated(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fault.Wrap(err, fault.Unavailable, "the storage sent less than the whole source")
	}
	return err
}

// sourceOf returns the open source of p.parts[part].
func (p *picture) sourceOf(part int) imaging.Source {
	if part == 0 {
		return p.source
	}
	return p.source.Layers[p.parts[part].image]
}

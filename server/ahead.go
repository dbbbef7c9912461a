package server

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// held is a source that is in memory. The engine reads it where it is.
type held struct {
	*bytes.Reader
	data []byte
}

func hold(data []byte) held { return held{bytes.NewReader(data), data} }

// Bytes returns all of it, which must not be changed.
func (h held) Bytes() []byte { return h.data }

// sources is the memory that sources from afar may take together, from before they are read until their picture is done.
type sources struct {
	bound  int64
	budget *semaphore.Weighted // nil: no bound
	used   *atomic.Int64
}

// newSources takes a quarter of what pictures at work may take, out of the half of the limit that is not theirs; 0 is no bound.
func newSources(memory int64) sources {
	if memory <= 0 {
		return sources{used: new(atomic.Int64)}
	}
	return sources{memory / 4, semaphore.NewWeighted(memory / 4), new(atomic.Int64)}
}

// take waits for room. What is more than all of it gets all of it, alone.
func (s sources) take(ctx context.Context, size int64) (give func(), err error) {
	if s.budget == nil {
		s.used.Add(size)
		return func() { s.used.Add(-size) }, nil
	}
	share := min(size, s.bound)
	if err := s.budget.Acquire(ctx, share); err != nil {
		return nil, err
	}
	s.used.Add(size)
	return func() {
		s.used.Add(-size)
		s.budget.Release(share)
	}, nil
}

// readAhead brings the sources into memory that are read over a network, before a worker is taken: who waits for
// bytes needs none. Files stay where they are, and so do sources of previews, which the engine may have decoded already.
// The load timeout bounds it, once for the memory and once for the bytes.
func (s *Server) readAhead(ctx context.Context, p *picture) (err error) {
	if slices.ContainsFunc(p.calls, func(c imaging.Call) bool { return c.Name == "preview" }) {
		return nil
	}
	var size int64
	far := false
	for i, one := range p.parts {
		src := p.sourceOf(i)
		if _, near := src.Reader.(storage.Near); near || src.Reader == nil {
			continue
		}
		size += one.size
		far = far || one.data == nil
	}
	if size == 0 {
		return nil
	}
	_, read := s.stage(ctx, stageLoad)
	defer func() { read(err) }()
	loading, cancel := context.WithTimeout(ctx, s.config.LoadTimeout)
	defer cancel()
	give, err := s.sources.take(loading, size)
	if err != nil {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		return overloaded(s.work.retryAfter(), "sources of other pictures take all the memory there is for them, try again later")
	}
	p.given = append(p.given, give)
	if !far {
		return nil
	}
	release, err := s.loads.acquire(loading, imaging.Cost{})
	if err != nil {
		return err
	}
	defer release()
	return s.readAll(p)
}

// readAll reads what is open and not in memory. The context that it was opened with ends when that takes too long.
func (s *Server) readAll(p *picture) error {
	p.timer.Reset(s.config.LoadTimeout)
	defer p.timer.Stop()
	for i, one := range p.parts {
		src := p.sourceOf(i)
		switch src.Reader.(type) {
		case nil, held, storage.Near:
			continue
		}
		data := make([]byte, one.size)
		if _, err := io.ReadFull(src.Reader, data); err != nil {
			return late(p.loading, unread(err))
		}
		if src.Reader = hold(data); i > 0 {
			p.source.Layers[one.image] = src
		} else {
			p.source = src
		}
	}
	return nil
}

// unread says that a source ended before its end, which a faulty store may do.
func unread(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fault.Wrap(err, fault.Unavailable, "the storage sent less than the whole source")
	}
	return err
}

// sourceOf returns the open source of the part of that number.
func (p *picture) sourceOf(part int) imaging.Source {
	if part == 0 {
		return p.source
	}
	return p.source.Layers[p.parts[part].image]
}

//go:build linux

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

var _ imaging.Decoder = (*Pool)(nil)

// Decode implements imaging.Decoder. What one worker decodes, it and others process: pixels are in sealed memory files.
// A decode that breaks the worker fails all results once; after that each result of the source is made alone, until the
// crash is forgotten.
func (p *Pool) Decode(
	ctx context.Context,
	src imaging.Source,
	loads []imaging.Load,
	limits imaging.Limits,
) ([]imaging.Pixels, error) {
	src = withoutLayers(src)
	if p.isTrusted(src, imaging.Operations{}) {
		return p.local.Decode(ctx, src, loads, limits)
	}
	j := job{kind: kindDecode, src: src, limits: limits, loads: loads}
	if isSuspect, err := p.suspects(j); err != nil || isSuspect {
		return nil, imaging.ErrAlone
	}
	a, _, err := p.do(ctx, j)
	var b *broken
	if errors.As(err, &b) {
		return nil, p.charge(ctx, j, b)
	}
	if err == nil {
		return a.pixels(loads)
	}
	if code := fault.CodeOf(err); code == fault.Timeout || code == fault.Canceled {
		return nil, err
	}
	return nil, fmt.Errorf("%w: %w", imaging.ErrAlone, err)
}

// pixels returns what a worker has decoded, in files that it can no longer change. The server does not read them; only
// another worker does.
func (a response) pixels(loads []imaging.Load) ([]imaging.Pixels, error) {
	if len(a.files) != len(loads) || len(a.Pixels) != len(loads) ||
		slices.ContainsFunc(a.files, func(f *os.File) bool { return !isSealed(f) }) {
		closeAll(a.files)
		return nil, fault.New(
			fault.Internal, "a worker answers %d decoded pictures, expected %d in sealed files",
			len(a.Pixels), len(loads),
		)
	}
	list := make([]imaging.Pixels, len(loads))
	for n, w := range a.Pixels {
		f := a.files[n]
		list[n] = w.Pixels
		list[n].Load, list[n].Held, list[n].Free = loads[n], f, func() { f.Close() }
	}
	return list, nil
}

// mapped returns the pixels in a file, which Free unmaps.
func (w wirePixels) mapped(f *os.File) (p imaging.Pixels, err error) {
	p = w.Pixels
	p.Data, p.Free, err = mapped(f)
	return p, err
}

// decode answers a decode in a worker.
func (s *service) decode(ctx context.Context, src imaging.Source, r request, a *response) error {
	list, err := s.engine.Decode(ctx, src, r.Loads, r.Limits)
	for _, one := range list {
		defer one.Free()
		f, full := memoryFile(one.Data)
		if full != nil {
			closeAll(a.files)
			a.files = nil
			return full
		}
		a.files = append(a.files, f)
		a.Pixels = append(a.Pixels, wirePixels{Pixels: one})
	}
	return err
}

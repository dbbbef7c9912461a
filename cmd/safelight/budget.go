package main

import (
	"context"

	"github.com/safelight/safelight/imaging"
)

// budgeted is the engine of the index, of uploads and of template previews. Each job first takes its estimated memory from
// the budget that requests for pictures have. Set reserve before the first job.
type budgeted struct {
	imaging.Engine
	reserve func(ctx context.Context, engine imaging.Engine, src imaging.Source, ops imaging.Operations, limits imaging.Limits, describe bool) (release func(), err error)
}

// Process implements imaging.Engine.
func (b *budgeted) Process(ctx context.Context, src imaging.Source, ops imaging.Operations, limits imaging.Limits) (*imaging.Result, error) {
	release, err := b.reserve(ctx, b.Engine, src, ops, limits, false)
	if err != nil {
		return nil, err
	}
	defer release()
	return b.Engine.Process(ctx, src, ops, limits)
}

// Info implements imaging.Engine.
func (b *budgeted) Info(ctx context.Context, src imaging.Source, req imaging.InfoRequest, limits imaging.Limits) (*imaging.Info, error) {
	release, err := b.reserve(ctx, b.Engine, src, req.Operations, limits, true)
	if err != nil {
		return nil, err
	}
	defer release()
	return b.Engine.Info(ctx, src, req, limits)
}

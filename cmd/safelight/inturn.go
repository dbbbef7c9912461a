package main

import (
	"context"

	"github.com/safelight/safelight/imaging"
)

// inTurn is the engine of the index, of uploads and of template previews. Each job first waits for its turn among the requests
// for pictures. Set takeTurn before the first job.
type inTurn struct {
	imaging.Engine
	takeTurn func(
		ctx context.Context, engine imaging.Engine, src imaging.Source, ops imaging.Operations, limits imaging.Limits, describe bool,
	) (release func(), err error)
}

// Process implements imaging.Engine.
func (e *inTurn) Process(
	ctx context.Context, src imaging.Source, ops imaging.Operations, limits imaging.Limits,
) (*imaging.Result, error) {
	release, err := e.takeTurn(ctx, e.Engine, src, ops, limits, false)
	if err != nil {
		return nil, err
	}
	defer release()
	return e.Engine.Process(ctx, src, ops, limits)
}

// Info implements imaging.Engine.
func (e *inTurn) Info(
	ctx context.Context, src imaging.Source, req imaging.InfoRequest, limits imaging.Limits,
) (*imaging.Info, error) {
	release, err := e.takeTurn(ctx, e.Engine, src, req.Operations, limits, true)
	if err != nil {
		return nil, err
	}
	defer release()
	return e.Engine.Info(ctx, src, req, limits)
}

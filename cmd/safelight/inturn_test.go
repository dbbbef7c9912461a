package main

import (
	"context"
	"slices"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// recorder notes what an engine is asked for.
type recorder struct {
	imaging.Engine
	said []string
}

// Process implements imaging.Engine.
func (r *recorder) Process(
	context.Context,
	imaging.Source,
	imaging.Operations,
	imaging.Limits,
) (*imaging.Result, error) {
	r.said = append(r.said, "process")
	return nil, nil
}

// Info implements imaging.Engine.
func (r *recorder) Info(context.Context, imaging.Source, imaging.InfoRequest, imaging.Limits) (*imaging.Info, error) {
	r.said = append(r.said, "info")
	return nil, nil
}

// TestTurnOfBackgroundWork checks that the work of the index and of template previews waits for its turn, and ends it,
// and that rejected work does not begin.
func TestTurnOfBackgroundWork(t *testing.T) {
	engine, refused := &recorder{}, error(nil)
	b := &queuedEngine{
		Engine: engine,
		admit: func(context.Context, imaging.Engine, imaging.Source, imaging.Operations, imaging.Limits, bool) (
			func(), error) {
			engine.said = append(engine.said, "turn")
			return func() { engine.said = append(engine.said, "release") }, refused
		},
	}
	both := func() (errs [2]error) {
		_, errs[0] = b.Process(t.Context(), imaging.Source{}, imaging.Operations{}, imaging.Limits{})
		_, errs[1] = b.Info(t.Context(), imaging.Source{}, imaging.InfoRequest{}, imaging.Limits{})
		return errs
	}
	if errs := both(); errs != [2]error{} ||
		!slices.Equal(engine.said, []string{"turn", "process", "release", "turn", "info", "release"}) {
		t.Errorf("%v, %v", engine.said, errs)
	}
	engine.said, refused = nil, fault.New(fault.Overloaded, "no turn")
	if errs := both(); errs != [2]error{refused, refused} || !slices.Equal(engine.said, []string{"turn", "turn"}) {
		t.Errorf("without a turn: %v, %v", engine.said, errs)
	}
}

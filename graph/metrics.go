package graph

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/timeseries"
)

// ServerMetrics resolves serverMetrics.
func (q query) ServerMetrics(_ context.Context, after *string) (*timeseries.Hour, error) {
	if q.rules.Figures == nil {
		return nil, fault.New(fault.Unavailable, "this server keeps no metrics")
	}
	return q.rules.Figures.Last(value(after)), nil
}

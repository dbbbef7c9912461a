package graph

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/timeseries"
)

// LastHour answers lastHour.
func (q query) LastHour(_ context.Context, after *string) (*timeseries.Hour, error) {
	if q.rules.Figures == nil {
		return nil, fault.New(fault.Unavailable, "this server keeps no figures")
	}
	cursor := ""
	if after != nil {
		cursor = *after
	}
	return q.rules.Figures.Last(cursor), nil
}

package main

import (
	"log/slog"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/vips"
)

// openEngine starts libvips. close lets the jobs under way finish.
func openEngine(s *Settings, log *slog.Logger) (engine imaging.Engine, close func(), err error) {
	e, err := vips.New(vips.Config{Concurrency: 1, Log: log, PreviewBytes: s.PreviewCache, AVIFEffort: 9 - s.AVIFSpeed, WebPEffort: s.WebPEffort})
	if err != nil {
		return nil, nil, err
	}
	return e, func() { _ = e.Close() }, nil // Close returns no error but nil
}

package main

import (
	"log/slog"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/vips"
)

// openEngine starts libvips. close lets the jobs under way finish.
func openEngine(s *Settings, log *slog.Logger) (engine imaging.Engine, close func(), err error) {
	c := s.Engine
	c.Concurrency, c.Log, c.AVIFEffort = 1, log, 9-s.AVIFSpeed
	e, err := vips.New(c)
	if err != nil {
		return nil, nil, err
	}
	return e, func() { _ = e.Close() }, nil // Close returns no error but nil
}

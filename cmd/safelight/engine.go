package main

import (
	"log/slog"
	"runtime"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/vips"
	"github.com/safelight/safelight/imaging/worker"
)

// openEngine starts libvips. close waits for running jobs.
func openEngine(s *Settings, log *slog.Logger, change ...func(*vips.Config)) (engine *vips.Engine, close func(),
	err error) {
	c := s.Engine
	c.Log, c.Efforts = log, s.efforts()
	for _, f := range change {
		f(&c)
	}
	engine, err = vips.New(c)
	if err != nil {
		return nil, nil, err
	}
	return engine, func() { _ = engine.Close() }, nil // Close always returns nil
}

// efforts returns the efforts of the encoders. The setting speed decides, unless avif-speed or webp-effort differ from
// their defaults.
func (s *Settings) efforts() map[imaging.Format]int {
	efforts := map[imaging.Format]int{imaging.PNG: imaging.PNG.EffortAt(s.Speed)}
	for f, n := range map[imaging.Format]int{imaging.AVIF: 9 - s.AVIFSpeed, imaging.WebP: s.WebPEffort} {
		if n == f.Traits().Effort {
			n = f.EffortAt(s.Speed)
		}
		efforts[f] = n
	}
	return efforts
}

// unisolated configures the engine in this process to refuse the formats that workers decode.
func (s *Settings) unisolated(c *vips.Config) {
	isolation := imaging.Isolation(s.Isolation)
	if isolation == imaging.IsolateAll {
		c.PreviewBytes = 0 // the workers have their own preview caches
	}
	for _, t := range imaging.Formats() {
		if isolation.Isolates(imaging.Header{Format: t.Format}, "") {
			c.Refused = append(c.Refused, t.Format)
		}
	}
}

// isolate puts worker processes in front of the engine, as configured. unchecked is the engine for files that nothing
// has decoded yet: uploads, and files that the index finds. close ends the workers. Without isolation, workers only
// draw texts in uploaded fonts.
func isolate(s *Settings, engine worker.Engine, log *slog.Logger) (routed, unchecked imaging.Engine, close func(),
	err error) {
	pool, err := worker.New(workerConfig(s, log), engine)
	if err != nil {
		return nil, nil, nil, err
	}
	if unchecked = pool; imaging.Isolation(s.Isolation) != imaging.IsolateNone {
		unchecked = pool.Isolated()
	}
	return pool, unchecked, func() { _ = pool.Close() }, nil
}

func workerConfig(s *Settings, log *slog.Logger) worker.Config {
	c := s.Workers
	c.Mode, c.Log, c.Workers = imaging.Isolation(s.Isolation), log, s.Server.Workers
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	c.Budget = memoryLimit(s) / 2 // the memory that requests share, see serverConfig
	c.Engine = worker.EngineConfig{Efforts: s.efforts(), PreviewBytes: s.Engine.PreviewBytes / int64(c.Workers+2)}
	c.Engine.PreviewBytes = min(c.Engine.PreviewBytes, c.MemoryLimit/4)
	return c
}

// openWorkerEngine starts libvips in a worker process.
func openWorkerEngine(c worker.EngineConfig, log *slog.Logger) (worker.Engine, error) {
	return vips.New(vips.Config{Log: log, Efforts: c.Efforts, PreviewBytes: c.PreviewBytes,
		Planned: c.Planned})
}

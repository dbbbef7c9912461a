package main

import (
	"runtime"
	"time"

	"github.com/safelight/safelight/graph"
	"github.com/safelight/safelight/server"
)

// graphConfig turns settings into those of GraphQL: its own defaults, for none is the operator's.
func graphConfig(*Settings) graph.Config { return graph.Config{} }

// serverConfig turns settings into the server's.
func serverConfig(s *Settings) server.Config {
	workers := s.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return server.Config{
		Unsafe:          s.Unsafe,
		AutoFormat:      s.AutoFormat,
		Limits:          limits(s),
		LoadTimeout:     s.LoadTimeout,
		Workers:         workers,
		Queue:           s.Queue,
		QueueTimeout:    s.QueueTimeout,
		Memory:          memoryLimit(s) / 2, // the other half is Go's, see limitGoMemory
		ShutdownDelay:   s.ShutdownDelay,
		ShutdownTimeout: s.ShutdownTimeout,
		MaxUploadBytes:  s.MaxSourceBytes,

		MaxAge:               maxAge(s),
		StaleWhileRevalidate: s.StaleRevalid,
		ClientHints:          s.ClientHints,
		Origins:              s.Origins,
		RateLimit:            s.RateLimit,
		TrustedProxies:       s.TrustedProxies,
	}
}

// maxAge is the setting, whose 0 means no time at all; the server's means its default.
func maxAge(s *Settings) time.Duration {
	if s.MaxAge == 0 {
		return -1
	}
	return s.MaxAge
}

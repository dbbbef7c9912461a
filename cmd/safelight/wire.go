package main

import (
	"net/url"
	"runtime"

	"github.com/safelight/safelight/graph"
	"github.com/safelight/safelight/server"
)

// graphConfig turns settings into those of GraphQL: its own defaults, for none is the operator's.
func graphConfig(*Settings) graph.Config { return graph.Config{} }

// serverConfig returns the server's settings with those that it shares with other packages or that need a translation.
func serverConfig(s *Settings) server.Config {
	c := s.Server
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.MaxAge == 0 { // the setting's 0 is no time at all, the server's 0 is its default
		c.MaxAge = -1
	}
	c.AppOrigin = originOf(s.BaseURL)
	c.Guest = s.Accounts.Guest
	c.Limits = s.Limits
	c.MaxUploadBytes = s.Limits.MaxSourceBytes
	c.Memory = memoryLimit(s) / 2 // the other half is Go's, see limitGoMemory
	return c
}

// originOf is an address without its path; empty for an empty one.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

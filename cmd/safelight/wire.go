package main

import (
	"context"
	"net/url"
	"runtime"

	"github.com/safelight/safelight/graph"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/server/admission"
)

// graphConfig returns the limits of GraphQL operations. The server lends the memory of their answers.
func graphConfig(s *Settings) graph.Config {
	c := s.GraphQL
	c.MemoryOf = func(ctx context.Context) graph.Memory { return admission.LoanOf(ctx) }
	return c
}

// serverConfig returns the server's settings, with those that other packages share or that need a conversion.
func serverConfig(s *Settings) server.Config {
	c := s.Server
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.MaxAge == 0 { // 0 means no time in the setting, the default in the server
		c.MaxAge = -1
	}
	c.AppOrigin = originOf(s.BaseURL)
	c.Guest = s.Accounts.Guest
	c.Limits = s.Limits
	c.MaxUploadBytes = s.Limits.MaxSourceBytes
	c.Memory = memoryLimit(s) / 2 // the other half is Go's, see limitGoMemory
	return c
}

// originOf returns a URL without its path; empty for an empty one.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

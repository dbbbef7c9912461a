package remote

import (
	"crypto/x509"
	"net/netip"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
)

// Config says what may be fetched, and within which limits. The zero value fetches nothing.
type Config struct {
	// Hosts are patterns of hosts that may be fetched: "images.example.com"; "*.example.com", which matches every name
	// below example.com, but not example.com itself; "*", which matches every host. A pattern may have a ":port";
	// without a port, it matches the ports 80 and 443. Empty: every host is rejected.
	Hosts []string
	// MaxBytes is the max size of a body; 0: no limit.
	MaxBytes int64
	// Timeout limits a whole download including redirects; 0: 30 s.
	Timeout time.Duration
	// UserAgent is sent with each request; empty: "Safelight".
	UserAgent string
	// AllowPrivate are prefixes to which connections are allowed although they are not public.
	AllowPrivate []netip.Prefix

	hooks hooks
}

// hooks replace the network and the clock in tests; nil values use the real ones.
type hooks struct {
	resolve func(hostPort string) string // returns the address to connect to instead, which is checked like any other
	roots   *x509.CertPool
	now     func() time.Time
}

// complete returns c with its defaults, or fault.Invalid.
func (c Config) complete() (Config, error) {
	if c.MaxBytes < 0 || c.Timeout < 0 {
		return c, fault.New(fault.Invalid, "a limit of remote pictures is negative")
	}
	if c.Timeout == 0 {
		c.Timeout = 30 * time.Second
	}
	if c.UserAgent == "" {
		c.UserAgent = "Safelight"
	}
	if strings.ContainsFunc(c.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		return c, fault.New(fault.Invalid, "the user agent %q is not printable ASCII", c.UserAgent)
	}
	for _, p := range c.AllowPrivate {
		if !p.IsValid() || p.Addr().Is4In6() {
			return c, fault.New(fault.Invalid, "the prefix %s cannot be allowed, expected one such as 10.0.0.0/8", p)
		}
	}
	if c.hooks.now == nil {
		c.hooks.now = time.Now
	}
	return c, nil
}

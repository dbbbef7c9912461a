package remote

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const maxHeader = 64 << 10 // bytes of a response's head

// newTransport returns the one transport of a Fetcher. There is no http.Client around it: that would
// add cookies and a Referer, and read redirects before follow can judge them.
func newTransport(c Config) *http.Transport {
	d := &net.Dialer{Timeout: c.ConnectTimeout, Control: guard(c.AllowPrivate)}
	dial := d.DialContext
	if c.hooks.resolve != nil {
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return d.DialContext(ctx, network, c.hooks.resolve(address))
		}
	}
	return &http.Transport{
		Proxy:                  nil, // a proxy would resolve names where guard cannot see the address
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.hooks.roots},
		TLSHandshakeTimeout:    c.ConnectTimeout,
		ResponseHeaderTimeout:  c.HeaderTimeout,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        time.Minute,
	}
}

package remote

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// connectTimeout limits name resolution together with connecting, and separately the TLS handshake.
const connectTimeout = 5 * time.Second

// headerTimeout limits the wait for the header of a response.
const headerTimeout = 10 * time.Second

const maxHeader = 64 << 10 // max bytes of a response's header

// newTransport returns the transport of a Fetcher. It is used without an http.Client, which would follow redirects
// before they are checked, and add a Referer.
func newTransport(c Config) *http.Transport {
	d := &net.Dialer{Timeout: connectTimeout, Control: Guard(c.AllowPrivate)}
	dial := d.DialContext
	if c.hooks.resolve != nil {
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return d.DialContext(ctx, network, c.hooks.resolve(address))
		}
	}
	return &http.Transport{
		Proxy:                  nil, // a proxy would resolve names itself, so Guard would not see the address
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.hooks.roots},
		TLSHandshakeTimeout:    connectTimeout,
		ResponseHeaderTimeout:  headerTimeout,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        time.Minute,
	}
}

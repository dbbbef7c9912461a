//go:build gs || azblob

package storage

import (
	"net"
	"net/url"
	"time"

	"github.com/safelight/safelight/fault"
)

const (
	firstPause = 200 * time.Millisecond // time before a request is repeated
	lastPause  = 2 * time.Second
	// cloudPart is the size, in bytes, of the parts in which an object is uploaded; Google requires a multiple of 256
	// KiB.
	cloudPart = 16 << 20
)

// checkEndpoint returns fault.Invalid for an endpoint that is not a URL, or that would receive a token without TLS.
func checkEndpoint(endpoint string, anonymous bool) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return fault.OnField(fault.Invalid, "storage", "the endpoint %q is not a URL of scheme and host, expected "+
			"one such as https://storage.example.com", shownEndpoint(endpoint))
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && !anonymous && u.Hostname() != "localhost" &&
		(ip == nil || !ip.IsLoopback()) {
		return fault.OnField(fault.Invalid, "storage", "the endpoint %q is http, expected https: a token is sent "+
			"to it. With anonymous=true none is", shownEndpoint(endpoint))
	}
	return nil
}

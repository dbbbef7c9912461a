package remote

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
)

const maxURL = 8 << 10 // bytes

// target is a URL in canonical form, so that the checks and the HTTP client see the same host and port.
type target struct {
	url  *url.URL   // canonical, without fragment
	host string     // lower case, IPv6 without brackets
	addr netip.Addr // not valid when host is a name
	port uint16
}

// key returns the URL by which downloads are shared and cached.
func (t target) key() string { return t.url.String() }

// place returns the host for a message, with the port if it is not the default of the scheme.
func (t target) place() string { return t.url.Host }

// parseTarget parses an untrusted URL. Its error, fault.Invalid, says what is wrong with the URL.
func parseTarget(raw string) (target, error) {
	if len(raw) > maxURL {
		return target{}, fault.New(fault.Invalid, "the URL has %d bytes, expected at most %d", len(raw), maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return target{}, fault.Wrap(reason(err), fault.Invalid, "the URL cannot be read")
	}
	return newTarget(u)
}

// newTarget makes a target of u without changing u.
func newTarget(u *url.URL) (target, error) {
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return target{}, fault.New(fault.Invalid, "the scheme of the URL is %q, expected http or https", u.Scheme)
	}
	if u.User != nil {
		return target{}, fault.New(fault.Invalid, "the URL has a user name, expected none")
	}
	if u.Opaque != "" || u.Host == "" {
		return target{}, fault.New(fault.Invalid, "the URL has no host, expected %s://host/path", scheme)
	}
	host, addr, err := parseHost(u.Hostname(), strings.HasPrefix(u.Host, "["))
	if err != nil {
		return target{}, err
	}
	port, err := parsePort(u.Port(), scheme)
	if err != nil {
		return target{}, err
	}
	clean := *u
	clean.Scheme, clean.Fragment, clean.RawFragment = scheme, "", ""
	clean.Host = joinHost(host, port, scheme)
	if clean.Path == "" {
		clean.Path = "/"
	}
	// url.Parse accepts a space in a query, which would end the target in the request line.
	clean.RawQuery = strings.ReplaceAll(clean.RawQuery, " ", "%20")
	return target{url: &clean, host: host, addr: addr, port: port}, nil
}

func parsePort(s, scheme string) (uint16, error) {
	if s == "" {
		return usualPort(scheme), nil
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 || s[0] == '0' {
		return 0, fault.New(fault.Invalid, "the port %q is invalid, expected 1 to 65535", s)
	}
	return uint16(n), nil
}

func usualPort(scheme string) uint16 {
	if scheme == "https" {
		return 443
	}
	return 80
}

func joinHost(host string, port uint16, scheme string) string {
	if port != usualPort(scheme) {
		return net.JoinHostPort(host, strconv.Itoa(int(port)))
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

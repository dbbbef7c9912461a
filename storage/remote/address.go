package remote

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// ErrNotPublic is the cause of every rejected address. Nothing is sent to such an address.
var ErrNotPublic = errors.New("address is not public")

// special are blocks that are not public: private and reserved ones, and those that embed IPv4 addresses.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),        // this network
	netip.MustParsePrefix("10.0.0.0/8"),       // private
	netip.MustParsePrefix("100.64.0.0/10"),    // carrier-grade NAT
	netip.MustParsePrefix("127.0.0.0/8"),      // loopback
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's host service, a public address only by its number
	netip.MustParsePrefix("169.254.0.0/16"),   // link-local, cloud metadata
	netip.MustParsePrefix("172.16.0.0/12"),    // private
	netip.MustParsePrefix("192.0.0.0/24"),     // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),     // documentation
	netip.MustParsePrefix("192.88.99.0/24"),   // 6to4 relays
	netip.MustParsePrefix("192.168.0.0/16"),   // private
	netip.MustParsePrefix("198.18.0.0/15"),    // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"),  // documentation
	netip.MustParsePrefix("203.0.113.0/24"),   // documentation
	netip.MustParsePrefix("224.0.0.0/4"),      // multicast
	netip.MustParsePrefix("240.0.0.0/4"),      // reserved, broadcast
	netip.MustParsePrefix("2001::/23"),        // protocol assignments: Teredo, ORCHID, benchmarks
	netip.MustParsePrefix("2001:db8::/32"),    // documentation
	netip.MustParsePrefix("2002::/16"),        // 6to4
	netip.MustParsePrefix("3fff::/20"),        // documentation
}

// unicast6 is the part of IPv6 that is assigned for public use. It excludes ::, ::1, IPv4-compatible, NAT64,
// discard-only, unique local, link-local, site-local and multicast addresses.
var unicast6 = netip.MustParsePrefix("2000::/3")

// dialable reports whether a is public or within allowed. Addresses with a zone are not.
func dialable(a netip.Addr, allowed []netip.Prefix) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	within := func(p netip.Prefix) bool { return p.Contains(a) }
	if slices.ContainsFunc(allowed, within) {
		return true
	}
	return (a.Is4() || unicast6.Contains(a)) && !slices.ContainsFunc(special, within)
}

// Guard returns a Control function for a net.Dialer that allows only public addresses and those within allowed. The
// dialer calls it after name resolution, so a name cannot pass the check and then resolve to another address.
func Guard(allowed []netip.Prefix) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return fmt.Errorf("%w: %s is not TCP", ErrNotPublic, network)
		}
		ap, err := netip.ParseAddrPort(address)
		if err != nil || !dialable(ap.Addr(), allowed) {
			return fmt.Errorf("%w: %s", ErrNotPublic, address)
		}
		return nil
	}
}

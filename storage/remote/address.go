package remote

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// errNotPublic is the one cause of every refused address: nothing was sent to it.
var errNotPublic = errors.New("address is not public")

// special are the blocks that lead into this network, into another one by embedding, or nowhere.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),        // this network
	netip.MustParsePrefix("10.0.0.0/8"),       // private
	netip.MustParsePrefix("100.64.0.0/10"),    // carrier-grade NAT
	netip.MustParsePrefix("127.0.0.0/8"),      // loopback
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's host, public by number only
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

// unicast6 is all of IPv6 that is handed out for public use. An address outside needs no row of
// its own: ::, ::1, IPv4-compatible, NAT64, discard-only, unique local, link- and site-local, multicast.
var unicast6 = netip.MustParsePrefix("2000::/3")

// dialable says whether a is public or within allowed. A zone is never.
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

// Guard returns what a net.Dialer's Control must be to reach public addresses and those within allowed only.
func Guard(allowed []netip.Prefix) func(network, address string, _ syscall.RawConn) error {
	return guard(allowed)
}

// guard returns the hook that a net.Dialer calls with every address it is about to connect to,
// after name resolution, so that a name cannot answer one thing and mean another.
func guard(allowed []netip.Prefix) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return fmt.Errorf("%w: %s is not TCP", errNotPublic, network)
		}
		ap, err := netip.ParseAddrPort(address)
		if err != nil || !dialable(ap.Addr(), allowed) {
			return fmt.Errorf("%w: %s", errNotPublic, address)
		}
		return nil
	}
}

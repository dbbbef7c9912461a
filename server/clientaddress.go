package server

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// address returns where the request came from: the other end of the connection, or, when that is a
// trusted proxy, who it says it speaks for. Only what trusted proxies appended to X-Forwarded-For is
// believed, so that the client cannot say it is somebody else. It is invalid where there is no address.
func (s *Server) address(c *fiber.Ctx) netip.Addr {
	peer := s.peer(c)
	if !s.trusts(peer) {
		return peer
	}
	hops := strings.Split(field(c, fiber.HeaderXForwardedFor), ",")
	for _, hop := range slices.Backward(hops) {
		a, ok := parseHop(hop)
		if !ok {
			return peer // what a proxy would not write: nothing further left can be believed
		}
		if peer = a; !s.trusts(peer) {
			return peer
		}
	}
	return peer
}

// peer is the other end of the connection, invalid where it has no address.
func (s *Server) peer(c *fiber.Ctx) netip.Addr {
	tcp, ok := c.Context().RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap()
}

func (s *Server) trusts(a netip.Addr) bool {
	return a.IsValid() && slices.ContainsFunc(s.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseHop reads one entry of X-Forwarded-For; some proxies write a port behind the address.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		var ap netip.AddrPort
		ap, err = netip.ParseAddrPort(text)
		a = ap.Addr()
	}
	return a.Unmap().WithZone(""), err == nil
}

package server

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/server/connection"
	"github.com/safelight/safelight/server/limits"
)

// address returns the address of the client: that of the peer or, if the peer is a trusted proxy, that of the client
// for which it forwards the request. It uses only the entries of X-Forwarded-For that trusted proxies have appended, so
// that a client cannot forge its address. The result is invalid if the connection has no address.
func (s *Server) address(c *fiber.Ctx) netip.Addr { return s.config.address(c.Context()) }

func (c *Config) address(r *fasthttp.RequestCtx) netip.Addr {
	peer := connection.Peer(r)
	if !c.trusts(peer) {
		return peer
	}
	hops := strings.Split(joined(&r.Request.Header, fiber.HeaderXForwardedFor), ",")
	for _, hop := range slices.Backward(hops) {
		a, ok := parseHop(hop)
		if !ok {
			return peer // no proxy writes such an entry, so the entries to the left of it cannot be trusted
		}
		if peer = a; !c.trusts(peer) {
			return peer
		}
	}
	return peer
}

// clientOf returns the client that a request counts against in limits and in the queue: the account of its token, or,
// for guests and requests without a token, the network of its address. It is empty for work of the server itself.
func clientOf(ctx context.Context) string {
	if i := auth.FromContext(ctx); !i.IsAnonymous() && i.Role != auth.RoleGuest {
		return i.UserID.String()
	}
	return networkOf(ctx)
}

// networkOf returns the network of the client's address in ctx: an IPv4 address, or the /64 of an IPv6 address. It is
// empty if ctx is not that of a request.
func networkOf(ctx context.Context) string {
	text := auth.AddressFrom(ctx)
	a, err := netip.ParseAddr(text)
	if err != nil {
		return text
	}
	return limits.Network(a).String()
}

func (c *Config) trusts(a netip.Addr) bool {
	return a.IsValid() && slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseHop parses one entry of X-Forwarded-For; some proxies add a port.
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

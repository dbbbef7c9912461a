package connection

import (
	"fmt"
	"net"
	"net/netip"
	"sync"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/server/limits"
)

// Limits bound how many connections are open at once. 0 is no limit.
type Limits struct {
	All       int
	PerClient int                   // max connections of one address; of one /64 in IPv6
	Exempt    func(netip.Addr) bool // addresses that PerClient does not apply to, such as proxies; nil: none
}

// registry holds the open connections.
type registry struct {
	limits Limits

	mu      sync.Mutex
	open    map[*conn]struct{}
	clients map[netip.Prefix]int // open connections by client
	refused uint64
}

func newRegistry(l Limits) *registry {
	return &registry{limits: l, open: map[*conn]struct{}{}, clients: map[netip.Prefix]int{}}
}

// enter adds a connection. At a limit it closes the connection that has been idle for the longest time. If none is
// idle, it adds nothing and returns an error for the client.
func (r *registry) enter(c *conn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if most := r.limits.PerClient; most > 0 && r.clients[c.client] >= most && !r.isExempt(c.peer) {
		if !r.closeIdle(func(other *conn) bool { return other.client == c.client }) {
			r.refused++
			return fmt.Errorf("%s has %d connections with running requests, which is the limit", c.client, most)
		}
	}
	if most := r.limits.All; most > 0 && len(r.open) >= most {
		if !r.closeIdle(func(*conn) bool { return true }) {
			r.refused++
			return fmt.Errorf("the server has %d connections with running requests, which is the limit", most)
		}
	}
	r.open[c] = struct{}{}
	r.clients[c.client]++
	return nil
}

func (r *registry) isExempt(a netip.Addr) bool { return r.limits.Exempt != nil && r.limits.Exempt(a) }

// closeIdle closes the selected connection that has been idle for the longest time; it returns false if none is idle.
// The caller holds mu.
func (r *registry) closeIdle(selected func(*conn) bool) bool {
	var longest *conn
	var since int64
	for c := range r.open {
		if at := c.idle.Load(); at > 0 && (longest == nil || at < since) && selected(c) {
			longest, since = c, at
		}
	}
	if longest == nil {
		return false
	}
	r.remove(longest)
	_ = longest.tcp.Close() // its Read then fails, and the server closes it again
	return true
}

// makeRoom closes an idle connection when the process has no file descriptor or memory for a new one.
func (r *registry) makeRoom() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closeIdle(func(*conn) bool { return true })
}

// leave removes a connection that is being closed.
func (r *registry) leave(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(c)
}

// remove forgets a connection. The caller holds mu.
func (r *registry) remove(c *conn) {
	if _, ok := r.open[c]; !ok {
		return
	}
	delete(r.open, c)
	if r.clients[c.client]--; r.clients[c.client] == 0 {
		delete(r.clients, c.client)
	}
}

// stats returns how many connections are open, and how many have been refused.
func (r *registry) stats() (open int, refused uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open), r.refused
}

// Peer returns the address of the other end of the connection of r, without a zone; invalid if there is none.
func Peer(r *fasthttp.RequestCtx) netip.Addr {
	if c, ok := r.Conn().(*conn); ok {
		return c.peer
	}
	peer, _ := peerOf(r)
	return peer
}

// peerOf returns the address of the other end, and the network that counts as one client.
func peerOf(c interface{ RemoteAddr() net.Addr }) (netip.Addr, netip.Prefix) {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}, netip.Prefix{}
	}
	a := tcp.AddrPort().Addr().Unmap().WithZone("")
	return a, limits.Network(a)
}

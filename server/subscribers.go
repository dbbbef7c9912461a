package server

import (
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// maxSubscribers is the max number of open subscriptions of all clients.
const maxSubscribers = 2000

// subscribers counts open subscriptions by client.
type subscribers struct {
	mu   sync.Mutex
	open map[string]int
	all  int
}

// subscriber returns whose limit counts: the account; for guests, who share one, the address.
func (s *Server) subscriber(c *fiber.Ctx) string {
	if i := auth.FromContext(c.UserContext()); i.Role != auth.RoleGuest {
		return i.UserID.String()
	}
	return network(s.address(c)).String()
}

// enter counts a subscription until leave is called; fault.RateLimited if the client has max open ones.
func (s *subscribers) enter(client string, max int) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[client] >= max || s.all >= maxSubscribers {
		f := fault.New(fault.RateLimited, "this client has %d open subscriptions, expected at most %d; close one first", s.open[client], max)
		f.RetryAfter = time.Second
		return nil, f
	}
	if s.open == nil {
		s.open = map[string]int{}
	}
	s.open[client]++
	s.all++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.open[client]--; s.open[client] == 0 {
			delete(s.open, client)
		}
	}), nil
}

package cache

import (
	"log/slog"
	"sync"
	"time"
)

// restTime is how long a tier that failed is left alone.
const restTime = 5 * time.Second

// pause keeps a tier that fails from being asked again and again; it is logged once when it begins and
// once when it is over.
type pause struct {
	log  *slog.Logger
	what string
	now  func() time.Time

	mu     sync.Mutex
	until  time.Time
	failed bool
}

func (p *pause) on() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed && p.now().Before(p.until)
}

func (p *pause) begin(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = p.now().Add(restTime)
	if !p.failed {
		p.failed = true
		p.log.Warn(p.what+" fail; pictures are served without, and it is tried again every few seconds", "error", err)
	}
}

func (p *pause) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed {
		p.failed = false
		p.log.Info(p.what + " work again")
	}
}

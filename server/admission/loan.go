package admission

import (
	"context"
	"sync"
	"time"
)

// lentShare is the divisor for all loans together: at most MaxMemory/lentShare.
const lentShare = 4

// loanPoll is how often Take looks for free memory.
const loanPoll = 20 * time.Millisecond

// Loan is the memory that the response to one request takes until it is sent. It counts against MaxMemory, so pictures
// wait for it. It does not wait for pictures, because a response is small compared with them. The methods of a nil
// Loan do nothing.
type Loan struct {
	from  *Controller
	mu    sync.Mutex
	bytes int64
}

// Lend returns an empty loan.
func (c *Controller) Lend() *Loan { return &Loan{from: c} }

// Take adds bytes to the loan. It waits until other loans have been returned. The error is fault.Overloaded after
// MaxWait or the deadline of ctx, and fault.Canceled if ctx ends for another reason.
func (l *Loan) Take(ctx context.Context, bytes int64) error {
	if l == nil || bytes <= 0 || l.grow(bytes) {
		return nil
	}
	if wait := l.from.config.MaxWait; wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	poll := time.NewTicker(loanPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			if context.Cause(ctx) == context.DeadlineExceeded {
				return l.from.noLoan()
			}
			return ContextError(ctx)
		case <-poll.C:
			if l.grow(bytes) {
				return nil
			}
		}
	}
}

// Grow adds bytes to the loan without waiting: requests that already hold memory would wait for each other. The error
// is fault.Overloaded.
func (l *Loan) Grow(bytes int64) error {
	if l == nil || l.grow(bytes) {
		return nil
	}
	return l.from.noLoan()
}

func (c *Controller) noLoan() error {
	return Overloaded(c.RetryAfter(), "the answers to other requests use all memory for answers, try again later")
}

// grow adds bytes if they are free. If there is no other loan, any size is granted.
func (l *Loan) grow(bytes int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.from
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit := c.config.MaxMemory; limit > 0 && c.lent > l.bytes && c.lent+bytes > limit/lentShare {
		return false
	}
	l.bytes += bytes
	c.lent += bytes
	c.memory += bytes
	return true
}

// Release returns the loan, which may be used again.
func (l *Loan) Release() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bytes == 0 {
		return
	}
	c := l.from
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lent -= l.bytes
	c.memory -= l.bytes
	l.bytes = 0
	c.dispatch()
}

type loanKey struct{}

// WithLoan returns a context with the loan of a request.
func WithLoan(ctx context.Context, l *Loan) context.Context {
	return context.WithValue(ctx, loanKey{}, l)
}

// LoanOf returns the loan of a request; nil if it has none.
func LoanOf(ctx context.Context) *Loan {
	l, _ := ctx.Value(loanKey{}).(*Loan)
	return l
}

package webhooks

import "time"

// RetryAfter sets a pause before each new attempt, instead of the backoff.
func (c *Config) RetryAfter(d time.Duration) {
	c.retry = func(int, int, string) time.Duration { return d }
}

// Backoff is backoff.
var Backoff = backoff

// InOrder returns the ids of the events of these sources and targets, in the order of their ids from 1, that may be
// sent at the same time.
var InOrder = inOrder

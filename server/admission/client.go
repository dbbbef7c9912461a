package admission

import (
	"cmp"
	"slices"
	"time"
)

// client is an account, an address, or the server itself. Clients share the workers by weighted fair queueing (A.
// Demers, S. Keshav and S. Shenker, 1989): each has a virtual time, the CPU time that its jobs were charged, and the
// one that is least ahead is next. The virtual time of the server is that of a client which always got an equal share;
// a client that had nothing in the queue continues there, so that it saves nothing up.
type client struct {
	name    string
	used    time.Duration // virtual time
	waiting []*job        // in the order of arrival
	running int           // jobs
}

const (
	// minCharge is what a job is charged at least.
	minCharge = time.Millisecond
	// ownFactor is how many times its estimate work of the server itself is charged.
	ownFactor = 4
	// maxClients is how many clients are remembered when they have no jobs and have used more than their share.
	maxClients = 1000
)

// isServer reports whether it is the server itself.
func (q *client) isServer() bool { return q.name == "" }

// charge is what a job of the client costs it.
func (q *client) charge(j *job) time.Duration {
	charge := max(j.cost.CPU, minCharge)
	if q.isServer() {
		charge *= ownFactor
	}
	return charge
}

// after is the virtual time that decides whose turn it is: what a client has used, plus the charge of its next job, of
// which at most lightCPU counts. So among light jobs the smallest come first, and heavy ones are equal.
func (q *client) after(used time.Duration, j *job) time.Duration {
	return used + min(q.charge(j), lightCPU)
}

// turn orders clients: the lowest virtual time first, then the fewest running jobs, then the earliest arrival.
func turn(a, b *client) int {
	return cmp.Or(
		cmp.Compare(a.after(a.used, a.waiting[0]), b.after(b.used, b.waiting[0])),
		cmp.Compare(a.running, b.running), a.waiting[0].arrived.Compare(b.waiting[0].arrived),
	)
}

// spend charges the client, and advances the virtual time of the server by an equal share of all that are active.
func (c *Controller) spend(q *client, charge time.Duration) {
	q.used += charge
	c.virtual += charge / time.Duration(c.active)
}

// join adds the job to the queue of its client.
func (c *Controller) join(j *job) {
	q := j.client
	if len(q.waiting) == 0 {
		if q.running == 0 {
			c.active++
		}
		q.used = max(q.used, c.virtual)
		c.queues = append(c.queues, q)
	}
	at, _ := slices.BinarySearchFunc(q.waiting, j, func(a, b *job) int {
		if a.arrived.After(b.arrived) {
			return 1
		}
		return -1 // jobs that arrive together stay in order
	})
	q.waiting = slices.Insert(q.waiting, at, j)
	c.waiting++
}

// quit takes the job out of the queue of its client; false if it does not wait.
func (c *Controller) quit(j *job) bool {
	q := j.client
	at := slices.Index(q.waiting, j)
	if at < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, at, at+1)
	c.waiting--
	if len(q.waiting) == 0 {
		c.queues = slices.DeleteFunc(c.queues, func(one *client) bool { return one == q })
	}
	c.forget(q)
	return true
}

// forget removes a client without jobs, unless it is ahead of the server's virtual time.
func (c *Controller) forget(q *client) {
	if len(q.waiting) > 0 || q.running > 0 {
		return
	}
	c.active--
	if q.used <= c.virtual || len(c.clients) > maxClients {
		delete(c.clients, q.name)
	}
	if c.active == 0 {
		clear(c.clients)
	}
}

// longest returns the client with the most estimated work in the queue, of those with a job that can be rejected; nil
// if there is none.
func (c *Controller) longest() (longest *client) {
	var most time.Duration
	for _, q := range c.queues {
		var sum time.Duration
		for _, j := range q.waiting {
			sum += q.charge(j)
		}
		if sum > most && slices.ContainsFunc(q.waiting, (*job).isRejectable) {
			longest, most = q, sum
		}
	}
	return longest
}

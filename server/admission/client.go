package admission

import (
	"cmp"
	"slices"
	"time"
)

// client is an account, an address, or the server itself. Clients share the workers by weighted fair queueing (A.
// Demers, S. Keshav and S. Shenker, 1989): each has a virtual time, the CPU time that its jobs were charged, and the
// one that is least ahead is next. The Controller's own virtual time is that of a client which always got an equal
// share. A client whose queue was empty continues at that time, so that it cannot save up credit.
type client struct {
	name    string
	used    time.Duration // virtual time
	waiting []*job        // in the order of arrival
	running int           // jobs
}

const (
	// minCharge is the min charge of a job.
	minCharge = time.Millisecond
	// ownFactor multiplies the charge of jobs of the server itself.
	ownFactor = 4
	// maxClients is the max number of remembered clients that have no jobs and have used more than their share.
	maxClients = 1000
)

// isServer reports whether the client is the server itself.
func (q *client) isServer() bool { return q.name == "" }

// charge returns the CPU time that the client is charged for a job.
func (q *client) charge(j *job) time.Duration {
	charge := max(j.cost.CPU, minCharge)
	if q.isServer() {
		charge *= ownFactor
	}
	return charge
}

// after is the virtual time that decides whose turn it is: what a client has used, plus the charge of its next job, of
// which at most lightCPU counts. So the smallest light jobs come first, and all heavy jobs rank equally.
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

// spend charges the client, and advances the virtual time of the server by an equal share of all active clients.
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

// quit removes the job from its client's queue. It returns false if the job is not waiting.
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

// forget removes a client without jobs, unless it is ahead of the Controller's virtual time.
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

// longest returns the client with the most estimated work in the queue among those that have a rejectable job; nil if
// there is none.
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

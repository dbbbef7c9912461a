package admission

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// crowd is clients of a Controller, whose jobs take exactly their estimates.
type crowd struct {
	*testing.T
	*Controller
	wait sync.WaitGroup

	mu      sync.Mutex
	order   []string                   // clients, as their jobs started
	waited  map[string][]time.Duration // of jobs that started
	refused map[string]int
}

func newCrowd(t *testing.T, c Config) *crowd {
	return &crowd{T: t, Controller: New(c), waited: map[string][]time.Duration{}, refused: map[string]int{}}
}

// ask has a client ask for a job that takes that long, which may differ from its estimate.
func (c *crowd) ask(client string, cost imaging.Cost, takes time.Duration) (ok bool) {
	began := time.Now()
	release, err := c.Enter(c.Context(), Work{Client: client, Cost: cost})
	c.mu.Lock()
	if err != nil {
		c.refused[client]++
		c.mu.Unlock()
		if f := fault.Of(err); f.Code != fault.Overloaded || f.RetryAfter <= 0 {
			c.Errorf("%s: %v", client, err)
		}
		return false
	}
	c.order = append(c.order, client)
	c.waited[client] = append(c.waited[client], time.Since(began))
	c.mu.Unlock()
	time.Sleep(takes)
	release()
	return true
}

// connection asks for one job after the other until the deadline; a refused one tries again after a second.
func (c *crowd) connection(client string, cost imaging.Cost, takes time.Duration, until time.Time) {
	c.wait.Go(func() {
		for time.Now().Before(until) {
			if !c.ask(client, cost, takes) {
				time.Sleep(time.Second)
			}
		}
	})
}

// TestFloodBesideThumbnails holds how long the thumbnails of one client wait beside twenty connections of heavy jobs,
// from one client and from twenty, whatever their estimates: none waits for a heavy job, and none is refused.
func TestFloodBesideThumbnails(t *testing.T) {
	const thumbnail = 20 * time.Millisecond
	for name, flood := range map[string]struct {
		slots    int
		clients  int
		cost     imaging.Cost
		takes    time.Duration
		mostWait time.Duration
	}{
		"one client":     {2, 1, cpu(2 * time.Second), 2 * time.Second, thumbnail},
		"one worker":     {1, 1, cpu(2 * time.Second), 2 * time.Second, thumbnail},
		"twenty clients": {2, 20, cpu(2 * time.Second), 2 * time.Second, thumbnail},
		"many workers":   {8, 20, cpu(20 * time.Second), 20 * time.Second, thumbnail},
		"estimates unknown": {2, 1, imaging.Cost{CPU: 100 * time.Millisecond, Unknown: true}, 20 * time.Second,
			thumbnail},
		"just light, one client":   {2, 1, cpu(lightCPU), lightCPU, lightCPU},
		"just light, many clients": {2, 20, cpu(lightCPU), lightCPU, 1500 * time.Millisecond},
		"most of the memory": {
			4, 1, imaging.Cost{CPU: time.Second, Memory: 300}, time.Second, thumbnail,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(t, Config{Slots: flood.slots, Queue: 100, MaxWait: 2 * time.Second, MaxMemory: 1000})
				until := time.Now().Add(time.Minute)
				for n := range 20 {
					c.connection(fmt.Sprintf("flood %d", n%flood.clients), flood.cost, flood.takes, until)
				}
				time.Sleep(time.Second)
				light := imaging.Cost{CPU: thumbnail, Memory: 50}
				c.connection("visitor", light, thumbnail, until)
				c.wait.Wait()
				waited := c.waited["visitor"]
				if c.refused["visitor"] > 0 || len(waited) < 30 || slices.Max(waited) > flood.mostWait {
					t.Errorf("%d thumbnails, %d refused, waited up to %v, want at most %v",
						len(waited), c.refused["visitor"], slices.Max(waited), flood.mostWait)
				}
				if s := c.Stats(); s.Running+s.Waiting+int(s.Memory) != 0 || len(c.clients)+len(c.queues) != 0 {
					t.Errorf("%+v, %d clients are left", s, len(c.clients))
				}
			})
		})
	}
}

// TestShares: clients that always have work get the same CPU time, whatever the size of their jobs and the number of
// their connections; the server itself gets a quarter of that.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Config{Slots: 2, Queue: 100})
		until := time.Now().Add(time.Minute)
		for range 20 {
			c.connection("large jobs", cpu(200*time.Millisecond), 200*time.Millisecond, until)
		}
		for range 4 {
			c.connection("small jobs", cpu(10*time.Millisecond), 10*time.Millisecond, until)
			c.connection("", cpu(100*time.Millisecond), 100*time.Millisecond, until)
		}
		c.wait.Wait()
		large := 200 * len(c.waited["large jobs"])
		small := 10 * len(c.waited["small jobs"])
		own := 100 * len(c.waited[""])
		if large < small*9/10 || small < large*9/10 || own < large/5 || own > large/3 {
			t.Errorf(
				"milliseconds of CPU: %d for large jobs, %d for small ones, %d for the server itself", large,
				small, own,
			)
		}
	})
}

// TestLongerThanEstimated: a client whose jobs take longer than estimated has its turn less often.
func TestLongerThanEstimated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Config{Slots: 1, Queue: 100})
		until := time.Now().Add(time.Minute)
		unknown := imaging.Cost{CPU: 100 * time.Millisecond, Unknown: true}
		for range 5 {
			c.connection("long", unknown, 2*time.Second, until)
			c.connection("as estimated", cpu(500*time.Millisecond), 500*time.Millisecond, until)
		}
		c.wait.Wait()
		long, short := 4*len(c.waited["long"]), len(c.waited["as estimated"])
		if long > 3*short/2 || short > 3*long/2 {
			t.Errorf("half seconds of CPU: %d for jobs that take long, %d for others", long, short)
		}
		if ratio := c.Stats().SpeedRatio; ratio != 1 {
			t.Errorf("guesses count for the speed of the machine: %v", ratio)
		}
	})
}

// TestNewcomerAfterAWhile: a client that was idle saves nothing up, and one that comes back is not behind.
func TestNewcomerAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Config{Slots: 1, Queue: 100})
		second := cpu(100 * time.Millisecond)
		until := time.Now().Add(20 * time.Second)
		c.connection("a", second, second.CPU, until)
		c.connection("a", second, second.CPU, until)
		time.Sleep(10 * time.Second)
		c.mu.Lock()
		before := len(c.order)
		c.mu.Unlock()
		c.connection("b", second, second.CPU, until)
		c.connection("b", second, second.CPU, until)
		c.wait.Wait()
		a := 0
		for _, client := range c.order[before:][:40] {
			if client == "a" {
				a++
			}
		}
		if a < 18 || a > 22 {
			t.Errorf("%d of the first 40 jobs are of the client that came first, want half", a)
		}
	})
}

// TestFullQueue: when the queue is full, the client with the most work in it loses its last job, not the one that
// comes.
func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 1, Queue: 3})
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		results := map[string]chan error{}
		enter := func(name string, w Work) {
			results[name] = make(chan error, 1)
			go func() {
				_, err := c.Enter(ctx, w)
				results[name] <- err
			}()
			synctest.Wait()
			time.Sleep(time.Millisecond)
		}
		enter("running", Work{Client: "flood", Cost: cpu(time.Second)})
		enter("first", Work{Client: "flood", Cost: cpu(time.Second)})
		enter("second", Work{Client: "flood", Cost: cpu(time.Second)})
		enter("kept", Work{Client: "flood", Cost: cpu(time.Second), Arrived: time.Now()})
		enter("visitor", Work{Client: "visitor", Cost: cpu(500 * time.Millisecond)})
		select {
		case err := <-results["second"]:
			if f := fault.Of(err); f == nil || f.Code != fault.Overloaded || f.RetryAfter < time.Second {
				t.Errorf("the last job of the flood: %v", err)
			}
		default:
			t.Error("the last job of the flood waits")
		}
		enter("third", Work{Client: "flood", Cost: cpu(time.Second)})
		if err := <-results["third"]; fault.CodeOf(err) != fault.Overloaded {
			t.Errorf("one more of the flood: %v", err)
		}
		if err := c.RejectEarly("flood"); fault.CodeOf(err) != fault.Overloaded {
			t.Errorf("one more of the flood is not rejected early: %v", err)
		}
		if err := c.RejectEarly("visitor"); err != nil {
			t.Errorf("one more of the visitor: %v", err)
		}
		for _, name := range []string{"first", "kept", "visitor"} {
			if len(results[name]) != 0 {
				t.Errorf("%s does not wait: %v", name, <-results[name])
			}
		}
		if s := c.Stats(); s.Waiting != 3 || s.QueueFull != 3 {
			t.Errorf("%+v", s)
		}
	})
}

// TestOwnWork: work of the server itself is not rejected, and its deadline does not look like a picture that takes too
// long.
func TestOwnWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 1, Queue: 1, MaxWait: time.Second})
		release, _ := c.Enter(t.Context(), Work{Client: "a", Cost: cpu(time.Hour)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if _, err := c.Enter(ctx, Work{Cost: cpu(time.Second)}); fault.CodeOf(err) != fault.Overloaded ||
			time.Since(began) != time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		done := make(chan error, 1)
		go func() { _, err := c.Enter(t.Context(), Work{Cost: cpu(time.Second)}); done <- err }()
		time.Sleep(time.Hour)
		release()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestMaxClients bounds what is remembered of clients whose jobs took longer than estimated.
func TestMaxClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 2 * maxClients, Queue: 1})
		release, _ := c.Enter(t.Context(), Work{Client: "stays"})
		for n := range 2 * maxClients {
			end, err := c.Enter(t.Context(), Work{Client: fmt.Sprint(n)})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(n+2) * time.Second)
			end()
		}
		if n := len(c.clients); n > maxClients+1 || n < maxClients/2 {
			t.Errorf("%d clients are remembered", n)
		}
		if release(); len(c.clients) != 0 {
			t.Errorf("%d clients are remembered when nothing runs", len(c.clients))
		}
	})
}

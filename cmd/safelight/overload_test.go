package main

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// testOverload is how long TestOverload sends too much; `make overload` sets it. Without it, it is a short round.
const testOverload = "SAFELIGHT_TEST_OVERLOAD"

const (
	overloadFactor   = 10
	overloadInFlight = 5000 // requests; what would be more is not sent, and said
	overloadMemory   = 1 << 30
	overloadPatience = 2 * time.Second // the default of queue-timeout
)

// overload is a server under more load than its capacity, and the responses.
type overload struct {
	*realServer
	token   string
	workers int
	serial  atomic.Int64
}

// TestOverload measures how much the program does when it is asked for as much as it can do, then sends ten times that,
// at a steady rate that no answer slows down. It prints a table, and holds what does not depend on the clock: every
// answer is a picture or a 503 with Retry-After, memory stays under its limit, the API and cached results answer, and
// it recovers.
func TestOverload(t *testing.T) {
	if testing.Short() {
		t.Skip("TestSiege has its heavy requests")
	}
	length := 4 * time.Second
	if text := os.Getenv(testOverload); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	o := &overload{realServer: startReal(t, "--result-cache", "memory", "--memory-limit", "1GiB")}
	o.photo("photo.jpg", 4000, 3000)
	o.token, o.workers = o.login(), int(o.metric("safelight_workers"))
	o.closed(length / 8) // warm
	load := machineLoad()
	peak := o.closed(max(length/3, 2*time.Second))
	if peak.rate() == 0 {
		t.Fatalf("no picture was made: %s", peak)
	}
	api, cached, over := o.flood(overloadFactor*peak.rate(), length)
	recovered := o.recovery(peak)
	rss := o.process("VmHWM")
	after := o.closed(max(length/3, 2*time.Second)) // neighbours on the machine come and go
	limit := (peak.rate() + after.rate()) / 2
	t.Logf("load of the machine before: %s; %d workers", load, o.workers)
	goal := func(met bool) string {
		if met {
			return "met"
		}
		return "missed"
	}
	ratio := over.rate() / limit
	row := func(name, value, goal string) { t.Logf("| %-44s | %-34s | %-6s |", name, value, goal) }
	row(
		"limit, pictures/s: before, after",
		fmt.Sprintf("%.1f, %.1f; p99 %s, %s", peak.rate(), after.rate(), ms(peak.made.at(99)), ms(after.made.at(99))),
		"",
	)
	row(
		"sent, requests/s",
		fmt.Sprintf("%.0f (%d left out)", float64(over.sent.Load())/over.lasted.Seconds(), over.skipped.Load()),
		"",
	)
	row("goodput, pictures/s", fmt.Sprintf("%.1f", over.rate()), "")
	row("goodput / limit, at least 0.9", fmt.Sprintf("%.2f", ratio), goal(ratio >= 0.9))
	row(
		"server's CPU a picture",
		fmt.Sprintf("%s; %s, %s at the limit", ms(over.cpuEach()), ms(peak.cpuEach()), ms(after.cpuEach())),
		"",
	)
	row(
		"server's CPU, cores",
		fmt.Sprintf("%.2f; %.2f, %.2f at the limit", over.cores(), peak.cores(), after.cores()), "",
	)
	row(
		"made: p50, p99, under queue-timeout", ms(over.made.at(50))+", "+ms(over.made.at(99)),
		goal(over.made.at(99) < overloadPatience),
	)
	row(
		"refused with Retry-After: p50, p99",
		fmt.Sprintf("%d: %s, %s", over.refused.count(), ms(over.refused.at(50)), ms(over.refused.at(99))), "",
	)
	row(
		"/api (me, folders): p50, p99, under 100 ms", fmt.Sprintf("%s, %s", ms(api.at(50)), ms(api.at(99))),
		goal(api.at(99) < 100*time.Millisecond),
	)
	row("cached results: p50, p99", ms(cached.at(50))+", "+ms(cached.at(99)), "")
	row(
		"highest RSS, under memory-limit", fmt.Sprintf("%d MB of %d", rss>>20, overloadMemory>>20),
		goal(rss < overloadMemory),
	)
	row("normal again, within 5 s", ms(recovered), goal(recovered < 5*time.Second))
	if wrong := over.wrong.Load() + peak.wrong.Load() + after.wrong.Load(); wrong > 0 {
		t.Errorf("%d answers were neither a picture nor a 503 with Retry-After", wrong)
	}
	if over.made.count() == 0 || over.refused.count() == 0 || api.count() == 0 || cached.count() == 0 {
		t.Error("one kind of answers is missing")
	}
	if rss >= overloadMemory {
		t.Errorf("%d MB were resident, the limit is %d MB", rss>>20, overloadMemory>>20)
	}
}

// phase is what became of the requests of a while.
type phase struct {
	made, refused        times
	wrong, sent, skipped atomic.Int64
	lasted               time.Duration // until the last request was sent
	inTime               atomic.Int64  // pictures that came while requests were sent
	cpu                  time.Duration // of the server meanwhile
}

func (p *phase) rate() float64 { return float64(p.inTime.Load()) / p.lasted.Seconds() }

func (p *phase) cores() float64 { return p.cpu.Seconds() / p.lasted.Seconds() }

func (p *phase) cpuEach() time.Duration { return p.cpu / time.Duration(max(1, p.inTime.Load())) }

func (p *phase) String() string {
	return fmt.Sprintf("%d made, %d refused, %d wrong", p.made.count(), p.refused.count(), p.wrong.Load())
}

// picture requests a new result: the box is wider than the picture, so that all take the same work.
func (o *overload) picture() string {
	n := int(o.serial.Add(1))
	return o.signed(fmt.Sprintf("fit-in/%dx%d/photo.jpg", 500+n%15000, 300+n/15000))
}

// ask asks for a new picture and counts the answer.
func (o *overload) ask(p *phase) {
	p.sent.Add(1)
	switch r := o.get(o.picture()); {
	case r.err == nil && r.status == http.StatusOK:
		p.made.add(r.took)
		p.inTime.Add(1)
	case r.err == nil && r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != "":
		p.refused.add(r.took)
	default:
		if p.wrong.Add(1) < 5 {
			o.Errorf("answer %d %v %.200s", r.status, r.err, r.body)
		}
	}
}

// closed asks with twice as many clients as there are workers, each of which waits for its answer.
func (o *overload) closed(length time.Duration) *phase {
	p := &phase{}
	began, cpu := time.Now(), o.cpu()
	var clients sync.WaitGroup
	for range 2 * o.workers {
		clients.Go(func() {
			for time.Since(began) < length {
				o.ask(p)
			}
		})
	}
	clients.Wait()
	p.lasted, p.cpu = time.Since(began), o.cpu()-cpu
	return p
}

// flood sends at that rate, and asks the API and for a cached result meanwhile.
func (o *overload) flood(rate float64, length time.Duration) (api, cached *times, p *phase) {
	p, api, cached = &phase{}, &times{}, &times{}
	known := o.signed("fit-in/120x120/photo.jpg")
	waitFor(o.T, func() bool { return o.get(known).status == 200 }, func() string { return "no picture to be cached" })
	stop := make(chan struct{})
	var probes, requests sync.WaitGroup
	probes.Go(func() { o.probe(stop, api, o.graphQL) })
	probes.Go(func() { o.probe(stop, cached, func() reply { return o.get(known) }) })
	began, cpu := time.Now(), o.cpu()
	var flying atomic.Int64
	for n := 0; time.Since(began) < length; {
		for ; float64(n) < time.Since(began).Seconds()*rate; n++ {
			if flying.Load() >= overloadInFlight {
				p.skipped.Add(1)
				continue
			}
			flying.Add(1)
			requests.Go(func() {
				defer flying.Add(-1)
				o.ask(p)
			})
		}
		time.Sleep(time.Millisecond)
	}
	p.lasted, p.cpu = time.Since(began), o.cpu()-cpu
	counted := p.inTime.Load()
	close(stop)
	probes.Wait()
	requests.Wait()
	p.inTime.Store(counted)
	return api, cached, p
}

// probe asks forty times a second at most, until stop.
func (o *overload) probe(stop chan struct{}, into *times, ask func() reply) {
	for {
		r := ask()
		if into.add(r.took); r.err != nil || r.status != http.StatusOK || strings.Contains(string(r.body), `"errors"`) {
			o.Errorf("answer %d %v %.200s", r.status, r.err, r.body)
		}
		select {
		case <-stop:
			return
		case <-time.After(25 * time.Millisecond):
		}
	}
}

func (o *overload) graphQL() reply {
	return o.post("/api/graphql", `{"query":"{ me { role } folders { totalCount nodes { name } } }"}`, o.token)
}

// recovery is how long after the last request /readyz is green and a new picture takes no longer than at the limit.
func (o *overload) recovery(peak *phase) time.Duration {
	began := time.Now()
	waitFor(o.T, func() bool {
		if o.get("/readyz").status != http.StatusOK {
			return false
		}
		r := o.get(o.picture())
		return r.status == http.StatusOK && r.took <= peak.made.at(99)
	}, func() string { return "it is not as it was a minute after the overload" })
	return time.Since(began)
}

// times are durations, to be ordered.
type times struct {
	mu   sync.Mutex
	list []time.Duration
}

func (t *times) add(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, d)
}

func (t *times) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.list)
}

// at is the percentile, 0 when there is none.
func (t *times) at(percent int) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.list) == 0 {
		return 0
	}
	slices.Sort(t.list)
	return t.list[min(len(t.list)-1, len(t.list)*percent/100)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

func machineLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}

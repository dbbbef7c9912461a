package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// cpuTime is CPU time of programs and of the kernel for them, in clock ticks.
type cpuTime struct{ user, system float64 }

func (c cpuTime) all() float64 { return c.user + c.system }

func (c cpuTime) minus(o cpuTime) cpuTime { return cpuTime{c.user - o.user, c.system - o.system} }

// times returns n of it; a tick is 10 ms on Linux, so 10 ticks of 80 answers are times(10.0/80).
func (c cpuTime) times(n float64) cpuTime { return cpuTime{c.user * n, c.system * n} }

func (c cpuTime) String() string {
	return fmt.Sprintf("%.3f ms (%.3f and %.3f in the kernel)", c.all(), c.user, c.system)
}

// cpuTicks returns the CPU time of a process and all that it has started: pictures are made by workers.
func cpuTicks(t *testing.T, pid int) (sum cpuTime) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	parents, own := map[int]int{}, map[int]cpuTime{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		_, after, _ := bytes.Cut(data, []byte(") ")) // the name before it may have spaces
		fields := strings.Fields(string(after))
		parents[id], _ = strconv.Atoi(fields[1])
		var n [4]float64 // its own, and of children that have ended
		for i, field := range fields[11:15] {
			n[i], _ = strconv.ParseFloat(field, 64)
		}
		own[id] = cpuTime{n[0] + n[2], n[1] + n[3]}
	}
	for id, n := range own {
		for up := id; up != 0; up = parents[up] {
			if up == pid {
				sum.user += n.user
				sum.system += n.system
				break
			}
		}
	}
	return sum
}

// cpuFleet is a fleet whose CPU time is measured.
type cpuFleet struct {
	*fleetSite
	next int     // server
	idle cpuTime // a second of all servers without requests
}

func (f *cpuFleet) at(server int) *realServer {
	return &realServer{T: f.T, url: f.servers[server].field(bannerURL), client: f.client}
}

// newCPUFleet starts servers that use that many cores each, 0: all. It warms them up and measures what they use without
// requests.
func newCPUFleet(t *testing.T, replicas, cores int, flags ...string) *cpuFleet {
	t.Helper()
	clocks := make([]string, replicas)
	for i := range clocks {
		clocks[i] = "0s"
	}
	f := &cpuFleet{}
	f.fleetSite = newFleetWith(t, func(s *fleetSite) { // the tier that they share
		bucket, query, _ := strings.Cut(s.bucket, "?")
		s.flags = append(append(s.flags, "--result-cache", "memory,file,"+bucket+"/.results?"+query), flags...)
		if cores > 0 {
			s.env = []string{fmt.Sprint("GOMAXPROCS=", cores)} // Go takes it from the CPU limit of a container
		}
	}, clocks...)
	if replicas > 1 {
		for _, s := range f.servers {
			waitFor(
				t,
				func() bool { return strings.Contains(s.stderr.String(), fmt.Sprintf(`"others":%d`, replicas-1)) },
				func() string { return "the servers do not know each other" },
			)
		}
	}
	f.fill()
	f.balancer.Close()                // it asks for /readyz five times a second
	f.answers(f.urls(warm), 1, false) // starts the workers
	f.answers(f.urls(warm), 3, false) // three servers do not divide 80: now each has all results
	f.rest()
	t.Logf("%d servers without requests: %v a second", replicas, f.idle.times(10))
	return f
}

// fleetPictures is how many pictures there are: as many as a server has clients, so that what it makes at once shares
// no decode.
const fleetPictures = clientsPerServer

// fill uploads pictures, and waits until they are analyzed and their results may be cached.
func (f *cpuFleet) fill() {
	f.Helper()
	photos := &realServer{T: f.T, files: f.TempDir()}
	photos.photo("p.jpg", 2400, 1600)
	data, err := os.ReadFile(filepath.Join(photos.files, "p.jpg"))
	must(f.T, err)
	for n := range fleetPictures {
		f.at(0).upload(f.token, fmt.Sprintf("p%d.jpg", n), append(data[:len(data):len(data)], byte(n)))
	}
	// S3 has whole seconds: until a picture is two old, its results are not cached
	waitFor(f.T, func() bool {
		r := f.at(0).get(f.servers[0].signed(fmt.Sprintf("20x0/p%d.jpg", fleetPictures-1)))
		return strings.Contains(r.header.Get("Cache-Status"), "stored") ||
			strings.Contains(r.header.Get("Cache-Status"), "hit")
	}, func() string { return "the pictures stay new" })
	waitFor(f.T, func() bool {
		var done int
		must(f.T, f.db.QueryRow("SELECT count(*) FROM entries WHERE meta_state = 1 AND path LIKE 'p%'").Scan(&done))
		return done == fleetPictures
	}, func() string { return "the pictures are not analyzed" })
}

// urls returns those of ten sizes of each picture, one picture after the other in each size; another turn has other
// sizes. Three servers do not divide their number, so that each round asks other servers.
func (f *cpuFleet) urls(turn int) (urls []string) {
	for width := 300 + turn; width < 800; width += 50 {
		for n := range fleetPictures {
			urls = append(urls, f.servers[0].signed(fmt.Sprintf("%dx0/p%d.jpg", width, n)))
		}
	}
	return urls
}

func (f *cpuFleet) ticks() (sum cpuTime) {
	for _, s := range f.servers {
		c := cpuTicks(f.T, s.command.Process.Pid)
		sum.user += c.user
		sum.system += c.system
	}
	return sum
}

// rest measures what the servers use without requests.
func (f *cpuFleet) rest() {
	const long = 10 * time.Second
	before := f.ticks()
	f.wait(long)
	f.idle = f.ticks().minus(before).times(1 / long.Seconds())
}

// clientsPerServer is how many clients a server has: what they ask at once it does at once.
const clientsPerServer = 8

// answers asks for each URL so often, each server in turn, and returns the CPU time of the servers for an answer, in
// milliseconds, without what they use anyway: on a busy machine that depends on how long it takes. apart: one server is
// asked after the other, so that each has the cores for itself, as on a machine of its own.
func (f *cpuFleet) answers(urls []string, rounds int, apart bool) cpuTime {
	f.Helper()
	shares := make([][]string, len(f.servers))
	for range rounds {
		for _, url := range urls {
			server := f.next % len(shares)
			shares[server] = append(shares[server], url)
			f.next++
		}
	}
	before, began := f.ticks(), time.Now()
	var all sync.WaitGroup
	for server, share := range shares {
		all.Go(func() { f.ask(server, share) })
		if apart {
			all.Wait()
		}
	}
	all.Wait()
	used := f.ticks().minus(before).minus(f.idle.times(time.Since(began).Seconds()))
	return used.times(10 / float64(rounds*len(urls)))
}

// ask sends requests to a server, through all of its clients.
func (f *cpuFleet) ask(server int, urls []string) {
	jobs := make(chan string)
	var wg sync.WaitGroup
	for range clientsPerServer {
		wg.Go(func() {
			for url := range jobs {
				if r := f.at(server).get(url); r.err != nil || r.status != http.StatusOK {
					f.Errorf("%s: %d %v", url, r.status, r.err)
				}
			}
		})
	}
	for _, url := range urls {
		jobs <- url
	}
	close(jobs)
	wg.Wait()
}

// compared are the CPU times of an answer by one server and by three, in turns, so that other work on the machine meets
// both.
type compared struct {
	*testing.T
	one, three *cpuFleet
	apart      bool // the three are asked one after the other
}

// run logs the CPU times, and expects that the median of their ratios is within the limit.
func (c *compared) run(what string, limit float64, turns, rounds int, urls func(f *cpuFleet, turn int) []string) {
	c.Helper()
	var ratios []float64
	for turn := range turns {
		a, b := c.one.answers(urls(c.one, turn), rounds, c.apart), c.three.answers(urls(c.three, turn), rounds, c.apart)
		ratios = append(ratios, b.all()/a.all())
		c.Logf("%s: one server %v, three %v: %.2f", what, a, b, b.all()/a.all())
	}
	slices.Sort(ratios)
	ratio := ratios[turns/2]
	c.Logf("%s: three servers take %.2f of the CPU of one", what, ratio)
	if ratio > limit {
		c.Errorf("%s: three servers take %.2f of the CPU of one, expected at most %.2f", what, ratio, limit)
	}
}

// TestFleetCPU measures the CPU time of an answer by one server and by three, on PostgreSQL and S3 with a tier of
// results that they share: new results, and results that all have in memory, which ask S3 for the version of the
// picture or trust that for a second. Three are measured as if each had a machine like that of the one, by asking one
// after the other, and beside each other on the cores of the one, of which each uses a part. Workers and connections
// are started before. Only make test-fleet runs it.
func TestFleetCPU(t *testing.T) {
	if os.Getenv(fleetVariable) == "" {
		t.Skip(fleetVariable + " is not set: make test-fleet does")
	}
	for _, m := range []struct {
		check  string
		rounds int     // of a turn: a tick is 10 ms
		limit  float64 // from memory, beside each other
	}{
		{"0s", 20, maxFleetRatio},
		// of 0.025 ms a fifth is the wake-up of a server that has slept, and three sleep more often than one
		{"1s", 200, 1.5},
	} {
		t.Run("source-check "+m.check, func(t *testing.T) {
			one := newCPUFleet(t, 1, 0, "--source-check", m.check)
			three := newCPUFleet(t, 3, 0, "--source-check", m.check)
			parts := newCPUFleet(t, 3, max(1, runtime.NumCPU()/3), "--source-check", m.check)
			apart, beside := &compared{t, one, three, true}, &compared{t, one, parts, false}
			hot := func(f *cpuFleet, _ int) []string { return f.urls(warm) }
			apart.run(
				"new results, apart", maxFleetRatio, 5, 1,
				func(f *cpuFleet, turn int) []string { return f.urls(turn) },
			)
			beside.run(
				"new results, beside each other", maxFleetRatio, 5, 1,
				func(f *cpuFleet, turn int) []string { return f.urls(turn + 10) },
			)
			apart.run("results from memory, apart", maxFleetRatio, 7, m.rounds, hot)
			beside.run("results from memory, beside each other", m.limit, 7, m.rounds, hot)
			a, b := one.answers(one.urls(0), 5, false), three.answers(three.urls(0), 5, false)
			t.Logf("five rounds after new results, which each server reads from S3 once: one server %v, three %v", a, b)
		})
	}
}

// warm is the turn of the URLs that each server has in memory.
const warm = 49

// maxFleetRatio is the aim for the CPU of an answer by three servers, in that of one.
const maxFleetRatio = 1.25

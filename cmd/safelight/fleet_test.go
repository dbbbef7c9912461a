package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

const (
	// fleetVariable says how long TestFleet makes trouble, as 2m; make test-fleet sets it.
	fleetVariable = "SAFELIGHT_TEST_FLEET"
	// clockVariable says how far the clock of a server is off, as 1m.
	clockVariable = "SAFELIGHT_TEST_CLOCK"
	// hashVariable lets a server hash passwords as main does.
	hashVariable = "SAFELIGHT_TEST_HASH"

	cheapHash = 64 // KiB
)

// mainOfTests is main, with a clock that may be wrong and passwords that are hashed cheaply: a start with a new
// administrator and a login cost a tenth of a second of CPU each otherwise, most of what many tests cost.
func mainOfTests() {
	ctx := withProcess(context.Background())
	if os.Getenv(hashVariable) == "" {
		ctx = context.WithValue(ctx, hashMemoryKey{}, uint32(cheapHash))
	}
	if off, err := time.ParseDuration(os.Getenv(clockVariable)); err == nil {
		ctx = context.WithValue(ctx, localClockKey{}, func() time.Time { return time.Now().Add(off) })
	}
	os.Exit(exitCode(run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr), os.Stderr))
}

// fleetServer is a server that is killed and started again.
type fleetServer struct {
	*runningServer
	data   string
	env    []string
	signer *imaging.Signer
}

func (s *fleetServer) signed(path string) string { return "/" + s.signer.Sign(path) + "/" + path }

// fleetSite is three servers behind a balancer, over a PostgreSQL and an S3 server that the test stops.
type fleetSite struct {
	*testing.T
	postgres, s3     *service
	database, bucket string
	flags, env       []string // of the servers
	servers          []*fleetServer
	balancer         *balancer
	client           *http.Client
	token            string
	db               *sql.DB
	mu               sync.Mutex
	claims           map[string][]fleetClaim
	kinds            map[string]int // of answers that were no success
	logs             []*logFile
	changed          atomic.Int64 // changes that were acknowledged
	down             atomic.Bool  // a service is, or was shortly before
}

// fleetClaim is an attempt to create a file that others create too.
type fleetClaim struct {
	fleetFile
	outcome
}

func (f *fleetSite) claimed(path string, file fleetFile, o outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.claims[path] = append(f.claims[path], fleetClaim{file, o})
}

// tally counts an answer of a kind.
func (f *fleetSite) tally(kind string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kinds[kind]++
}

// newFleet starts servers whose clocks are off. network returns the URL by which they reach a service at an address;
// nil: its own.
func newFleet(t *testing.T, network func(url, address string) string, clocks ...string) *fleetSite {
	t.Helper()
	return newFleetWith(t, func(f *fleetSite) {
		if network != nil {
			f.flags = []string{
				"--database",
				network(f.database, f.postgres.address),
				"--storage",
				network(f.bucket, f.s3.address),
			}
		}
	}, clocks...)
}

// newFleetWith starts servers after prepare has changed their flags.
func newFleetWith(t *testing.T, prepare func(*fleetSite), clocks ...string) *fleetSite {
	t.Helper()
	f := &fleetSite{
		T:      t,
		claims: map[string][]fleetClaim{},
		kinds:  map[string]int{},
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	f.postgres, f.database = ownPostgres(t)
	f.s3, f.bucket = ownS3(t)
	var err error
	f.db, err = sql.Open("postgres", f.database)
	must(t, err)
	t.Cleanup(func() { f.db.Close() })
	f.balancer = newBalancer(len(clocks))
	t.Cleanup(f.balancer.Close)
	signer, err := imaging.NewSigner(imaging.SignerConfig{Secret: realSecret, Type: imaging.SHA1})
	must(t, err)
	f.flags = []string{"--database", f.database, "--storage", f.bucket}
	prepare(f)
	for i, off := range clocks {
		s := &fleetServer{
			data: t.TempDir(),
			env: append(
				[]string{
					clockVariable + "=" + off,
					"SAFELIGHT_PROCESSOR_SECRET=" + realSecret,
					"SAFELIGHT_TOKEN_SECRET=" + strings.Repeat("token ", 6),
				},
				f.env...),
			signer: signer,
		}
		f.servers = append(f.servers, s)
		must(t, f.start(i))
	}
	f.token = (&realServer{T: t, url: f.balancer.URL, client: f.client}).login()
	return f
}

func (f *fleetSite) start(i int) error {
	f.Helper()
	s := f.servers[i]
	b, err := tryLaunchIn(f.T, s.data, s.env, f.flags...)
	if err != nil {
		return err
	}
	s.runningServer = b.runningServer
	f.logs = append(f.logs, b.stderr)
	running := b.command.Process
	f.Cleanup(func() { _ = running.Kill() }) // an error means that it has ended
	f.balancer.use(i, b.url)
	return nil
}

// kill ends a server with SIGKILL.
func (f *fleetSite) kill(i int) {
	f.balancer.use(i, "")
	_ = f.servers[i].command.Process.Kill()
	<-f.servers[i].done
}

// wait waits, unless the test has failed.
func (f *fleetSite) wait(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end) && !f.Failed(); {
		time.Sleep(20 * time.Millisecond)
	}
}

// trouble makes everything fail in turn for that long.
func (f *fleetSite) trouble(long time.Duration) {
	part := long / 12
	var wg sync.WaitGroup
	wg.Go(func() { // a server is frozen
		f.wait(2 * part)
		f.Log("server 2 is frozen")
		_ = f.servers[2].command.Process.Signal(syscall.SIGSTOP)
		f.wait(3 * part)
		_ = f.servers[2].command.Process.Signal(syscall.SIGCONT)
		f.Log("server 2 continues")
	})
	wg.Go(func() { // the services stop
		f.wait(6 * part)
		f.down.Store(true) // from now on: a server that starts may have met it
		f.Log("PostgreSQL restarts")
		f.postgres.stop(os.Interrupt)
		f.postgres.start()
		f.wait(2 * part)
		f.Log("S3 stops")
		f.s3.stop(syscall.SIGKILL)
		f.wait(2 * part)
		f.s3.start()
		f.Log("S3 is back")
	})
	kills := 0
	for end := time.Now().Add(long); time.Now().Before(end) && !f.Failed(); kills++ {
		f.wait(max(part/2, 2*time.Second))
		i := rand.IntN(2) // the third is frozen
		f.kill(i)
		f.wait(part / 10)
		for {
			err := f.start(i)
			if err == nil || f.Failed() {
				break
			}
			if !f.down.Load() {
				f.Fatal(err)
			}
			f.wait(500 * time.Millisecond) // no start while a service is down
		}
	}
	wg.Wait()
	f.Logf("%d kills", kills)
}

// settle waits until the servers have completed what the killed ones have left. They wait for a minute without a
// heartbeat; two heartbeats are enough here.
func (f *fleetSite) settle() {
	f.Helper()
	left := -1
	waitFor(f.T, func() bool {
		_, err := f.db.Exec(
			"UPDATE intents SET seen = seen - 61000000000 WHERE seen < (extract(epoch FROM clock_timestamp()) - 20) " +
				"* 1000000000",
		)
		must(f.T, err)
		must(f.T, f.db.QueryRow("SELECT count(*) FROM intents").Scan(&left))
		return left == 0
	}, func() string { return fmt.Sprintf("%d changes are not completed", left) })
}

// TestFleet lets clients work on three servers, one of them a minute ahead and one a minute behind, while servers are
// killed and frozen, and PostgreSQL and S3 are stopped: no acknowledged change is lost, no file is there twice or half,
// and errors are of the documented kinds. With -short, TestFleetOnBadNetwork has the same clients look for the same.
func TestFleet(t *testing.T) {
	if testing.Short() && os.Getenv(fleetVariable) == "" {
		t.Skip("three servers work for 12 s and are killed")
	}
	needsPostgres(t)
	long, clients := 12*time.Second, 8
	besideOthers(t)
	if text := os.Getenv(fleetVariable); text != "" {
		var err error
		long, err = time.ParseDuration(text)
		must(t, err)
		clients = 32
	}
	f := newFleet(t, nil, "0s", "1m", "-1m")
	all := f.crowd(clients, func() { f.trouble(long) })
	f.settle()
	f.verify(all)
	f.look(all)
	f.leases()
	f.report(all)
}

// besideOthers lets a test run beside others in its short form: most of the time it waits.
func besideOthers(t *testing.T) {
	if os.Getenv(fleetVariable) == "" {
		t.Parallel()
	}
}

// crowd lets clients work while something happens, and returns them.
func (f *fleetSite) crowd(clients int, happens func()) (all []*fleetClient) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range clients {
		c := &fleetClient{site: f, folder: fmt.Sprintf("w%d", i), sure: map[string]fleetFile{}}
		all = append(all, c)
		wg.Go(func() { c.work(stop) })
	}
	happens()
	close(stop)
	wg.Wait()
	return all
}

// report logs what the clients have done, and the logs of the servers if that is not right.
func (f *fleetSite) report(clients []*fleetClient) {
	var counts [3]int
	reads := 0
	for _, c := range clients {
		reads += c.reads
		for o, n := range c.counts {
			counts[o] += n
		}
	}
	f.Logf(
		"changes: %d acknowledged, %d refused, %d unknown; %d pictures read; %d names wanted by several; %v",
		counts[wasMade], counts[wasRefused], counts[notKnown], reads, len(f.claims), f.kinds,
	)
	if counts[wasMade] == 0 {
		f.Error("nothing was done")
	}
	if f.Failed() {
		for i, log := range f.logs {
			f.Logf("log %d:\n%s", i, tail(log.String(), 20_000))
		}
	}
}

// TestFleetOnBadNetwork lets clients work on two servers that reach PostgreSQL and S3 by a network with 50 ms of
// latency, or 200, that resets one in a hundred answers: no server hangs, nothing acknowledged is lost, and errors are
// of the documented kinds.
func TestFleetOnBadNetwork(t *testing.T) {
	needsPostgres(t)
	besideOthers(t)
	changes, clients, delay := 15, 6, 50*time.Millisecond
	if os.Getenv(fleetVariable) != "" {
		changes, clients, delay = 150, 32, 200*time.Millisecond
	}
	var networks []*badNetwork
	f := newFleet(t, func(url, address string) string {
		p, url := through(t, url, address)
		t.Cleanup(func() { p.listen.Close() })
		networks = append(networks, p)
		return url
	}, "0s", "1m")
	for _, p := range networks {
		p.is(delay, 0.01)
	}
	before, began := f.changed.Load(), time.Now()
	all := f.crowd(clients, func() {
		waitFor(
			t, func() bool { return f.changed.Load()-before >= int64(changes) || t.Failed() },
			func() string { return fmt.Sprintf("the servers hang: %d changes, %v", f.changed.Load(), f.kinds) },
		)
	})
	resets := int64(0)
	for _, p := range networks {
		p.is(0, 0)
		resets += p.counted.Load()
	}
	if resets == 0 {
		t.Error("no connection was reset")
	}
	t.Logf("%d connections were reset in %v", resets, time.Since(began).Round(time.Second))
	f.settle()
	f.verify(all)
	f.look(all)
	f.report(all)
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// leases logs which server does the work of all: one for each.
func (f *fleetSite) leases() {
	rows, err := f.db.Query("SELECT name, fence FROM leases ORDER BY name")
	must(f.T, err)
	defer rows.Close()
	owners := 0
	for rows.Next() {
		var name string
		var fence int
		must(f.T, rows.Scan(&name, &fence))
		owners += fence
		f.Logf("work %q had %d owners", name, fence)
	}
	if owners == 0 {
		f.Error("no lease was ever taken")
	}
}

// verify compares what the storage holds with what the clients know, and with what each server lists.
func (f *fleetSite) verify(clients []*fleetClient) {
	f.Helper()
	stored := f.stored()
	expected := map[string]string{}
	for _, c := range clients {
		for path, file := range c.sure {
			expected[path] = file.sum
			if got := stored[path]; got != file.sum {
				f.Errorf("%s was acknowledged as %s, it is %q", path, file.sum, got)
			}
		}
		for _, d := range c.doubts {
			if !d.holds(stored) {
				f.Errorf("as after no outcome of %s: %v", d.doing, d.found(stored))
			}
			for _, m := range d.states {
				for path := range m {
					expected[path] = ""
				}
			}
		}
	}
	for path, all := range f.claims {
		f.verifyClaim(path, all, stored[path])
		expected[path] = ""
	}
	for path := range stored {
		if _, known := expected[path]; !known && path[0] == 'w' {
			f.Errorf("%s was deleted, moved or never made, and is there", path)
		}
	}
	for i, s := range f.servers {
		listed := map[string]int64{}
		(&chaosSite{T: f.T, url: s.field(bannerURL), token: f.token}).list("", listed)
		for path, sum := range stored {
			if size, ok := listed[path]; !ok || !strings.HasSuffix(sum, fmt.Sprint("/", size)) {
				f.Errorf("server %d lists %s with %d bytes, it is %s", i, path, size, sum)
			}
		}
		for path := range listed {
			if _, ok := stored[path]; !ok {
				f.Errorf("server %d lists %s, which is not there", i, path)
			}
		}
	}
}

// look reads a picture of each client, once the servers are ready.
func (f *fleetSite) look(clients []*fleetClient) {
	f.Helper()
	for _, c := range clients {
		for path := range c.sure {
			before := c.reads
			waitFor(f.T, func() bool {
				c.read(path)
				return c.reads > before || f.Failed()
			}, func() string { return path + " cannot be read" })
			break
		}
	}
}

// verifyClaim checks a name that several clients wanted: one may have got it.
func (f *fleetSite) verifyClaim(path string, all []fleetClaim, got string) {
	var winners, possible []string
	for _, c := range all {
		switch c.outcome {
		case wasMade:
			winners = append(winners, c.sum)
		case notKnown:
			possible = append(possible, c.sum)
		}
	}
	switch {
	case len(winners) > 1:
		f.Errorf("%s was acknowledged %d times", path, len(winners))
	case len(winners) == 1 && got != winners[0]:
		f.Errorf("%s was acknowledged as %s, it is %q", path, winners[0], got)
	case len(winners) == 0 && got != "" && !slices.Contains(possible, got):
		f.Errorf("%s is %s, which was refused", path, got)
	}
}

// holds reports whether the files are as in one of the states.
func (d fleetDoubt) holds(stored map[string]string) bool {
	return slices.ContainsFunc(d.states, func(state map[string]fleetFile) bool {
		for path, sum := range d.found(stored) {
			if sum != state[path].sum { // empty: it is not there
				return false
			}
		}
		return true
	})
}

// found returns the fingerprints of all files that the states have; empty for one that is not there.
func (d fleetDoubt) found(stored map[string]string) map[string]string {
	found := map[string]string{}
	for _, state := range d.states {
		for path := range state {
			found[path] = stored[path]
		}
	}
	return found
}

// stored returns every visible file of the storage with its fingerprint. A file that is listed but missing is checked
// again, because a server may still be finishing a change whose client already has its response.
func (f *fleetSite) stored() (found map[string]string) {
	f.Helper()
	store, err := storage.Open(f.Context(), f.bucket)
	must(f.T, err)
	defer store.Close()
	waitFor(f.T, func() bool {
		found, err = fingerprints(f.Context(), store)
		return fault.CodeOf(err) != fault.NotFound
	}, func() string { return fmt.Sprint("listed and not there: ", err) })
	must(f.T, err)
	return found
}

func fingerprints(ctx context.Context, store storage.Store) (map[string]string, error) {
	found := map[string]string{}
	var walk func(k storage.Key) error
	walk = func(k storage.Key) error {
		for e, err := range store.List(ctx, k, storage.ListOptions{}) {
			if err == nil && e.IsFolder {
				err = walk(e.Key)
			} else if err == nil {
				found[filepath.ToSlash(string(e.Key))], err = fingerprintOf(ctx, store, e.Key)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return found, walk("")
}

func fingerprintOf(ctx context.Context, store storage.Store, k storage.Key) (string, error) {
	o, err := store.Open(ctx, k)
	if err != nil {
		return "", err
	}
	defer o.Close()
	data, err := io.ReadAll(o)
	return fingerprint(data), err
}

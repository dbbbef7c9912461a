package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/database/databasetest"
)

// turnSite is three servers with one folder of pictures and one shared tier of results.
type turnSite struct {
	*testing.T
	servers []*realServer
	db      *sql.DB
	folder  string
}

func newTurnSite(t *testing.T, results string) *turnSite {
	t.Helper()
	needsPostgres(t)
	s := &turnSite{T: t, folder: t.TempDir()}
	database := databasetest.EmptyPostgres(t)
	var err error
	s.db, err = sql.Open("postgres", database)
	must(t, err)
	t.Cleanup(func() { s.db.Close() })
	for range 3 {
		b := launchIn(
			t,
			t.TempDir(),
			[]string{
				"SAFELIGHT_PROCESSOR_SECRET=" + realSecret,
				"SAFELIGHT_TOKEN_SECRET=" + strings.Repeat("token ", 6),
			},
			"--database",
			database,
			"--storage",
			"file://"+s.folder,
			"--result-cache",
			results,
			"--queue-timeout",
			"5m",
			"--process-timeout",
			"5m",
		)
		t.Cleanup(func() { _ = b.stop() }) // one is killed
		b.files = s.folder
		s.servers = append(s.servers, b)
	}
	for _, b := range s.servers {
		b.until(
			"a server that knows both others",
			func() bool { return strings.Contains(b.stderr.String(), `"others":2`) },
		)
	}
	return s
}

// photo writes a picture that is old enough for its results to be cached, and waits until it is analyzed, which takes
// the time of the machine.
func (s *turnSite) photo(name string, width, height int) {
	s.Helper()
	file := filepath.Join(s.TempDir(), name)
	must(s.T, os.WriteFile(file, photo(s.T, width, height), 0o600))
	old := time.Now().Add(-time.Hour)
	must(s.T, os.Chtimes(file, old, old))
	// a file that is changed in the folder may be analyzed twice
	must(s.T, os.Rename(file, filepath.Join(s.folder, name)))
	b := s.servers[0]
	token := b.login()
	b.until("the analysis of "+name, func() bool {
		return strings.Contains(
			fmt.Sprint(b.ask(token, `{ files { nodes { name analysisState } } }`)),
			"analysisState:DONE name:"+name,
		)
	})
}

// rendered is how many results the server has made for requests; the analysis of files is not among them.
func rendered(b *realServer) float64 {
	return b.metric(`safelight_stage_seconds_count\{stage="process"\}`)
}

// ask sends requests for one picture to servers in turn, all at once; each gets the same bytes.
func (s *turnSite) ask(servers []*realServer, clients int, path string) (wait func()) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	var mu sync.Mutex
	bodies := map[string]int{}
	for i := range clients {
		b := servers[i%len(servers)]
		b.client.Timeout = 0 // the test has one
		wg.Go(func() {
			<-start
			r := b.get(b.signed(path))
			if r.err != nil || r.status != http.StatusOK {
				s.Errorf("%v: %d %v", path, r.status, r.err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			bodies[fingerprint(r.body)]++
		})
	}
	close(start)
	return func() {
		wg.Wait()
		if len(bodies) != 1 {
			s.Errorf("%d different answers: %v", len(bodies), bodies)
		}
	}
}

// TestResultMadeOnce asks three servers for one new result at once, for 500 clients: one server makes it. What is cheap
// each of them makes, without a question.
func TestResultMadeOnce(t *testing.T) {
	for name, place := range map[string]func(*testing.T) string{
		"folder": func(t *testing.T) string { return "file://" + t.TempDir() },
		"s3":     emptyS3,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTurnSite(t, "memory,"+place(t))
			s.photo("large.jpg", 3000, 2000)
			s.photo("small.jpg", 40, 30)
			made, failed := 0.0, 0.0
			for _, b := range s.servers {
				made -= rendered(b)
			}
			s.ask(s.servers, 500, "1500x1000/filters:format(webp)/large.jpg")()
			for _, b := range s.servers {
				made += rendered(b)
				// a busy machine may fail to read S3 in time
				failed += b.metric(
					`safelight_cache_tier_failures_total\{tier="s3"\}`,
				) + float64(
					strings.Count(b.stderr.String(), "without waiting for each other"),
				)
			}
			if made < 1 || made > 1+failed {
				t.Errorf("the result was made %v times; %v failures", made, failed)
			}
			turns := s.count("starts_with(name, 'turn/')")
			if turns != 1 {
				t.Errorf("%d results were asked for, expected one", turns)
			}
			s.ask(s.servers, 3, "20x15/small.jpg")()
			if now := s.count("starts_with(name, 'turn/')"); now != turns {
				t.Errorf("%d results were asked for after a cheap one, expected %d", now, turns)
			}
		})
	}
}

func (s *turnSite) count(condition string) (n int) {
	s.Helper()
	must(s.T, s.db.QueryRow("SELECT count(*) FROM leases WHERE "+condition).Scan(&n))
	return n
}

// TestResultOfAKilledServer kills a server while it makes a result for which others wait: one of them makes it.
func TestResultOfAKilledServer(t *testing.T) {
	t.Parallel()
	s := newTurnSite(t, "memory,file://"+t.TempDir())
	s.photo("large.jpg", 4000, 3000)
	owner, others := s.servers[0], s.servers[1:]
	const path = "3900x2900/filters:format(avif)/large.jpg"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, owner.url+owner.signed(path), nil)
		if err != nil {
			t.Error(err)
			return
		}
		if answer, err := http.DefaultClient.Do(r); err == nil { // an error: it is killed
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}()
	const held = "starts_with(name, 'turn/') AND fence = 1 AND expires_at > clock_timestamp()"
	owner.until("the turn of the owner", func() bool { return s.count(held) == 1 })
	before := []float64{rendered(others[0]), rendered(others[1])}
	wait := s.ask(others, 20, path)
	_ = owner.command.Process.Kill()
	<-owner.done
	if s.count(held) != 1 {
		t.Fatal("the owner ended its turn before it was killed: the picture is too small for this machine")
	}
	wait()
	if made := rendered(others[0]) + rendered(others[1]) - before[0] - before[1]; made != 1 {
		t.Errorf("the others made the result %v times", made)
	}
	var fence int
	must(t, s.db.QueryRow("SELECT max(fence) FROM leases WHERE starts_with(name, 'turn/')").Scan(&fence))
	if fence < 2 {
		t.Errorf("no server has taken the turn over: fence %d", fence)
	}
}

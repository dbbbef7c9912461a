package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	fairLength = 6 * time.Second // half of it with -short
	fairP99    = 2 * time.Second // what is aimed at; printed, since a busy machine decides it
	fairMost   = 5 * time.Second // or fairTimes the p99 of thumbnails alone, on a machine that is busy with other things
	fairTimes  = 10
	fairSlower = 10 // thumbnails beside a flood are at least a tenth of those made alone in a third of the time
)

// from returns the server as a client at another loopback address sees it.
func (b *realServer) from(address string) *realServer {
	other := *b
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	other.client = &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 20}}
	return &other
}

// TestFairShares has twenty connections of one client send heavy requests, uploads, or both, beside the thumbnails of
// another client, which are all answered. With -short they send both: TestSiege sends each alone.
func TestFairShares(t *testing.T) {
	length := fairLength
	if testing.Short() {
		length /= 2
	}
	s := startReal(t, "--result-cache", "off", "--process-timeout", "10m") // a busy machine ends none of the flood
	s.photo("photo.jpg", 1600, 1200)
	s.photo("large.jpg", 4000, 3000)
	small, err := os.ReadFile(filepath.Join(s.files, "photo.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	token := s.login()
	heavy := func(n int64) reply {
		return s.get(s.signed(fmt.Sprintf("fit-in/%dx3000/filters:format(avif)/large.jpg", 2400+n)))
	}
	upload := func(n int64) reply {
		return s.upload(token, fmt.Sprintf("uploads/%d.jpg", n), small)
	}
	var serial atomic.Int64
	for _, round := range []fairRound{
		{"heavy requests", heavy, true},
		{"uploads", upload, false},
		{"heavy requests and uploads", func(n int64) reply {
			if n%2 == 0 {
				return upload(n)
			}
			return heavy(n)
		}, true},
	} {
		if testing.Short() && round.name != "heavy requests and uploads" {
			continue
		}
		again(t, func() (problems []string) { return round.run(s, length, &serial) })
	}
	if s.get("/readyz").status != http.StatusOK {
		t.Error("/readyz is not green afterwards")
	}
}

// again repeats a measurement until it finds no problem, for other programs may have used the cores meanwhile. It fails
// if the fifth one still finds some.
func again(t *testing.T, measure func() (problems []string)) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		problems := strings.Join(measure(), "\n")
		if problems == "" {
			return
		}
		if attempt == 5 {
			t.Error(problems)
			return
		}
		t.Logf("attempt %d: %s", attempt, problems)
	}
}

// fairRound is a flood beside which another client asks for thumbnails.
type fairRound struct {
	name    string
	flood   func(n int64) reply
	refuses bool // some of the flood
}

// run sends the flood for that long, and returns what was unfair. serial makes every request of it another one.
func (f fairRound) run(s *realServer, length time.Duration, serial *atomic.Int64) (problems []string) {
	alone, _ := s.from("127.0.0.2").ordinary(length/3, nil)
	var made, refused atomic.Int64
	var flood sync.WaitGroup
	stop := make(chan struct{})
	for range 20 {
		flood.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r := f.flood(serial.Add(1))
				switch {
				case r.err == nil && r.status == http.StatusOK:
					made.Add(1)
				case r.err == nil && r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != "":
					refused.Add(1)
				default:
					s.Errorf("%s: %d %v %.200s", f.name, r.status, r.err, r.body)
				}
			}
		})
	}
	beside, without := s.from("127.0.0.2").ordinary(length, nil)
	close(stop)
	flood.Wait()
	goal := "met"
	if beside.at(99) > fairP99 {
		goal = "missed"
	}
	s.Logf(
		"%s: %d made, %d refused; thumbnails of another client: %d, p50 %s, p99 %s (goal of %s: %s), alone p50 "+
			"%s, p99 %s; load %s",
		f.name, made.Load(), refused.Load(), beside.count(), ms(beside.at(50)), ms(beside.at(99)),
		fairP99, goal, ms(alone.at(50)), ms(alone.at(99)), machineLoad(),
	)
	least, most := alone.count()/fairSlower, max(fairMost, fairTimes*alone.at(99))
	if beside.count() < least || beside.at(99) > most {
		problems = append(problems, fmt.Sprintf("%s: %d thumbnails, p99 %s, want at least %d and less than %s",
			f.name, beside.count(), beside.at(99), least, most))
	}
	for _, r := range without {
		problems = append(problems, fmt.Sprintf("a thumbnail: %d %v %.200s", r.status, r.err, r.body))
	}
	if f.refuses && refused.Load() == 0 {
		problems = append(problems, f.name+": none of the flood is refused")
	}
	return problems
}

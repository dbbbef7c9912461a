package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/imaging/hostile"
)

// testFlood is how long TestKillerFlood sends killers; `make flood` sets it. Without it, it is a short round.
const testFlood = "SAFELIGHT_TEST_FLOOD"

const (
	floodRate    = 10              // killers a second
	floodClients = 2               // that ask for ordinary pictures, one after the other
	floodP99     = 2 * time.Second // what is aimed at; printed, since a busy machine decides it
	floodSlower  = 100             // how many times as long as the median without killers the p99 may be
)

// TestKillerFlood sends ten requests a second from the regression corpus of files that killed or stalled the program,
// each with a new size so that none is cached. Ordinary requests at the same time must all get a picture, and not much
// later than without the flood.
func TestKillerFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("TestKillers sends each of them alone")
	}
	length := 5 * time.Second
	if text := os.Getenv(testFlood); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	s := startReal(t, "--result-cache", "off", "--queue-timeout", "60s")
	s.photo("plain.jpg", 480, 320)
	s.photo("photo.jpg", 1600, 1200)
	killers := floodKillers(s)
	alone, refused := s.ordinary(length/2, nil)
	var sent sync.WaitGroup
	statuses, mu := map[int]int{}, sync.Mutex{}
	began, n := time.Now(), 0
	beside, refusedBeside := s.ordinary(length, func() {
		for ; time.Since(began).Seconds()*floodRate > float64(n); n++ {
			path := s.signed(strings.ReplaceAll(killers[n%len(killers)], "{n}", fmt.Sprint(50+n)))
			sent.Go(func() {
				r := s.get(path)
				mu.Lock()
				defer mu.Unlock()
				statuses[r.status]++
				if r.err != nil {
					t.Errorf("a killer is not answered: %v", r.err)
				}
			})
		}
	})
	sent.Wait()
	for _, r := range slices.Concat(refused, refusedBeside) {
		t.Errorf("an ordinary picture: %d %v %.200s", r.status, r.err, r.body)
	}
	goal := "met"
	if beside.at(99) > floodP99 {
		goal = "missed"
	}
	t.Logf(
		"%d killers in %v, answered %v; lost workers: %.0f", n, length, statuses,
		s.metric(`safelight_worker_lost_total\{reason="[a-z]*"\}`),
	)
	t.Logf(
		"ordinary pictures: %d, p50 %s, p99 %s (goal of %v: %s); without killers %d, p50 %s, p99 %s; load of the "+
			"machine %s",
		beside.count(), ms(beside.at(50)), ms(beside.at(99)), floodP99, goal, alone.count(), ms(alone.at(50)),
		ms(alone.at(99)), machineLoad(),
	)
	if beside.count() == 0 || beside.at(99) > floodSlower*alone.at(50) {
		t.Errorf(
			"p99 is %v, expected at most %d times the median of %v without killers", beside.at(99),
			floodSlower, alone.at(50),
		)
	}
	for status := range maps.Keys(statuses) {
		if !slices.Contains(hostileStatuses, status) {
			t.Errorf("a killer is answered %d", status)
		}
	}
	if r := s.get("/readyz"); r.status != http.StatusOK {
		t.Errorf("/readyz: %d %s", r.status, r.body)
	}
}

// ordinary asks for pictures for that long and returns how long each took, and the answers without a picture; meanwhile
// is called every few milliseconds, nil for not.
func (b *realServer) ordinary(length time.Duration, meanwhile func()) (took *times, refused []reply) {
	took = &times{}
	began, mu := time.Now(), sync.Mutex{}
	var clients sync.WaitGroup
	for c := range floodClients {
		clients.Go(func() {
			for n := 0; time.Since(began) < length; n++ {
				r := b.get(b.signed(fmt.Sprintf("%dx%d/photo.jpg", 100+n%400, 90+c)))
				if took.add(r.took); r.err != nil || r.status != http.StatusOK {
					mu.Lock()
					refused = append(refused, r)
					mu.Unlock()
				}
			}
		})
	}
	if meanwhile != nil {
		for tick := time.NewTicker(5 * time.Millisecond); time.Since(began) < length; <-tick.C {
			meanwhile()
		}
	}
	clients.Wait()
	return took, refused
}

// floodKillers writes the killers' files and returns their paths; {n} is another number each time.
func floodKillers(s *realServer) []string {
	s.Helper()
	paths := []string{
		"filters:" + strings.Repeat("sharpen(50):", 299) + "sharpen({n})/plain.jpg",
		"filters:" + strings.Repeat("hue(9):", 63) + "hue({n})/plain.jpg",
		"{n}x10000000/plain.jpg", "stretch/7000x70{n}/filters:format(png):compression(9)/plain.jpg",
		"stretch/7000x7000/filters:format(jxl):quality({n})/plain.jpg",
	}
	add := func(name, path string, data []byte) {
		if err := os.WriteFile(filepath.Join(s.files, name), data, 0o600); err != nil {
			s.Fatal(err)
		}
		paths = append(paths, path+"/"+name)
	}
	for _, c := range seenCases(hostileByName()) {
		for name, data := range c.files {
			add(name, "{n}x50", data)
		}
	}
	add(
		"abort.svg",
		"{n}x60",
		[]byte(
			`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">`+strings.Repeat(`<g font-size="300em">`, 9)+
				`<text y="50">Hello</text>`+strings.Repeat("</g>", 9)+`</svg>`,
		),
	)
	return paths
}

// hostileByName is the hostile corpus as far as it needs no seeds.
func hostileByName() map[string]hostile.File {
	corpus := map[string]hostile.File{}
	for _, f := range hostile.Files(hostile.Seeds{}) {
		corpus[f.Name] = f
	}
	return corpus
}

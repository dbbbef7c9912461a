package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// server is an HTTP target that is started for each job.
type server struct {
	name    string
	address string // URL without a final slash
	shape   shape
	command string // shell command; {port}, {sources} and {data} are replaced
	sources string
	work    string
	process process
	child   *exec.Cmd
	client  *http.Client
}

func (s *server) label() string { return s.name }

func (s *server) can(j job) bool { _, ok := s.shape(j, "x"); return ok }

func (s *server) start(ctx context.Context, j job) error {
	s.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 256,
		DisableCompression: true}}
	port, err := freePort()
	if err != nil {
		return err
	}
	data, err := os.MkdirTemp(s.work, "server-")
	if err != nil {
		return err
	}
	s.address = "http://127.0.0.1:" + strconv.Itoa(port)
	line := strings.NewReplacer("{port}", strconv.Itoa(port), "{sources}", s.sources, "{data}", data).Replace(s.command)
	s.child = exec.Command("sh", "-c", "exec "+line)
	log, err := os.Create(filepath.Join(data, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.child.Stdout, s.child.Stderr = log, log
	// The environment may contain settings that differ from the defaults.
	s.child.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "SAFELIGHT_") || strings.HasPrefix(v, "DATABASE_URL=")
	})
	if err := s.child.Start(); err != nil {
		return err
	}
	s.process = process{s.child.Process.Pid}
	for range 300 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			c.Close()
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.stop()
	return fmt.Errorf("%s did not start, see %s", s.name, log.Name())
}

func (s *server) stop() {
	s.client.CloseIdleConnections()
	if s.child != nil {
		s.child.Process.Signal(os.Interrupt)
		killer := time.AfterFunc(5*time.Second, func() { s.child.Process.Kill() })
		s.child.Wait()
		killer.Stop()
		s.child, s.process = nil, process{}
	}
}

func (s *server) answer(ctx context.Context, j job) ([]byte, error) { return s.get(ctx, j, 0) }

// page sends the requests that count as one: for the client's own copy of the source, in all widths if the job is a
// page.
func (s *server) page(ctx context.Context, j job, client int) error {
	if len(j.Widths) == 0 {
		_, err := s.get(ctx, j, client)
		return err
	}
	failures := make([]error, len(j.Widths))
	var wait sync.WaitGroup
	for n, width := range j.Widths {
		wait.Go(func() {
			one := j
			one.Width, one.Height = width, width
			_, failures[n] = s.get(ctx, one, client)
		})
	}
	wait.Wait()
	return errors.Join(failures...)
}

// get requests the client's own copy of the source.
func (s *server) get(ctx context.Context, j job, client int) ([]byte, error) {
	path, _ := s.shape(j, copyName(j.Source, client))
	request, err := http.NewRequestWithContext(ctx, "GET", s.address+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %.200s", path, response.Status, body)
	}
	return body, nil
}

func (s *server) run(ctx context.Context, j job, clients int, w work) (sample, error) {
	var mu sync.Mutex
	var all sample
	var failure error
	var wait sync.WaitGroup
	s.process.resetPeak()
	used, began := s.process.cpu(), time.Now()
	for client := range clients {
		wait.Go(func() {
			var took []float64
			var bad error
			failed := 0
			for ctx.Err() == nil && w.goes(began, len(took)+failed) {
				t := time.Now()
				if err := s.page(ctx, j, client); err != nil {
					failed, bad = failed+1, err
					time.Sleep(10 * time.Millisecond)
					continue
				}
				took = append(took, time.Since(t).Seconds())
			}
			mu.Lock()
			defer mu.Unlock()
			all.took, all.errors = append(all.took, took...), all.errors+failed
			failure = errors.Join(bad, failure)
		})
	}
	wait.Wait()
	all.requests, all.seconds = len(all.took), time.Since(began).Seconds()
	all.cpu, all.rss = s.process.cpu()-used, s.process.peak()
	if all.requests == 0 {
		return all, failure
	}
	return all, ctx.Err()
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

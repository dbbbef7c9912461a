package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// service is a program that a test stops and starts, such as a database.
type service struct {
	*testing.T
	address string
	command func() *exec.Cmd
	running *exec.Cmd
}

func (s *service) start() {
	s.Helper()
	c := s.command()
	c.Dir = "/"
	out := &lockedBuffer{}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		s.Fatal(err)
	}
	s.running = c
	waitFor(
		s.T, func() bool { return answers(s.address) },
		func() string { return c.Path + " does not start: " + out.String() },
	)
}

// stop ends the program by a signal.
func (s *service) stop(signal os.Signal) {
	if s.running == nil {
		return
	}
	_ = s.running.Process.Signal(signal) // an error means that it has ended
	_ = s.running.Wait()
	s.running = nil
}

func answers(address string) bool {
	c, err := net.Dial("tcp", address)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// ownPostgres starts a PostgreSQL server that the test may stop, and returns the URL of a database.
func ownPostgres(t *testing.T) (s *service, url string) {
	t.Helper()
	programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(programs) == 0 {
		t.Skip("PostgreSQL is not installed: make test installs it")
	}
	bin := filepath.Dir(programs[len(programs)-1])
	dir, err := os.MkdirTemp("", "safelight-fleet")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	as := &syscall.SysProcAttr{}
	data := filepath.Join(dir, "pg")
	must(t, os.Mkdir(data, 0o700))
	if os.Getuid() == 0 { // PostgreSQL refuses root
		u, err := user.Lookup("postgres")
		must(t, err)
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		must(t, os.Chown(data, uid, gid))
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	create := exec.Command(
		filepath.Join(bin, "initdb"), "-D", data, "-U", "safelight", "-A", "trust", "-E", "UTF8",
		"--no-locale", "--no-sync",
	)
	create.SysProcAttr, create.Dir = as, "/"
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s = &service{T: t, address: steadyAddress()}
	_, port, _ := strings.Cut(s.address, ":")
	s.command = func() *exec.Cmd {
		c := exec.Command(
			filepath.Join(bin, "postgres"), "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c",
			"unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=200",
		)
		c.SysProcAttr = as
		return c
	}
	s.start()
	t.Cleanup(func() { s.stop(syscall.SIGQUIT) })
	return s, "postgres://safelight@" + s.address + "/postgres?sslmode=disable"
}

// ownS3 starts an S3 server that the test may stop, and returns the URL of a bucket; the environment holds the keys.
func ownS3(t *testing.T) (s *service, url string) {
	t.Helper()
	program, err := filepath.Abs("../../.cache/bin/versitygw")
	must(t, err)
	if _, err := os.Stat(program); err != nil {
		t.Skip("versitygw is not installed: make test installs it")
	}
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "fleet"), 0o755))
	s = &service{T: t, address: steadyAddress()}
	s.command = func() *exec.Cmd {
		// connections stay, as those of S3 do
		c := exec.Command(program, "--port", s.address, "--keep-alive", "--quiet", "posix", dir)
		c.Env = append(
			os.Environ(), "ROOT_ACCESS_KEY="+os.Getenv("AWS_ACCESS_KEY_ID"),
			"ROOT_SECRET_KEY="+os.Getenv("AWS_SECRET_ACCESS_KEY"),
		)
		return c
	}
	s.start()
	t.Cleanup(func() { s.stop(syscall.SIGKILL) })
	return s, "s3://fleet?region=us-east-1&endpoint=http://" + s.address + "&use_path_style=true"
}

// steadyAddress returns an address that stays free while its program is stopped: the kernel gives ports below 32768 to
// no connection.
func steadyAddress() string {
	for {
		address := fmt.Sprintf("127.0.0.1:%d", 12000+rand.IntN(8000))
		if !answers(address) {
			return address
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// balancer sends each request to the next server that is ready. It repeats a request only if no server has received
// it.
type balancer struct {
	*httptest.Server
	mu       sync.Mutex
	backends []string // addresses; empty: none
	down     []bool
	next     int
	client   http.Transport
	stop     chan struct{}
	once     sync.Once // closes it
}

func newBalancer(servers int) *balancer {
	b := &balancer{backends: make([]string, servers), down: make([]bool, servers), stop: make(chan struct{}),
		client: http.Transport{MaxIdleConnsPerHost: 64, ResponseHeaderTimeout: 20 * time.Second}}
	b.Server = httptest.NewServer(b)
	go func() {
		for {
			select {
			case <-b.stop:
				return
			case <-time.After(200 * time.Millisecond):
			}
			b.check()
		}
	}()
	return b
}

// use says where a server listens.
func (b *balancer) use(i int, url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backends[i], b.down[i] = strings.TrimPrefix(url, "http://"), url == ""
}

// check asks every server whether it is ready.
func (b *balancer) check() {
	b.mu.Lock()
	all := slices.Clone(b.backends)
	b.mu.Unlock()
	var wg sync.WaitGroup
	for i, address := range all {
		wg.Go(func() {
			client := http.Client{Timeout: 3 * time.Second, Transport: &b.client}
			r, err := client.Get("http://" + address + "/readyz")
			ready := err == nil && r.StatusCode == http.StatusOK
			if err == nil {
				r.Body.Close()
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.backends[i] == address {
				b.down[i] = !ready
			}
		})
	}
	wg.Wait()
}

// pick returns the next server; empty if none is ready.
func (b *balancer) pick() (i int, address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.backends {
		b.next = (b.next + 1) % len(b.backends)
		if !b.down[b.next] && b.backends[b.next] != "" {
			return b.next, b.backends[b.next]
		}
	}
	return 0, ""
}

// ServeHTTP implements http.Handler.
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	for range b.backends {
		i, address := b.pick()
		if address == "" {
			break
		}
		out := r.Clone(r.Context())
		out.URL.Scheme, out.URL.Host, out.Host = "http", address, address
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		answer, err := b.client.RoundTrip(out)
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			b.mu.Lock()
			b.down[i] = b.down[i] || b.backends[i] == address
			b.mu.Unlock()
			continue
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		w.Header().Set("X-Server", fmt.Sprint(i))
		w.WriteHeader(answer.StatusCode)
		_, _ = w.Write(data)
		return
	}
	http.Error(w, "no server is ready", http.StatusServiceUnavailable)
}

// Close stops it.
func (b *balancer) Close() {
	b.once.Do(func() {
		close(b.stop)
		b.Server.Close()
	})
}

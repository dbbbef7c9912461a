package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// rollingProxies are the documented balancers of two servers.
var rollingProxies = []proxyKind{
	{
		name:    "nginx",
		program: "nginx",
		debian:  "nginx-light",
		configure: func(block, dir, listen, servers string) (string, []string) {
			one, two, _ := strings.Cut(servers, " ")
			upstream := strings.NewReplacer("127.0.0.1:8000", one, "127.0.0.1:8001", two).Replace(block)
			page := "server {\n location / {\n proxy_pass http://safelight;\n }\n}\n"
			return configureNginx(upstream+page, dir, listen, one)
		},
	},
	{
		name:    "caddy",
		program: "caddy",
		debian:  "caddy",
		configure: func(block, dir, listen, servers string) (string, []string) {
			block = strings.NewReplacer("one:8000 two:8000", servers, ":8080", "http://"+listen, "admin off",
				"admin off\n\tstorage file_system "+dir).
				Replace(block)
			return block, []string{"run", "--adapter", "caddyfile", "--config", dir + "/config"}
		},
	},
}

// TestRollingRestart restarts two servers, one after the other, behind the balancers of the documentation: under load,
// no request is lost.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	caddyfile, err := os.ReadFile("../../deploy/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	compose, err := os.ReadFile("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, delay, _ := strings.Cut(string(compose), "SAFELIGHT_SHUTDOWN_DELAY: ")
	delay, _, _ = strings.Cut(delay, " ")
	for _, kind := range rollingProxies {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(kind.program)
			if err != nil {
				t.Skipf("%s is not installed: apt-get install %s", kind.program, kind.debian)
			}
			var servers, addresses [2]string
			var running [2]*realServer
			start := func(i int) {
				running[i] = launchIn(
					t, servers[i], []string{"SAFELIGHT_PROCESSOR_SECRET=" + realSecret}, "--listen",
					addresses[i], "--shutdown-delay", delay,
				)
				for running[i].get("/readyz").status != http.StatusOK {
					time.Sleep(20 * time.Millisecond)
				}
			}
			for i := range servers {
				servers[i], addresses[i] = t.TempDir(), freeAddress(t)
				start(i)
			}
			t.Cleanup(func() {
				for _, s := range running {
					_ = s.stop()
				}
			})
			block := string(caddyfile)
			if kind.name == "nginx" {
				block = documentedBlock(t, "nginx upstream")
			}
			listen := freeAddress(t)
			runProxy(t, kind, program, block, listen, addresses[0]+" "+addresses[1])
			// known waits until the balancer sends requests to a server, or has noted that it is ready: the second
			// question comes after that.
			known := func(i int) {
				answered := func() float64 {
					return running[i].metric(`safelight_requests_total\{route="(?:image|/readyz)",status="200"\}`)
				}
				before := answered()
				waitFor(
					t, func() bool { return answered() >= before+2 },
					func() string { return fmt.Sprintf("the balancer does not know server %d", i) },
				)
			}
			load := &rollingLoad{
				T:     t,
				base:  "http://" + listen,
				image: "/" + running[0].signer.Sign("40x30/samples/welcome.jpg") + "/40x30/samples/welcome.jpg",
			}
			ctx, stop := context.WithCancel(t.Context())
			var clients sync.WaitGroup
			for range 4 {
				clients.Go(func() { load.run(ctx) })
			}
			for i := range running {
				if err := running[i].stop(); err != nil {
					t.Error(err)
				}
				start(i)
				known(i) // or the balancer knows of no server when the other one stops
			}
			stop()
			clients.Wait()
			if load.lost.Load() > 0 || load.done.Load() < 250 {
				t.Errorf("%d of %d requests were lost", load.lost.Load(), load.done.Load())
			}
			t.Logf("%d requests", load.done.Load())
		})
	}
}

// rollingLoad asks for a picture and the API in turn, as separate clients do.
type rollingLoad struct {
	*testing.T
	base, image string
	done, lost  atomic.Int64
}

func (l *rollingLoad) run(ctx context.Context) {
	client := &http.Client{Timeout: time.Minute}
	for i := 0; ctx.Err() == nil; i++ {
		time.Sleep(10 * time.Millisecond) // or four clients keep every core busy, and other tests wait
		r, err := http.NewRequest(http.MethodGet, l.base+l.image, nil)
		if i%4 == 3 {
			r, err = http.NewRequest(
				http.MethodPost, l.base+"/api/graphql", strings.NewReader(`{"query":"{ __typename }"}`),
			)
		}
		if err != nil {
			l.Error(err)
			return
		}
		r.Header.Set("Content-Type", "application/json")
		what := fmt.Sprint(r.Method, " ")
		response, err := client.Do(r)
		status := 0
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			response.Body.Close()
			status = response.StatusCode
		}
		l.done.Add(1)
		if err != nil || status >= 500 || r.Method == http.MethodGet && status != http.StatusOK {
			if l.lost.Add(1) <= 5 {
				l.Logf("%s: %d %v", what, status, err)
			}
		}
		time.Sleep(5 * time.Millisecond) // a load that leaves the machine something
	}
}

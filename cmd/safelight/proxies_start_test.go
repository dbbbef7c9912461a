package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// proxyKind is a proxy whose configuration is in docs/reference/http.md.
type proxyKind struct {
	name    string // also the info string of its block
	program string
	debian  string // the package with the program
	caches  bool
	// configure makes the block ready to run in an empty folder, and returns the arguments that run it in the
	// foreground.
	configure func(block, dir, listen, server string) (config string, arguments []string)
}

var proxyKinds = []proxyKind{
	{name: "nginx", program: "nginx", debian: "nginx-light", caches: true, configure: configureNginx},
	{name: "vcl", program: "varnishd", debian: "varnish", caches: true, configure: configureVarnish},
	{name: "caddyfile", program: "caddy", debian: "caddy", configure: configureCaddy},
	{name: "haproxy", program: "haproxy", debian: "haproxy", configure: configureHAProxy},
}

// documentedServer is the address of Safelight in the documentation.
const documentedServer = "127.0.0.1:8000"

func configureNginx(block, dir, listen, server string) (string, []string) {
	block = strings.NewReplacer(documentedServer, server, "/var/cache/nginx/images", dir+"/images", "server {\n",
		"server {\n    listen "+listen+";\n").
		Replace(block)
	var temporary string
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += kind + "_temp_path " + dir + "/" + kind + ";\n"
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	return "daemon off;\n" + user + "pid " + dir + "/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n" +
			temporary + block + "}\n", []string{
			"-p",
			dir,
			"-c",
			dir + "/config",
		}
}

func configureVarnish(block, dir, listen, server string) (string, []string) {
	_, port, _ := strings.Cut(server, ":")
	block = strings.Replace(block, `.port = "8000"`, `.port = "`+port+`"`, 1)
	return block, []string{
		"-F",
		"-j",
		"none",
		"-n",
		dir + "/varnish",
		"-a",
		listen,
		"-T",
		"none",
		"-f",
		dir + "/config",
		"-s",
		"malloc,64m",
		"-p",
		"http_req_hdr_len=32k",
	}
}

func configureCaddy(block, dir, listen, server string) (string, []string) {
	block = strings.NewReplacer(documentedServer, server, "images.example.com", "http://"+listen).Replace(block)
	return "{\n\tadmin off\n\tstorage file_system " + dir + "\n}\n" + block, []string{
		"run",
		"--adapter",
		"caddyfile",
		"--config",
		dir + "/config",
	}
}

func configureHAProxy(block, dir, listen, server string) (string, []string) {
	return strings.NewReplacer(documentedServer, server, "bind :80\n", "bind "+listen+"\n").
			Replace(block),
		[]string{
			"-db",
			"-f",
			dir + "/config",
		}
}

// documentedBlock returns the fenced block of docs/reference/http.md with that info string.
func documentedBlock(t *testing.T, kind string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/reference/http.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```"+kind+"\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !closed || !strings.Contains(block, "8000") {
		t.Fatalf("docs/reference/http.md has no block %s that names %s", kind, documentedServer)
	}
	return block
}

// startProxy runs the configuration of the documentation before the server at that address, and returns the URL of the
// proxy.
func startProxy(t *testing.T, kind proxyKind, program, server string) string {
	t.Helper()
	listen := freeAddress(t)
	runProxy(t, kind, program, documentedBlock(t, kind.name), listen, server)
	return "http://" + listen
}

// freeAddress returns an address for a program that cannot take a listener over, or listens there twice. No other
// program gets its port meanwhile: it is on a random loopback address, and all others use 127.0.0.1.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.N(254), rand.N(256), 1+rand.N(254)))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// runProxy starts the proxy and waits until it accepts connections.
func runProxy(t *testing.T, kind proxyKind, program, block, listen, server string) {
	t.Helper()
	dir := t.TempDir()
	config, arguments := kind.configure(block, dir, listen, server)
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(program, arguments...)
	run.Dir, run.Env = dir, append(cleanEnv(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	var output lockedBuffer
	run.Stdout, run.Stderr = &output, &output
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = run.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = run.Process.Signal(syscall.SIGTERM)
		<-ended
		if t.Failed() {
			t.Logf("%s: %s", program, output.String())
		}
	})
	for {
		if c, err := net.Dial("tcp", listen); err == nil {
			c.Close()
			return
		}
		select {
		case <-ended:
			t.Fatalf("%s ended", program)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

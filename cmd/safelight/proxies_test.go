package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestNginxOfTheDocs runs the configuration of docs/http.md in nginx before the product: signed images pass and are cached by
// what the client accepts, the API sees the client's headers, and large bodies arrive.
func TestNginxOfTheDocs(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed: apt-get install nginx-light")
	}
	dir, server := startInEmptyFolder(t)
	base := startNginx(t, nginx, strings.TrimPrefix(server.field(bannerURL), "http://"))
	sign := exec.Command("./bin/safelight", "url", "sign", "fit-in/300x200/samples/welcome.jpg")
	sign.Dir, sign.Env = dir, cleanEnv()
	path, err := sign.Output()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path string, body []byte, headers ...string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, base+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(b)
	}
	image := strings.TrimSpace(string(path))
	first, _ := ask("GET", image, nil)
	second, _ := ask("GET", image, nil)
	if first.StatusCode != 200 || second.StatusCode != 200 || first.Header.Get("X-Request-Id") != second.Header.Get("X-Request-Id") {
		t.Errorf("an image: %d, then %d; the second response is not that of the cache", first.StatusCode, second.StatusCode)
	}
	login := fmt.Sprintf(`{"username":"admin","password":%q}`, server.password())
	_, body := ask("POST", "/api/auth/login", []byte(login), "Content-Type", "application/json")
	token := regexp.MustCompile(`"token":"([^"]+)"`).FindStringSubmatch(body)
	if token == nil {
		t.Fatalf("login: %s", body)
	}
	bearer := "Bearer " + token[1]
	graphql := func(accept, query string) (*http.Response, string) {
		return ask("POST", "/api/graphql", []byte(fmt.Sprintf(`{"query":%q}`, query)), "Content-Type", "application/json", "Accept", accept, "Authorization", bearer)
	}
	if res, body := graphql("application/graphql-response+json", "{ me { username } }"); !strings.HasPrefix(res.Header.Get("Content-Type"), "application/graphql-response+json") {
		t.Errorf("the API got another Accept: %s %s", res.Header.Get("Content-Type"), body)
	}
	large := make([]byte, 2<<20)
	if res, body := ask("POST", "/api/uploads/", nil, "Tus-Resumable", "1.0.0", "Authorization", bearer, "Upload-Length", fmt.Sprint(len(large)), "Upload-Metadata", "path eC5wbmc="); res.StatusCode != 201 {
		t.Errorf("creating an upload: %d %s", res.StatusCode, body)
	} else if res, body := ask("PATCH", res.Header.Get("Location"), large[1:], "Tus-Resumable", "1.0.0", "Upload-Offset", "0", "Content-Type", "application/offset+octet-stream"); res.StatusCode != 204 {
		t.Errorf("2 MiB: %d %s", res.StatusCode, body)
	}
}

// startNginx runs the configuration of the documentation before the server at that address, and returns the URL of nginx.
func startNginx(t *testing.T, nginx, server string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```nginx\n")
	block, _, _ = strings.Cut(block, "```")
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close() // nginx cannot take it over
	block = strings.NewReplacer("127.0.0.1:8000", server, "/var/cache/nginx/images", dir+"/images", "server {\n", "server {\n    listen "+address+";\n").Replace(block)
	var temporary string
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += kind + "_temp_path " + dir + "/" + kind + ";\n"
	}
	config := filepath.Join(dir, "nginx.conf")
	whole := "daemon off;\nuser root;\npid " + dir + "/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n" + temporary + block + "}\n"
	if os.Getuid() != 0 {
		whole = strings.Replace(whole, "user root;\n", "", 1)
	}
	if err := os.WriteFile(config, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(nginx, "-p", dir, "-c", config)
	var log bytes.Buffer
	run.Stderr = &log
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = run.Wait(); close(ended) }()
	t.Cleanup(func() { _ = run.Process.Signal(os.Interrupt); <-ended })
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return "http://" + address
		}
		select {
		case <-ended:
			t.Fatalf("nginx ended: %s", log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

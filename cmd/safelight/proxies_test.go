package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// proxied is the product behind a proxy.
type proxied struct {
	*testing.T
	kind   proxyKind
	dir    string // of the product
	server *runningServer
	signed map[string]string // what `url sign` said of paths, for all proxies
	base   string            // URL of the proxy
	bearer string
	count  int
}

// TestProxiesOfTheDocs runs every configuration of docs/reference/http.md in its proxy, before the product.
func TestProxiesOfTheDocs(t *testing.T) {
	signed := map[string]string{}
	for _, kind := range proxyKinds {
		t.Run(kind.name, func(t *testing.T) {
			program, err := exec.LookPath(kind.program)
			if err != nil {
				t.Skipf("%s is not installed: apt-get install %s", kind.program, kind.debian)
			}
			dir, server := startInEmptyFolder(
				t, "--processor-secret", realSecret, "--auto-format", "--trusted-proxies", "127.0.0.1/32",
			)
			p := &proxied{T: t, kind: kind, dir: dir, server: server, signed: signed}
			p.base = startProxy(t, kind, program, strings.TrimPrefix(server.field(bannerURL), "http://"))
			p.logIn()
			p.checkImages()
			p.checkVariants()
			p.checkRanges()
			p.checkVersions()
			p.checkAPI()
			p.checkPages()
			p.checkMetrics()
			p.checkUploads()
			p.checkEvents()
			p.checkAddress()
		})
	}
}

// passed is a response, read to its end.
type passed struct {
	status int
	header http.Header
	body   string
	own    bool // made for this request: it does not come from a cache
}

// ask sends a request through the proxy, with a unique id.
func (p *proxied) ask(method, path string, body []byte, headers ...string) passed {
	p.Helper()
	res, id := p.open(p.Context(), http.DefaultTransport, method, path, body, headers...)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.Fatalf("%s %s: %v", method, path, err)
	}
	return passed{res.StatusCode, res.Header, string(b), res.Header.Get("X-Request-Id") == id}
}

// open sends a request and returns the response with its body unread, and the request's id.
func (p *proxied) open(
	ctx context.Context,
	transport http.RoundTripper,
	method, path string,
	body []byte,
	headers ...string,
) (*http.Response, string) {
	p.Helper()
	r, err := http.NewRequestWithContext(ctx, method, p.base+path, bytes.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	r.URL.Opaque, r.URL.RawQuery = "//"+r.URL.Host+path, "" // byte for byte
	p.count++
	id := fmt.Sprintf("request-%08d", p.count)
	r.Header.Set("X-Request-Id", id)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := transport.RoundTrip(r)
	if err != nil {
		p.Fatal(err)
	}
	return res, id
}

// sign returns the signed URL of a path.
func (p *proxied) sign(path string) string {
	p.Helper()
	if p.signed[path] == "" {
		command := exec.Command("./bin/safelight", "url", "sign", "--processor-secret", realSecret, path)
		command.Dir, command.Env = p.dir, cleanEnv()
		out, err := command.Output()
		if err != nil {
			p.Fatal(err)
		}
		p.signed[path] = strings.TrimSpace(string(out))
	}
	return p.signed[path]
}

// checkMetrics checks that a proxy does not pass the metrics on, however the path is written.
func (p *proxied) checkMetrics() {
	p.Helper()
	for _, path := range []string{"/metrics", "/METRICS", "/Metrics/", "/metrics?x=1", "//metrics", "/%6detrics"} {
		if r := p.ask("GET", path, nil); r.status < 400 || strings.Contains(r.body, "safelight_") {
			p.Errorf("%s: %d %.100s", path, r.status, r.body)
		}
	}
}

func (p *proxied) logIn() {
	p.Helper()
	r := p.ask(
		"POST", "/api/auth/login",
		fmt.Appendf(nil, `{"username":"admin","password":%q}`, p.server.password()), "Content-Type",
		"application/json",
	)
	token := regexp.MustCompile(`"token":"([^"]+)"`).FindStringSubmatch(r.body)
	if token == nil {
		p.Fatalf("login: %d %s", r.status, r.body)
	}
	p.bearer = "Bearer " + token[1]
}

// graphql sends a document and returns the response.
func (p *proxied) graphql(query string) passed {
	p.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	return p.ask(
		"POST", "/api/graphql", body, "Content-Type", "application/json", "Accept",
		"application/graphql-response+json", "Authorization", p.bearer,
	)
}

// checkImages checks that paths arrive byte for byte, and that the second response is the cache's if the proxy has
// one.
func (p *proxied) checkImages() {
	for _, path := range []string{"fit-in/300x200/samples/welcome.jpg",
		"fit-in/30x20/filters:fill(red):blur(2,1)/samples%2Fwelcome.jpg", "fit-in/30x20//samples/welcome.jpg",
		"filters:label(a%20b%2Fc,1,1)/samples/welcome.jpg?v=1"} {
		path, query, _ := strings.Cut(path, "?")
		signed := p.sign(path)
		if query != "" {
			signed += "?" + query
		}
		first, second := p.ask("GET", signed, nil), p.ask("GET", signed, nil, "Cookie", "a=b")
		if first.status != 200 || second.status != 200 || first.body != second.body {
			p.Errorf("%s: %d, then %d %.200s", path, first.status, second.status, second.body)
		}
		cacheable := !strings.Contains(first.header.Get("Cache-Control"), "no-cache")
		if !first.own || second.own == (p.kind.caches && cacheable) {
			p.Errorf("%s: the first response is its own: %v, the second: %v", path, first.own, second.own)
		}
	}
	if r := p.ask("GET", "/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/samples/welcome.jpg", nil); r.status != 403 ||
		r.header.Get("Cache-Control") != "no-store" {
		p.Errorf("a wrong signature: %d %s", r.status, r.header.Get("Cache-Control"))
	}
}

// checkVariants checks that each client gets a format that it shows, from the cache too, and that clients that show
// the same share a variant.
func (p *proxied) checkVariants() {
	path := p.sign("fit-in/64x64/samples/welcome.jpg")
	for round := range 2 {
		seen := map[string]bool{}
		for _, c := range []struct{ accept, want string }{
			{"image/avif,image/webp,image/apng,image/svg+xml,*/*;q=0.8", "image/avif"},
			{"image/webp,image/png,*/*;q=0.8", "image/webp"},
			{"*/*", "image/jpeg"},
			{"image/avif,image/webp,*/*", "image/avif"},
			{"text/html,image/webp;q=0.9,*/*;q=0.8", "image/webp"},
			{"image/png,*/*;q=0.5", "image/jpeg"},
		} {
			r := p.ask("GET", path, nil, "Accept", c.accept)
			if got := r.header.Get("Content-Type"); r.status != 200 || got != c.want {
				p.Errorf("round %d, Accept %s: %d %s, expected %s", round, c.accept, r.status, got, c.want)
			}
			if !strings.Contains(r.header.Get("Vary"), "Accept") {
				p.Errorf("Accept %s: Vary is %q", c.accept, r.header.Get("Vary"))
			}
			if fresh := !p.kind.caches || round == 0 && !seen[c.want]; r.own != fresh {
				p.Errorf("round %d, Accept %s: the response is its own: %v, expected %v", round, c.accept, r.own, fresh)
			}
			seen[c.want] = true
		}
	}
}

// checkRanges asks for a part of an image that no cache has, then of one that a cache may have, then whether it has
// changed.
func (p *proxied) checkRanges() {
	path := p.sign("fit-in/65x65/filters:format(jpeg)/samples/welcome.jpg")
	for _, state := range []string{"cold", "warm"} {
		part := p.ask("GET", path, nil, "Range", "bytes=10-109")
		whole := p.ask("GET", path, nil)
		if want := fmt.Sprintf("bytes 10-109/%d", len(whole.body)); part.status != 206 ||
			part.header.Get("Content-Range") != want ||
			len(whole.body) < 110 ||
			part.body != whole.body[10:110] {
			p.Errorf(
				"%s: %d, %s with %d bytes, expected 206 and %s", state, part.status,
				part.header.Get("Content-Range"), len(part.body), want,
			)
		}
		if r := p.ask("GET", path, nil, "If-None-Match", whole.header.Get("ETag")); r.status != 304 ||
			whole.header.Get("ETag") == "" {
			p.Errorf("%s: revalidation: %d", state, r.status)
		}
	}
}

// checkVersions checks that the URL with the version of a file is immutable, and with another one it is not.
func (p *proxied) checkVersions() {
	r := p.graphql(`{ files(folder: "samples") { nodes { thumbnailUrls { grid } } } }`)
	found := regexp.MustCompile(`"grid":"([^"]+)"`).FindStringSubmatch(r.body)
	if found == nil {
		p.Fatalf("no thumbnail: %s", r.body)
	}
	path, query, _ := strings.Cut(strings.ReplaceAll(found[1], `\u0026`, "&"), "?")
	if v, err := url.ParseQuery(query); err != nil || v.Get("v") == "" {
		p.Fatalf("the thumbnail's URL has no version: %s", found[1])
	}
	for range 2 {
		if r := p.ask("GET", path+"?"+query, nil); r.status != 200 ||
			!strings.Contains(r.header.Get("Cache-Control"), "immutable") {
			p.Errorf("the version of the file: %d %s", r.status, r.header.Get("Cache-Control"))
		}
		if r := p.ask("GET", path+"?v=other", nil); r.status != 200 ||
			!strings.Contains(r.header.Get("Cache-Control"), "no-cache") ||
			!r.own {
			p.Errorf("another version: %d %s, from the server: %v", r.status, r.header.Get("Cache-Control"), r.own)
		}
	}
}

// checkAPI checks that the API gets the client's headers and is never cached.
func (p *proxied) checkAPI() {
	const media = "application/graphql-response+json"
	for range 2 {
		r := p.ask(
			"GET", "/api/graphql?query="+url.QueryEscape("{ me { username } }"), nil, "Accept", media,
			"Authorization", p.bearer,
		)
		if r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), media) ||
			!strings.Contains(r.body, "admin") ||
			!r.own {
			p.Errorf("a query by GET: %d %s %s, its own: %v", r.status, r.header.Get("Content-Type"), r.body, r.own)
		}
		if r := p.graphql("{ me { username } }"); !strings.HasPrefix(r.header.Get("Content-Type"), media) || !r.own {
			p.Errorf("a query by POST: %s, its own: %v", r.header.Get("Content-Type"), r.own)
		}
	}
	if r := p.ask("GET", "/api/auth/me", nil); r.status != 401 {
		p.Errorf("without a token: %d %s", r.status, r.body)
	}
	private := "/unsafe/fit-in/40x40/samples/welcome.jpg"
	if r := p.ask("GET", private, nil, "Authorization", p.bearer); r.status != 200 {
		p.Errorf("an unsigned URL with a token: %d %s", r.status, r.body)
	}
	if r := p.ask("GET", private, nil); r.status != 403 {
		p.Errorf("an unsigned URL without a token: %d", r.status)
	}
}

// checkPages opens pages of the application as a browser does.
func (p *proxied) checkPages() {
	for _, path := range []string{"/", "/login", "/f/samples", "/playground"} {
		r := p.ask("GET", path, nil, "Accept", "text/html,application/xhtml+xml,image/avif,image/webp,*/*;q=0.8")
		if r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
			p.Errorf("%s: %d %s %.200s", path, r.status, r.header.Get("Content-Type"), r.body)
		}
	}
}

// checkUploads sends more than 1 MB by a multipart form, by tus and by PUT.
func (p *proxied) checkUploads() {
	picture := noisePNG(p.T)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField(
		"operations",
		`{"query":"mutation($f: Upload!) { addFile(input: {path: \"form.png\", content: $f}) { file { size } userErrors { message } } }","variables":{"f":null}}`,
	)
	_ = w.WriteField("map", `{"0":["variables.f"]}`)
	file, _ := w.CreateFormFile("0", "form.png")
	_, _ = file.Write(picture)
	_ = w.Close()
	r := p.ask("POST", "/api/graphql", form.Bytes(), "Content-Type", w.FormDataContentType(), "Authorization", p.bearer)
	if want := fmt.Sprint(len(picture)); r.status != 200 || !strings.Contains(r.body, want) {
		p.Errorf("multipart: %d %s, expected a file of %s bytes", r.status, r.body, want)
	}
	for method, metadata := range map[string]string{"PATCH": "path cGF0Y2gucG5n", "PUT": "path cHV0LnBuZw=="} {
		created := p.ask(
			"POST", "/api/uploads/", nil, "Tus-Resumable", "1.0.0", "Authorization", p.bearer,
			"Upload-Length", fmt.Sprint(len(picture)), "Upload-Metadata", metadata,
		)
		if created.status != 201 {
			p.Errorf("creating an upload: %d %s", created.status, created.body)
			continue
		}
		headers := []string{"Content-Type", "application/offset+octet-stream"}
		if method == "PATCH" {
			headers = append(headers, "Tus-Resumable", "1.0.0", "Upload-Offset", "0")
		}
		if r := p.ask(method, created.header.Get("Location"), picture, headers...); r.status != 204 {
			p.Errorf("%s: %d %s", method, r.status, r.body)
		}
		r := p.ask("HEAD", created.header.Get("Location"), nil, "Tus-Resumable", "1.0.0")
		if r.header.Get("Upload-Offset") != fmt.Sprint(len(picture)) {
			p.Errorf("%s: %d bytes sent, offset %s", method, len(picture), r.header.Get("Upload-Offset"))
		}
	}
}

// noisePNG returns a PNG of more than 1 MB.
func noisePNG(t *testing.T) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 700, 600))
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(m.Pix)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil || b.Len() < 1<<20 {
		t.Fatalf("%d bytes, %v", b.Len(), err)
	}
	return b.Bytes()
}

// checkEvents reads the first event of a stream that stays open: a proxy that buffers it holds it back.
func (p *proxied) checkEvents() {
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	res, _ := p.open(
		ctx, http.DefaultTransport, "POST", "/api/graphql",
		[]byte(`{"query":"subscription { folderChanges { kind } }"}`), "Content-Type", "application/json",
		"Accept", "text/event-stream", "Authorization", p.bearer,
	)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "RELOAD") {
			return
		}
	}
	p.Errorf("no event: %s, %v", res.Status, lines.Err())
}

// checkAddress checks that the log names the client, not the proxy and not what the client writes of itself.
func (p *proxied) checkAddress() {
	from := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext}
	defer from.CloseIdleConnections()
	for _, path := range []string{"/healthz", p.sign("fit-in/66x66/samples/welcome.jpg")} {
		res, id := p.open(p.Context(), from, "GET", path, nil, "X-Forwarded-For", "203.0.113.9")
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK || res.Header.Get("X-Request-Id") != id {
			p.Errorf("%s: %s, not answered by the server", path, res.Status)
		} else if got := p.server.logged(id, "address"); got != "127.0.0.2" {
			p.Errorf("%s: the log names %s, expected 127.0.0.2", path, got)
		}
	}
}

// logged waits for the log's line about a request and returns a field of it.
func (s *runningServer) logged(id, field string) string {
	for {
		for line := range strings.Lines(s.stderr.String()) {
			var fields map[string]any
			if json.Unmarshal([]byte(line), &fields) == nil && fields["msg"] == "request" && fields["requestId"] == id {
				return fmt.Sprint(fields[field])
			}
		}
		select {
		case <-s.done:
			return "the server ended"
		case <-time.After(10 * time.Millisecond):
		}
	}
}

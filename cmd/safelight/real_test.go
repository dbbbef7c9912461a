package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/imaging"
)

const realSecret, realPassword = "a secret for tests", "twelve characters"

// realServer is the program in a separate process with its own data folder.
type realServer struct {
	*testing.T
	*runningServer
	url, files string
	signer     *imaging.Signer
	client     *http.Client
}

// startReal starts the program with more settings than secret, password and data folder.
func startReal(t *testing.T, flags ...string) *realServer {
	t.Helper()
	b := launchReal(t, flags...)
	t.Cleanup(func() {
		if err := b.stop(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// launchReal is startReal without stopping it at the end.
func launchReal(t *testing.T, flags ...string) *realServer {
	t.Helper()
	return launchIn(t, t.TempDir(), []string{"SAFELIGHT_PROCESSOR_SECRET=" + realSecret}, flags...)
}

// launchIn is launchReal with a data folder and more of an environment.
func launchIn(t *testing.T, data string, env []string, flags ...string) *realServer {
	t.Helper()
	b, err := tryLaunchIn(t, data, env, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tryLaunchIn is launchIn with the error of a server that ends at its start.
func tryLaunchIn(t *testing.T, data string, env []string, flags ...string) (*realServer, error) {
	t.Helper()
	return launchProgram(t, programLink(t), data, env, flags...)
}

// launchProgram is tryLaunchIn of that program.
func launchProgram(t *testing.T, program, data string, env []string, flags ...string) (*realServer, error) {
	t.Helper()
	command := exec.Command(program, append([]string{"--listen", "127.0.0.1:0", "--log-level", "info"}, flags...)...)
	command.Env = append(append(os.Environ(), env...), "SAFELIGHT_ADMIN_PASSWORD="+realPassword, "SAFELIGHT_DATA="+data)
	running, err := startServer(command)
	if err != nil {
		return nil, err
	}
	signer, err := imaging.NewSigner(imaging.SignerConfig{Secret: realSecret, Type: imaging.SHA1})
	if err != nil {
		t.Fatal(err)
	}
	return &realServer{
		T: t, runningServer: running, url: running.field(bannerURL), files: filepath.Join(data, "files"),
		signer: signer,
		client: &http.Client{Timeout: waitTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 4096}},
	}, nil
}

// reply is an answer that was read to its end, after took. err is set when none came.
type reply struct {
	status int
	header http.Header
	body   []byte
	took   time.Duration
	err    error
}

func (b *realServer) do(r *http.Request, err error) reply {
	if err != nil {
		return reply{err: err}
	}
	began := time.Now()
	response, err := b.client.Do(r)
	if err != nil {
		return reply{err: err, took: time.Since(began)}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, body, time.Since(began), err}
}

func (b *realServer) get(path string) reply {
	return b.do(http.NewRequest(http.MethodGet, b.url+path, nil))
}

// post sends JSON, with a token unless that is empty.
func (b *realServer) post(path, body, token string) reply {
	r, err := http.NewRequest(http.MethodPost, b.url+path, strings.NewReader(body))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if err == nil && token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return b.do(r, err)
}

// upload sends a file by the multipart form of GraphQL.
func (b *realServer) upload(token, path string, data []byte) reply {
	b.Helper()
	body, contentType := uploadForm(b.T, path, data)
	r, err := http.NewRequest(http.MethodPost, b.url+"/api/graphql", bytes.NewReader(body))
	if err == nil {
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return b.do(r, err)
}

// uploadForm is the multipart form of GraphQL that stores a file, and its media type.
func uploadForm(t *testing.T, path string, data []byte) (form []byte, contentType string) {
	t.Helper()
	const operations = `{"query":"mutation($p:String!,$f:Upload!){addFile(input:{path:$p,content:$f}){file{path} userErrors{code message field}}}","variables":{"p":%q,"f":null}}`
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	err := parts.WriteField("operations", fmt.Sprintf(operations, path))
	if err == nil {
		err = parts.WriteField("map", `{"0":["variables.f"]}`)
	}
	if err == nil {
		part, e := parts.CreateFormFile("0", filepath.Base(path))
		if err = e; err == nil {
			_, err = part.Write(data)
		}
	}
	if err == nil {
		err = parts.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return body.Bytes(), parts.FormDataContentType()
}

func (b *realServer) signed(path string) string { return "/" + b.signer.Sign(path) + "/" + path }

// login returns the admin's token.
func (b *realServer) login() string {
	b.Helper()
	return b.loginAs("admin")
}

// loginAs returns the token of an account whose password is realPassword.
func (b *realServer) loginAs(name string) string {
	b.Helper()
	r := b.post("/api/auth/login", fmt.Sprintf(`{"username":%q,"password":%q}`, name, realPassword), "")
	var session struct{ Token string }
	if err := json.Unmarshal(r.body, &session); r.err != nil || err != nil || session.Token == "" {
		b.Fatalf("login: %v %v %s", r.err, err, r.body)
	}
	return session.Token
}

// process reads a figure of the process, in bytes, such as VmRSS.
func (b *realServer) process(name string) int64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.command.Process.Pid))
	if err != nil {
		b.Skipf("memory is read from /proc: %v", err)
	}
	m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		b.Fatalf("/proc has no %s", name)
	}
	kib, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kib << 10
}

// cpu is the time that all cores together have given to the process.
func (b *realServer) cpu() time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", b.command.Process.Pid))
	if err != nil {
		b.Skipf("time is read from /proc: %v", err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // 100 ticks a second everywhere that Go runs on Linux
}

// metric is the sum of a series over its labels that the pattern takes.
func (b *realServer) metric(pattern string) (sum float64) {
	b.Helper()
	r := b.get("/metrics")
	for _, m := range regexp.MustCompile(`(?m)^`+pattern+` (\S+)$`).FindAllSubmatch(r.body, -1) {
		v, _ := strconv.ParseFloat(string(m[len(m)-1]), 64)
		sum += v
	}
	return sum
}

// photo writes a JPEG with waves and some noise into the gallery's folder.
func (b *realServer) photo(name string, width, height int) {
	b.Helper()
	must(b.T, os.WriteFile(filepath.Join(b.files, name), photo(width, height), 0o600))
}

// photos are those that photo made: one of 12 megapixels takes half a second of CPU.
var photos sync.Map // from [2]int, width and height, to func() []byte

// photo returns a JPEG with waves and a little noise.
func photo(width, height int) []byte {
	made, _ := photos.LoadOrStore([2]int{width, height}, sync.OnceValue(func() []byte { return paint(width, height) }))
	return made.(func() []byte)()
}

func paint(width, height int) []byte {
	picture := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	waves := make([]float64, width)
	for x := range waves {
		waves[x] = 90 * math.Sin(float64(x)/37)
	}
	noise := uint32(1)
	for y := range height {
		wave := math.Cos(float64(y) / 53)
		for x := range width {
			noise = noise*1664525 + 1013904223
			picture.Y[picture.YOffset(x, y)] = uint8(waves[x]*wave + 128 + float64(noise>>28))
		}
	}
	for i := range picture.Cb {
		picture.Cb[i], picture.Cr[i] = uint8(i/977), uint8(i/1511)
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, picture, &jpeg.Options{Quality: 88}); err != nil {
		panic(err) // a buffer takes everything
	}
	return file.Bytes()
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/safelight/safelight/imaging"
)

// testSoak is how long TestSoak runs; CI and `make soak` set it. Without it, it is a short round.
const testSoak = "SAFELIGHT_TEST_SOAK"

const (
	soakClients = 8
	soakSample  = 40 // one response of this many is compared with a fresh one
)

// soak is a server under mixed traffic, and what was seen of it.
type soak struct {
	*testing.T
	url    string
	pid    int
	token  string
	signer *imaging.Signer
	files  string // folder of the pictures
	engine imaging.Engine

	pause                      sync.RWMutex // held by the clients while they work
	asked, compared, refused   atomic.Int64
	replaced, wrong, misplaced atomic.Int64
}

// figures are what must not grow.
type figures struct {
	rss         int64 // bytes
	goroutines  float64
	descriptors float64
}

// TestSoak holds a server to right answers and steady figures under mixed traffic: known and new
// results, bad input, listings, uploads and deletions, and a picture that is replaced all the time.
func TestSoak(t *testing.T) {
	length := 12 * time.Second
	if testing.Short() && os.Getenv(testSoak) == "" {
		t.Skip("make soak runs it for longer")
	}
	if text := os.Getenv(testSoak); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	s := newSoak(t)
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var clients sync.WaitGroup
	for n := range soakClients {
		clients.Go(func() { s.client(ctx, rand.New(rand.NewPCG(7, uint64(n)))) })
	}
	clients.Go(func() { s.replacer(ctx) })
	select { // the caches are full and everything has been used by this time
	case <-time.After(length / 3):
	case <-ctx.Done():
	}
	warm := s.atRest()
	clients.Wait()
	end := s.atRest()
	t.Logf(
		"%d requests, %d answers compared, %d pictures replaced, %d refused as overload", s.asked.Load(),
		s.compared.Load(), s.replaced.Load(), s.refused.Load(),
	)
	t.Logf(
		"resident %d MB, then %d MB; goroutines %.0f, %.0f; descriptors %.0f, %.0f", warm.rss>>20,
		end.rss>>20, warm.goroutines, end.goroutines, warm.descriptors, end.descriptors,
	)
	if s.wrong.Load() > 0 || s.misplaced.Load() > 0 {
		t.Errorf("%d wrong pictures, %d answers with another status than is right", s.wrong.Load(), s.misplaced.Load())
	}
	if s.compared.Load() == 0 || s.replaced.Load() == 0 {
		t.Error("nothing was compared")
	}
	if end.rss > warm.rss*5/4+64<<20 {
		t.Errorf("resident memory grew from %d to %d MB", warm.rss>>20, end.rss>>20)
	}
	if end.goroutines > warm.goroutines+30 || end.descriptors > warm.descriptors+20 {
		t.Errorf(
			"goroutines grew from %.0f to %.0f, descriptors from %.0f to %.0f", warm.goroutines,
			end.goroutines, warm.descriptors, end.descriptors,
		)
	}
}

func newSoak(t *testing.T) *soak {
	data := t.TempDir()
	binary := programLink(t)
	env := append(
		os.Environ(), "SAFELIGHT_PROCESSOR_SECRET=soak", "SAFELIGHT_ADMIN_PASSWORD=soak-soak-soak",
		"SAFELIGHT_DATA="+data, "SAFELIGHT_LOG_LEVEL=warn", "SAFELIGHT_RESULT_CACHE_MEMORY=16MiB",
		"SAFELIGHT_RESULT_CACHE_FILES=64MiB",
	) // full within the warm-up
	demo := exec.Command(binary, "demo")
	demo.Env = env
	if out, err := demo.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := filepath.Join(data, "files")
	if err := os.WriteFile(filepath.Join(files, "broken.jpg"), []byte("\xff\xd8\xff\xe0 this is no picture"),
		0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary, "--listen", "127.0.0.1:0", "--log-level", "info")
	command.Env = env
	server, err := startServer(command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.stop(); err != nil {
			t.Error(err)
		}
	})
	signer, err := imaging.NewSigner(imaging.SignerConfig{Secret: "soak", Type: imaging.SHA1})
	if err != nil {
		t.Fatal(err)
	}
	settings, err := resolve(nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	engine, stop, err := openEngine(settings, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	s := &soak{
		T:      t,
		url:    server.field(bannerURL),
		pid:    server.command.Process.Pid,
		signer: signer,
		files:  files,
		engine: engine,
	}
	var login struct{ Token string }
	s.json("/api/auth/login", `{"username":"admin","password":"soak-soak-soak"}`, &login)
	s.token = login.Token
	return s
}

// soakPictures are the pictures that every client asks for.
var soakPictures = []string{
	"demo/landscapes/dawn.jpg", "demo/landscapes/moonlight.jpg", "demo/patterns/julia.jpg", "demo/patterns/arcs.png",
	"demo/transparent/bubbles.png", "demo/animated/orbit.gif",
}

// soakOperations have %d for a number that makes them new.
var soakOperations = []string{
	"fit-in/%dx300", "%dx200/smart", "fit-in/%dx240/filters:format(webp):quality(70)", "%dx%[1]d/filters:format(png)",
	"fit-in/%dx400/filters:blur(3):format(jpeg)", "%dx180/filters:grayscale():round_corner(20)",
	"fit-in/%dx260/filters:rotate(90):format(webp)",
	"fit-in/%dx200/filters:watermark(demo/transparent/bubbles.png,10,10,30,40,40):format(jpeg)", "meta/fit-in/%dx200",
}

// soakBad are requests that end in an error, and in which.
var soakBad = []struct {
	operations, image string
	status            int
}{
	{"fit-in/%dx300", "demo/nothing.jpg", 404},
	{"fit-in/%dx300", "broken.jpg", 422},
	{"99999x%d", "demo/landscapes/dawn.jpg", 413},
	{"%dx300/filters:watermark(demo/nothing.png,0,0,0)", "demo/landscapes/dawn.jpg", 404},
	{"%dx300", "../../keys.json", 400},
}

// client asks until ctx ends.
func (s *soak) client(ctx context.Context, random *rand.Rand) {
	for n := 0; ctx.Err() == nil; n++ {
		s.pause.RLock()
		switch pick := random.IntN(100); {
		case pick < 70: // seen before, most of the time
			s.picture(random, 100+10*random.IntN(8))
		case pick < 82:
			s.picture(random, 60+random.IntN(500))
		case pick < 90:
			bad := soakBad[random.IntN(len(soakBad))]
			s.expect(s.signed(fmt.Sprintf(bad.operations, 50+random.IntN(200)), bad.image), bad.status)
		case pick < 92:
			s.expect("/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/10x10/demo/landscapes/dawn.jpg", 403)
		case pick < 97:
			s.graphQL(
				`{ files(folder: "demo", sort: SIZE) { totalCount nodes { name thumbnailUrls { grid } } } me { role } }`,
			)
		default:
			path := fmt.Sprintf("soak/%d-%d.png", random.Uint64(), n)
			s.upload(path, color.Gray{uint8(n)}, "ERROR")
			s.expect(s.signed("20x20", path), 200)
			s.graphQL(
				fmt.Sprintf(
					`mutation { deleteFiles(input: {paths: [%q]}) { results { ok error { code message field } } userErrors { code message field } } }`,
					path,
				),
			)
			s.expect(s.signed("20x20", path), 404)
		}
		s.pause.RUnlock()
	}
}

// picture requests one result and compares some of them with a new rendering.
func (s *soak) picture(random *rand.Rand, size int) {
	path := fmt.Sprintf(soakOperations[random.IntN(len(soakOperations))], size)
	source := soakPictures[random.IntN(len(soakPictures))]
	status, body := s.get(s.signed(path, source))
	if status != 200 {
		s.misplace(path+"/"+source, status, 200)
		return
	}
	if random.IntN(soakSample) > 0 || strings.HasPrefix(path, "meta/") {
		return
	}
	s.compared.Add(1)
	if fresh := s.fresh(path, source); !bytes.Equal(fresh, body) {
		s.wrong.Add(1)
		s.Errorf("%s/%s: %d bytes, made afresh it has %d", path, source, len(body), len(fresh))
	}
}

func (s *soak) fresh(path, source string) []byte {
	request, err := imaging.Parse("unsafe/" + path + "/" + source)
	if err != nil {
		s.Error(err)
		return nil
	}
	open := func(name string) imaging.Source {
		data, err := os.ReadFile(filepath.Join(s.files, name))
		if err != nil {
			s.Error(err)
		}
		return imaging.Source{Name: name, Size: int64(len(data)), Reader: bytes.NewReader(data)}
	}
	src := open(source)
	src.Layers = map[string]imaging.Source{"demo/transparent/bubbles.png": open("demo/transparent/bubbles.png")}
	result, err := s.engine.Process(context.Background(), src, request.Operations, imaging.DefaultLimits())
	if err != nil {
		s.Error(err)
		return nil
	}
	return result.Data
}

// replacer replaces a picture by another colour all the time; the next request has to show it.
func (s *soak) replacer(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		s.pause.RLock()
		grey := uint8(n * 37)
		s.upload("soak/changing.png", color.Gray{grey}, "REPLACE")
		status, body := s.get(s.signed("8x8/filters:format(png)", "soak/changing.png"))
		if status == 200 {
			s.replaced.Add(1)
			shown, err := png.Decode(bytes.NewReader(body))
			if err != nil {
				s.Error(err)
			} else if got := color.GrayModel.Convert(shown.At(4, 4)).(color.Gray).Y; got != grey {
				s.wrong.Add(1)
				s.Errorf("after a replacement by grey %d the picture shows %d", grey, got)
			}
		} else {
			s.misplace("changing.png", status, 200)
		}
		s.pause.RUnlock()
		time.Sleep(20 * time.Millisecond)
	}
}

// expect asks and compares the status.
func (s *soak) expect(path string, want int) {
	if status, _ := s.get(path); status != want {
		s.misplace(path, status, want)
	}
}

// misplace counts an answer of another status than was expected; being refused as overload is right.
func (s *soak) misplace(what string, got, want int) {
	if got == http.StatusServiceUnavailable {
		s.refused.Add(1)
		return
	}
	if s.misplaced.Add(1) < 10 {
		s.Errorf("%s: %d, expected %d", what, got, want)
	}
}

func (s *soak) signed(operations, image string) string {
	path := operations + "/" + image
	return "/" + s.signer.Sign(path) + "/" + path
}

func (s *soak) get(path string) (int, []byte) {
	s.asked.Add(1)
	response, err := http.Get(s.url + path)
	if err != nil {
		s.Error(err)
		return 0, nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.Error(err)
	}
	return response.StatusCode, body
}

// json posts a body and reads the answer.
func (s *soak) json(path, body string, into any) {
	response, err := s.post(path, "application/json", strings.NewReader(body))
	if err == nil {
		err = json.Unmarshal(response, into)
	}
	if err != nil {
		s.Errorf("%s: %v\n%s", path, err, response)
	}
}

func (s *soak) post(path, contentType string, body io.Reader) ([]byte, error) {
	s.asked.Add(1)
	request, err := http.NewRequest(http.MethodPost, s.url+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != 200 {
		err = errors.New(response.Status)
	}
	return answer, err
}

func (s *soak) graphQL(query string) {
	body, _ := json.Marshal(map[string]string{"query": query})
	var answer struct{ Errors []any }
	if s.json("/api/graphql", string(body), &answer); len(answer.Errors) > 0 {
		s.Errorf("%s: %v", query, answer.Errors)
	}
}

// upload sends a picture of one colour.
func (s *soak) upload(path string, fill color.Gray, policy string) {
	picture := image.NewGray(image.Rect(0, 0, 64, 64))
	for i := range picture.Pix {
		picture.Pix[i] = fill.Y
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField(
		"operations",
		fmt.Sprintf(
			`{"query":"mutation($f: Upload!) { addFile(input: {path: \"%s\", content: $f, onConflict: %s}) { userErrors { code message } } }","variables":{"f":null}}`,
			path, policy,
		),
	)
	_ = form.WriteField("map", `{"0":["variables.f"]}`)
	file, _ := form.CreateFormFile("0", "a.png")
	_ = png.Encode(file, picture)
	_ = form.Close()
	answer, err := s.post("/api/graphql", form.FormDataContentType(), &body)
	if err != nil || bytes.Contains(answer, []byte(`"code"`)) {
		s.Errorf("uploading %s: %v %s", path, err, answer)
	}
}

// atRest stops the clients for a moment and reads the figures.
func (s *soak) atRest() figures {
	s.pause.Lock()
	defer s.pause.Unlock()
	http.DefaultClient.CloseIdleConnections()
	time.Sleep(3 * time.Second) // what runs in the background ends
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		s.Skipf("memory is read from /proc: %v", err)
	}
	var f figures
	if m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status); m != nil {
		kib, _ := strconv.ParseInt(string(m[1]), 10, 64)
		f.rss = kib << 10
	}
	_, metrics := s.get("/metrics")
	read := func(name string) (v float64) {
		if m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(metrics); m != nil {
			v, _ = strconv.ParseFloat(string(m[1]), 64)
		}
		return v
	}
	f.goroutines, f.descriptors = read("go_goroutines"), read("process_open_fds")
	return f
}

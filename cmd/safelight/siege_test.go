package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// testSiege is how long each attack of TestSiege lasts; `make siege` sets it. Without it, each is a short round.
const testSiege = "SAFELIGHT_TEST_SIEGE"

const (
	siegeMemory = 1 << 30         // bytes, of all processes of the server together
	siegeP99    = 2 * time.Second // of ordinary requests, on a machine with idle cores
	siegeFiles  = 100             // small files in the folder that nested queries list
)

// TestSiege attacks a server with default settings in a control group of 1 GiB, each time with what once stopped it or
// kept it from serving others. Meanwhile other clients ask for pictures, list files and upload. Each of them gets its
// answer, what was stored is still there afterwards, and the kernel has killed nothing. One server bears all attacks,
// and each comes from another address, because a limit of an address may outlast an attack.
func TestSiege(t *testing.T) {
	length := 5 * time.Second
	if testing.Short() {
		length = 2 * time.Second
	}
	if text := os.Getenv(testSiege); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}

	all, s := t, startSiege(t)
	for i, attack := range []struct {
		name string
		run  func(*siege, context.Context)
	}{
		{"nested lists", (*siege).nestedLists},
		{"bodies of anonymous requests", (*siege).bodies},
		{"bodies from many addresses", (*siege).bodiesOfMany},
		{"turbulence", (*siege).turbulence},
		{"heavy requests of one client", (*siege).heavy},
		{"heavy uploads of one account", (*siege).heavyUploads},
	} {
		t.Run(attack.name, func(t *testing.T) {
			s.attackBy(t, fmt.Sprintf("127.0.0.%d", 66+i))
			defer func() { s.realServer.T = all }()
			again(t, func() (problems []string) {
				alone := s.ordinary(length/2, nil)
				beside := s.ordinary(length, attack.run)
				t.Logf("nobody attacks: %v", alone)
				t.Logf(
					"under attack: %v; answers to the attack: %v; load of the machine %s", beside, s.answers,
					machineLoad(),
				)
				problems = slices.Concat(alone.refused, beside.refused)
				// on a machine that others use, ordinary requests are slow without any attack, too
				if limit := siegeP99 + 10*alone.took.at(99); beside.took.at(99) > limit {
					problems = append(problems, fmt.Sprintf(
						"the p99 of %d ordinary requests is %v, expected at most %v", beside.took.count(),
						beside.took.at(99), limit,
					))
				}
				return problems
			})
			before := s.killed
			if s.killed = s.group.killed(t); s.killed > before {
				t.Errorf("the kernel killed %d processes for their memory", s.killed-before)
			}
			s.nothingLost()
		})
	}
}

// siege is a server under attack, with the tokens of two accounts.
type siege struct {
	*realServer
	group       memoryGroup
	killed      int    // processes, by the kernel, so far
	token       string // of the admin
	read        string // of a guest, or of the admin where guests may not come
	attackToken string // of an account that only attacks use
	address     string // that the attack comes from; ordinary requests come from 127.0.0.1
	attacker    *http.Client

	mu      sync.Mutex
	answers map[string]int // to the attack: how often each status came, and "error" for none
	stored  map[string][32]byte
}

// startSiege starts the server in a control group of siegeMemory, over a folder of small files, two photos and a
// hostile SVG.
func startSiege(t *testing.T) *siege {
	t.Helper()
	group := newMemoryGroup(t, siegeMemory)
	env := []string{"SAFELIGHT_PROCESSOR_SECRET=" + realSecret, hashVariable + "=1"} // logins take memory, too
	b, err := launchProgram(t, group.program(t), t.TempDir(), env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.stop(); err != nil {
			t.Error(err)
		}
	})

	s := &siege{realServer: b, group: group, stored: map[string][32]byte{}}
	s.photo("photo.jpg", 1600, 1200)
	s.photo("large.jpg", 6000, 4000)
	s.write(
		"turbulence.svg",
		[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000"><filter id="f">`+
			`<feTurbulence type="turbulence" baseFrequency="0.5" numOctaves="100000"/></filter><rect width="1000" height="1000" filter="url(#f)"/></svg>`),
	)
	for i := range siegeFiles {
		s.write(fmt.Sprintf("many/%03d.png", i), siegePicture(t, i))
	}
	s.token = s.login()
	s.createAttacker()
	s.read = s.token
	if r := s.post("/api/auth/guest", "", ""); r.status == http.StatusOK {
		var session struct{ Token string }
		if err := json.Unmarshal(r.body, &session); err != nil {
			t.Fatal(err)
		}
		s.read = session.Token
	}
	waitFor(t, func() bool {
		found := s.query(s.token, `{files(first:100,folder:"many"){nodes{id}}}`)
		return strings.Count(string(found.body), `"id"`) == siegeFiles
	}, func() string { return "the small files are not indexed" })
	return s
}

// attackBy prepares for an attack from an address. t is the test of that attack.
func (s *siege) attackBy(t *testing.T, address string) {
	s.realServer.T, s.address, s.answers = t, address, map[string]int{}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	s.attacker = &http.Client{
		Timeout:   2 * time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: 100, DialContext: dialer.DialContext},
	}
}

func (s *siege) createAttacker() {
	s.Helper()
	const create = `mutation { createUser(input: {displayName: "x", username: "attacker", password: "` + realPassword +
		`"}) { id } }`
	if r := s.query(s.token, create); !strings.Contains(string(r.body), `"id"`) {
		s.Fatalf("creating an account: %d %s", r.status, r.body)
	}
	s.attackToken = s.loginAs("attacker")
}

func (s *siege) write(name string, data []byte) {
	s.Helper()
	file := filepath.Join(s.files, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(file), 0o750)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// query sends a GraphQL operation.
func (s *siege) query(token, text string) reply {
	body, err := json.Marshal(map[string]string{"query": text})
	if err != nil {
		s.Fatal(err)
	}
	return s.post("/api/graphql", string(body), token)
}

// siegePicture is a small picture that is different for each number.
func siegePicture(t *testing.T, n int) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 16, 16))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i*7 + n)
	}
	picture.Pix[0], picture.Pix[1], picture.Pix[2] = byte(n), byte(n>>8), byte(n>>16)
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// ordinaryAnswers is what other clients get.
type ordinaryAnswers struct {
	took    times
	uploads int

	mu      sync.Mutex
	refused []string // answers that are not what was asked for
}

func (o *ordinaryAnswers) String() string {
	return fmt.Sprintf(
		"%d answers, p50 %s, p99 %s, %d uploads", o.took.count(), ms(o.took.at(50)), ms(o.took.at(99)),
		o.uploads,
	)
}

// ordinary asks for pictures, lists files and uploads for that long, beside an attack that ends with its context.
func (s *siege) ordinary(length time.Duration, attack func(*siege, context.Context)) *ordinaryAnswers {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	o := &ordinaryAnswers{}
	var attackers, clients sync.WaitGroup
	if attack != nil {
		attackers.Go(func() { attack(s, ctx) })
	}
	repeat := func(pause time.Duration, ask func(n int) reply) {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				r := ask(n)
				o.took.add(r.took)
				if r.err != nil {
					s.Errorf("an ordinary request after %v: %v", r.took, r.err)
					return // the server is gone, or as good as that
				}
				if r.status != http.StatusOK || bytes.Contains(r.body, []byte(`"errors":[{`)) {
					o.mu.Lock()
					o.refused = append(o.refused, fmt.Sprintf("an ordinary request after %v: %d %.200s", r.took, r.status,
						r.body))
					o.mu.Unlock()
				}
				time.Sleep(pause)
			}
		})
	}
	began := time.Now().UnixNano()
	repeat(20*time.Millisecond, func(n int) reply {
		return s.get(s.signed(fmt.Sprintf("fit-in/%dx%d/photo.jpg", 100+n%300, 200+(int(began)+n)%300)))
	})
	repeat(
		50*time.Millisecond,
		func(int) reply { return s.query(s.token, `{files(first:20,folder:"many"){nodes{id path}}}`) },
	)
	repeat(200*time.Millisecond, func(n int) reply {
		data := siegePicture(s.T, len(s.stored)+siegeFiles)
		name := fmt.Sprintf("uploads/%d.png", len(s.stored))
		r := s.upload(s.token, name, data)
		if r.err == nil && bytes.Contains(r.body, []byte(`"userErrors":[]`)) {
			s.stored[name] = sha256.Sum256(data)
			o.uploads++
		}
		return r
	})
	clients.Wait()
	attackers.Wait()
	return o
}

// nothingLost compares every upload that was acknowledged with the file in the storage and with what the API lists.
func (s *siege) nothingLost() {
	s.Helper()
	if len(s.stored) == 0 {
		s.Error("nothing was uploaded")
	}
	for _, name := range slices.Sorted(maps.Keys(s.stored)) {
		data, err := os.ReadFile(filepath.Join(s.files, filepath.FromSlash(name)))
		if err != nil || sha256.Sum256(data) != s.stored[name] {
			s.Errorf("%s is lost or damaged: %d bytes, %v", name, len(data), err)
		}
		if r := s.query(s.token, fmt.Sprintf(`{file(path:%q){path}}`, name)); !bytes.Contains(r.body, []byte(name)) {
			s.Errorf("%s is not in the index: %s", name, r.body)
		}
	}
}

// count notes what an attacker got.
func (s *siege) count(status int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.answers["error"]++
		return
	}
	s.answers[strconv.Itoa(status)]++
}

// send sends a request of the attacker's.
func (s *siege) send(ctx context.Context, method, path, body, token string) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.count(0, err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := s.attacker.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			s.count(0, err)
		}
		return
	}
	_, err = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	s.count(response.StatusCode, err)
}

// each runs do in that many goroutines, again and again, until the context ends.
func (s *siege) each(ctx context.Context, clients int, do func(client, n int)) {
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				do(c, n)
			}
		})
	}
	all.Wait()
}

// nestedLists asks for the files of the folders of the files of folders: 100 to the power of four nodes.
func (s *siege) nestedLists(ctx context.Context) {
	nested := func(depth int) string {
		text := "id path"
		for range depth {
			text = "folder{files(first:100){nodes{" + text + "}}}"
		}
		return "{files(first:100,recursive:true){nodes{" + text + "}}}"
	}
	s.each(ctx, 4, func(_, n int) {
		body, _ := json.Marshal(map[string]string{"query": nested(3 - n%2)})
		s.send(ctx, http.MethodPost, "/api/graphql", string(body), s.read)
	})
}

// bodies opens 2,803 connections that each send nearly all of a megabyte to a route that needs no token, and wait.
func (s *siege) bodies(ctx context.Context) {
	s.halfBodies(ctx, func(int) string { return s.address })
}

// bodiesOfMany is bodies from another address each, so that no limit of an address helps.
func (s *siege) bodiesOfMany(ctx context.Context) {
	s.halfBodies(ctx, func(n int) string { return fmt.Sprintf("127.0.%d.%d", 100+n/250, 1+n%250) })
}

func (s *siege) halfBodies(ctx context.Context, address func(n int) string) {
	const connections, sent, length = 2803, 990_000, 1_000_000
	part := bytes.Repeat([]byte(" "), sent)
	routes := []string{"login", "refresh", "guest", "register"}
	var all sync.WaitGroup
	defer all.Wait()
	for n := range connections {
		if ctx.Err() != nil {
			return
		}
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address(n))}}
		conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			s.count(0, err)
			continue
		}
		all.Go(func() {
			defer conn.Close()
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			defer stop()
			_, err := fmt.Fprintf(
				conn,
				"POST /api/auth/%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
				routes[n%len(routes)], length,
			)
			if err == nil {
				_, _ = conn.Write(part)
				_, err = io.Copy(io.Discard, conn) // until the server ends the connection
			}
			if ctx.Err() == nil {
				s.count(0, err)
			}
		})
	}
}

// turbulence asks two clients' worth for the SVG, each time in another size.
func (s *siege) turbulence(ctx context.Context) {
	s.each(ctx, 2, func(c, n int) {
		s.send(ctx, http.MethodGet, s.signed(fmt.Sprintf("fit-in/%dx%d/turbulence.svg", 500+n%500, 600+c)), "", "")
	})
}

// heavy asks for results that take as long as a request may, over twenty connections.
func (s *siege) heavy(ctx context.Context) {
	s.each(ctx, 20, func(c, n int) {
		s.send(
			ctx,
			http.MethodGet,
			s.signed(
				fmt.Sprintf(
					"fit-in/%dx3000/filters:sharpen(3):blur(20):format(webp):quality(%d)/large.jpg",
					2000+n%2000, 60+c,
				),
			),
			"",
			"",
		)
	})
}

// heavyUploads stores pictures that take long to analyze, over twenty connections of one account.
func (s *siege) heavyUploads(ctx context.Context) {
	large, err := os.ReadFile(filepath.Join(s.files, "large.jpg"))
	if err != nil {
		s.Error(err)
		return
	}
	s.each(ctx, 20, func(c, n int) {
		body, contentType := uploadForm(s.T, fmt.Sprintf("attack/%d-%d.jpg", c, n), large)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/graphql", bytes.NewReader(body))
		if err != nil {
			s.count(0, err)
			return
		}
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Authorization", "Bearer "+s.attackToken)
		response, err := s.attacker.Do(r)
		if err != nil {
			return // the round is over
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		s.count(response.StatusCode, err)
	})
}

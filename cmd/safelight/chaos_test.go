package main

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The variables of `make chaos`: how often the server is killed, and which binary is (the test's own
// when it is not set).
const (
	chaosRounds = "SAFELIGHT_TEST_CHAOS"
	chaosBinary = "SAFELIGHT_TEST_CHAOS_BINARY"
)

const chaosPassword = "chaos chaos chaos 42"

// TestChaos kills the server with SIGKILL while clients upload, move, copy and delete, restarts it on the remaining
// data, and compares: acknowledged changes are there, interrupted changes happened completely or not at all, no
// partial file is visible, and the API says what the disk holds.
func TestChaos(t *testing.T) {
	rounds := 20
	if text := os.Getenv(chaosRounds); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	if testing.Short() {
		rounds = 2
	}
	site := &chaosSite{T: t, data: t.TempDir()}
	var clients []*chaosClient
	for i := range 6 {
		clients = append(clients, &chaosClient{site: site, folder: fmt.Sprintf("w%d", i), files: map[string]string{}})
	}
	for range rounds {
		site.start()
		site.compare(clients)
		if t.Failed() {
			t.Fatalf("the log of the server:\n%s", site.server.stderr.String())
		}
		site.storm(clients)
	}
	site.start()
	site.compare(clients)
	if err := site.server.stop(); err != nil {
		t.Error(err)
	}
	done, resumed := 0, 0
	for _, c := range clients {
		done, resumed = done+c.done, resumed+c.resumed
	}
	t.Logf("%d kills, %d changes acknowledged, %d uploads resumed", rounds, done, resumed)
}

// chaosSite is a data folder and the server that runs on it at the moment.
type chaosSite struct {
	*testing.T
	data   string
	server *runningServer
	url    string
	token  string
}

func (s *chaosSite) start() {
	s.Helper()
	binary := os.Getenv(chaosBinary)
	if binary == "" {
		var err error
		if binary, err = exec.LookPath("safelight"); err != nil {
			s.Fatal(err)
		}
	}
	command := exec.Command(
		binary, "serve", "--listen", "127.0.0.1:0", "--data", s.data, "--admin-password", chaosPassword,
		"--log-level", "info",
	)
	server, err := startServer(command)
	if err != nil {
		s.Fatal(err)
	}
	s.server, s.url = server, server.field(bannerURL)
	s.Cleanup(func() { _ = server.command.Process.Kill() }) // an error means that it has ended
	s.settle()
	if s.token != "" {
		return // it survives
	}
	body, _ := json.Marshal(map[string]string{"username": "admin", "password": chaosPassword})
	response, err := http.Post(s.url+"/api/auth/login", "application/json", bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Token string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Token == "" {
		s.Fatalf("login: %s %v", response.Status, err)
	}
	s.token = answer.Token
}

// settle waits until the server has completed the changes that the kill has interrupted, which it does while it serves.
func (s *chaosSite) settle() {
	s.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(s.data, "safelight.db")+"?mode=ro")
	must(s.T, err)
	defer db.Close()
	left := -1
	waitFor(s.T, func() bool {
		must(s.T, db.QueryRow("SELECT count(*) FROM intents").Scan(&left))
		return left == 0
	}, func() string { return fmt.Sprintf("%d changes are not completed", left) })
}

// storm lets the clients work and kills the server in the middle of it.
func (s *chaosSite) storm(clients []*chaosClient) {
	var wg sync.WaitGroup
	for _, c := range clients {
		wg.Go(c.work)
	}
	time.Sleep(time.Duration(50+rand.IntN(600)) * time.Millisecond)
	_ = s.server.command.Process.Kill()
	<-s.server.done
	wg.Wait()
}

// compare holds the disk against the API and both against what the clients know.
func (s *chaosSite) compare(clients []*chaosClient) {
	s.Helper()
	disk := s.disk()
	listed := map[string]int64{}
	s.list("", listed)
	for path, sum := range disk {
		size, ok := listed[path]
		if !ok {
			s.Errorf("%s is on the disk and not listed", path)
		} else if text := fmt.Sprint(size); !strings.HasSuffix(sum, "/"+text) {
			s.Errorf("%s is listed with %s bytes, the disk has %s", path, text, sum)
		}
	}
	for path := range listed {
		if _, ok := disk[path]; !ok {
			s.Errorf("%s is listed and not on the disk", path)
		}
	}
	for _, c := range clients {
		mine := map[string]string{}
		for path, sum := range disk {
			if strings.HasPrefix(path, c.folder+"/") {
				mine[path] = sum
			}
		}
		if !maps.Equal(mine, c.files) && (c.after == nil || !maps.Equal(mine, c.after)) {
			s.Errorf("%s during %q:\nis     %v\nbefore %v\nafter  %v", c.folder, c.doing, mine, c.files, c.after)
		}
		c.files, c.after = mine, nil
	}
	var wg sync.WaitGroup
	for _, c := range clients {
		wg.Go(c.resume)
	}
	wg.Wait()
}

// disk returns every visible file with its hash and size.
func (s *chaosSite) disk() map[string]string {
	root := filepath.Join(s.data, "files")
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		found[filepath.ToSlash(relative)] = fingerprint(b)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return found
}

func fingerprint(b []byte) string {
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%x/%d", sum[:6], len(b))
}

// list asks the API for every file below a folder.
func (s *chaosSite) list(folder string, found map[string]int64) {
	s.Helper()
	c := &chaosClient{site: s}
	var answer struct {
		Files struct {
			TotalCount int
			Nodes      []struct {
				Path string
				Size int64
			}
		}
		Folders struct {
			TotalCount int
			Nodes      []struct{ Path string }
		}
	}
	const query = `query ($p: String!) {
		files(folder: $p, first: 100) { totalCount nodes { path size } }
		folders(folder: $p, first: 100) { totalCount nodes { path } }
	}`
	if err := c.graphQL(query, map[string]any{"p": folder}, &answer); err != nil {
		s.Fatalf("files and folders of %s: %v", folder, err)
	}
	files, folders := answer.Files, answer.Folders
	if files.TotalCount != len(files.Nodes) || folders.TotalCount != len(folders.Nodes) {
		s.Errorf(
			"%s: %d of %d files, %d of %d folders", folder, len(files.Nodes), files.TotalCount,
			len(folders.Nodes), folders.TotalCount,
		)
	}
	for _, f := range files.Nodes {
		found[f.Path] = f.Size
	}
	for _, f := range folders.Nodes {
		s.list(f.Path, found)
	}
}

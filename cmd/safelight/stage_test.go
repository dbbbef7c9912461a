package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

type stageKey struct{}

// stage is what a script's actors share.
type stage struct {
	server *runningServer
	url    string
	tokens map[string]string // by actor

	cookies map[string]map[string]*http.Cookie // by actor and name

	receiver *receiver // of webhooks
}

// runningServer is a server in its own process and what it has printed.
type runningServer struct {
	command *exec.Cmd
	stderr  *logFile
	banner  []string
	done    chan struct{} // closed once the process has ended
	err     error         // after done
}

var (
	bannerURL      = regexp.MustCompile(`^Safelight \S+ at (\S+)$`)
	bannerPicture  = regexp.MustCompile(`^  a picture   (\S+)$`)
	bannerPassword = regexp.MustCompile(`(?m)^  log in as   \S+ with password (\S+) \(shown once\)$`)
)

// startServer starts command and reads its greeting, up to the line of the data folder, and its
// log, up to the line that says that it serves; the password stands before that one.
func startServer(command *exec.Cmd) (*runningServer, error) {
	log, err := newLogFile()
	if err != nil {
		return nil, err
	}
	s := &runningServer{command: command, stderr: log, done: make(chan struct{})}
	command.Stderr = log.File
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := make(chan string, 100)
	go func() {
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			lines <- scanner.Text()
		}
		close(lines)
		s.err = command.Wait()
		close(s.done)
	}()
	for line := range lines {
		s.banner = append(s.banner, line)
		if strings.HasPrefix(line, "  data ") {
			return s, s.waitServing()
		}
	}
	<-s.done
	return nil, fmt.Errorf("the server ended: %v\n%s", s.err, s.stderr.String())
}

// waitServing waits for the log to say that the server serves.
func (s *runningServer) waitServing() error {
	for !strings.Contains(s.stderr.String(), "serving") {
		select {
		case <-s.done:
			return fmt.Errorf("the server ended: %v\n%s", s.err, s.stderr.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// field returns what a line of the greeting says, empty when there is no such line.
func (s *runningServer) field(form *regexp.Regexp) string {
	for _, line := range s.banner {
		if m := form.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

// password returns the generated password, empty when none was printed.
func (s *runningServer) password() string {
	if m := bannerPassword.FindStringSubmatch(s.stderr.String()); m != nil {
		return m[1]
	}
	return ""
}

// stop ends the server as an operator would and returns how it ended.
func (s *runningServer) stop() error {
	_ = s.command.Process.Signal(syscall.SIGTERM) // an error means that it has ended
	<-s.done
	if s.err != nil {
		return fmt.Errorf("%w\n%s", s.err, s.stderr.String())
	}
	return nil
}

// logFile is what a process has written to its stderr. Unlike the end of a pipe, it has everything that the process
// wrote before it answered a request.
type logFile struct{ *os.File }

func newLogFile() (*logFile, error) {
	f, err := os.CreateTemp("", "safelight-log")
	if err != nil {
		return nil, err
	}
	return &logFile{f}, os.Remove(f.Name())
}

func (l *logFile) String() string {
	text, err := io.ReadAll(io.NewSectionReader(l.File, 0, math.MaxInt64))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// lockedBuffer is a buffer that one goroutine writes and a test reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func serveScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("serve cannot be negated: use ! exec safelight")
	}
	at := ts.Value(stageKey{}).(*stage)
	if at.server != nil {
		ts.Fatalf("a server is running already")
	}
	binary, err := lookPath(ts.Getenv("PATH"), "safelight")
	ts.Check(err)
	command := exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	command.Dir = ts.MkAbs(".")
	command.Env = scriptEnv(ts)
	at.server, err = startServer(command)
	ts.Check(err)
	running := at.server
	ts.Defer(func() { _ = running.stop() })
	at.url = at.server.field(bannerURL)
	ts.Setenv("URL", at.url)
	ts.Setenv("PICTURE", strings.TrimPrefix(at.server.field(bannerPicture), at.url))
	waitReady(ts, at)
	if password := at.server.password(); password != "" {
		ts.Setenv("PASSWORD", password)
	}
	fmt.Fprintln(ts.Stdout(), strings.Join(at.server.banner, "\n"))
	_, _ = io.WriteString(ts.Stderr(), at.server.stderr.String())
}

func stopScript(ts *testscript.TestScript, neg bool, args []string) {
	at := ts.Value(stageKey{}).(*stage)
	if neg || len(args) > 0 || at.server == nil {
		ts.Fatalf("stop takes nothing, and a server that runs")
	}
	err := at.server.stop()
	_, _ = io.WriteString(ts.Stderr(), at.server.stderr.String())
	at.server = nil
	ts.Check(err)
}

// waitTimeout is how long waitFor asks: far more than the slowest machine needs, and a part of the hour that go test
// gives to the package.
const waitTimeout = 10 * time.Minute

// waitFor asks until the answer is yes. If that never comes, it fails with what tell returns.
func waitFor(t *testing.T, yes func() bool, tell func() string) {
	t.Helper()
	end := time.Now().Add(waitTimeout)
	for !yes() {
		if time.Now().After(end) {
			t.Fatal(tell())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

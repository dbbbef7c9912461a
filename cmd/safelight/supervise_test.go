package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestSupervisor kills the serving process: it comes back. SIGTERM to the supervisor ends both, with the server's exit code.
func TestSupervisor(t *testing.T) {
	// the second server has to listen where the first one did: on an address whose ports no other program gets meanwhile
	free, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.N(254), rand.N(256), 1+rand.N(254)))
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	s := startReal(t, "--supervise", "--listen", address)
	first := childOf(t, s.command.Process.Pid)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return s.get("/healthz").status == 200 && childOf(t, s.command.Process.Pid) != first }, func() string {
		return "the server does not come back"
	})
	if log := s.stderr.String(); !strings.Contains(log, "started again") {
		t.Errorf("the log says nothing of the crash: %s", log)
	}
	second := childOf(t, s.command.Process.Pid)
	if err := s.stop(); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
	if err := syscall.Kill(second, 0); err != syscall.ESRCH {
		t.Errorf("the server outlives its supervisor: %v", err)
	}
}

// TestSupervisorKilled holds that the server does not outlive a supervisor that is killed.
func TestSupervisorKilled(t *testing.T) {
	command := exec.Command(programLink(t), "--supervise", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--log-level", "info")
	supervisor, err := startServer(command)
	if err != nil {
		t.Fatal(err)
	}
	server := childOf(t, command.Process.Pid)
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-supervisor.done
	waitFor(t, func() bool { return syscall.Kill(server, 0) == syscall.ESRCH || isZombie(server) }, func() string { return "the server lives on" })
}

// TestSupervisorPassesFailures has a server that cannot start end once, with its own code and message.
func TestSupervisorPassesFailures(t *testing.T) {
	out, err := exec.Command(programLink(t), "--supervise", "--data", t.TempDir(), "--listen", "256.0.0.1:1").CombinedOutput()
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != 1 || strings.Count(string(out), "safelight: ") != 1 {
		t.Errorf("%v\n%s\nexpected exit status 1 and one message", err, out)
	}
}

// TestCrashed tells crashes from ends.
func TestCrashed(t *testing.T) {
	for _, c := range []struct {
		script string
		want   bool
		status int
	}{
		{"exit 0", false, 0}, {"exit 1", false, 1}, {"exit 2", true, 2}, {"kill -SEGV $$", true, 139}, {"kill -ABRT $$", true, 134},
		{"kill -KILL $$", true, 137}, {"kill -TERM $$", false, 143}, {"kill -INT $$", false, 130},
	} {
		command := exec.Command("sh", "-c", "ulimit -c 0; "+c.script)
		_ = command.Run() // its state says all
		status, _ := quietStatus(endStatus(command.ProcessState))
		if got := crashed(command.ProcessState); got != c.want || status != c.status {
			t.Errorf("%s: crashed is %v with status %d, expected %v and %d", c.script, got, status, c.want, c.status)
		}
	}
}

// programLink returns this binary under the name by which it is the program.
func programLink(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "safelight")
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// childOf returns the process that a supervisor runs.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	tasks, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tasks {
		text, _ := os.ReadFile(file) // a thread may be gone
		if child, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return child
		}
	}
	return 0
}

func isZombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(text), ") Z ")
}

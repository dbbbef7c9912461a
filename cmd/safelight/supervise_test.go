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
	if kb := privateMemory(t, s.command.Process.Pid); kb > 2048 {
		t.Errorf("the supervisor has %d kB of its own, expected less than one in Go would", kb)
	}
	for _, pid := range []int{s.command.Process.Pid, childOf(t, s.command.Process.Pid)} {
		if name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm"); strings.TrimSpace(string(name)) != "safelight" {
			t.Errorf("ps calls process %d %q, expected safelight (%v)", pid, name, err)
		}
	}
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

// privateMemory returns how many kB a process has written that no other one shares.
func privateMemory(t *testing.T, pid int) (kb int) {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "Private_Dirty:")
	if _, err := fmt.Sscan(rest, &kb); !found || err != nil {
		t.Fatalf("no private memory in %s: %v", text, err)
	}
	return kb
}

func isZombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(text), ") Z ")
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSupervisor kills the serving process twelve times, as fast as it comes back: no pause is longer than a second,
// and then it serves. SIGTERM to the supervisor ends both, with the server's exit code.
func TestSupervisor(t *testing.T) {
	t.Parallel()
	s := startReal(t, "--supervise", "--listen", freeAddress(t)) // the next server has to listen there, too
	const crashes = 12
	last := 0
	for range crashes {
		var server int
		waitFor(t, func() bool {
			server = childOf(t, s.command.Process.Pid)
			return server != 0 && server != last
		}, func() string { return "no server is started" })
		if err := syscall.Kill(server, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		last = server
	}
	waitFor(
		t, func() bool { return s.get("/healthz").status == 200 },
		func() string { return "the server does not come back" },
	)
	pauses := regexp.MustCompile(`is restarted.*pause"?[=:]"?([0-9a-zµ.]+)`).
		FindAllStringSubmatch(s.stderr.String(), -1)
	if len(pauses) != crashes {
		t.Errorf("the log reports %d crashes, expected %d: %s", len(pauses), crashes, s.stderr.String())
	}
	for _, m := range pauses {
		if d, err := time.ParseDuration(m[1]); err != nil || d > time.Second {
			t.Errorf("a pause of %s, expected at most a second (%v)", m[1], err)
		}
	}
	serving := childOf(t, s.command.Process.Pid)
	if err := s.stop(); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
	if err := syscall.Kill(serving, 0); err != syscall.ESRCH {
		t.Errorf("the server outlives its supervisor: %v", err)
	}
}

// TestCrashed holds after which ends a server is started again, and which exit status the others give.
func TestCrashed(t *testing.T) {
	exit := func(code int) syscall.WaitStatus { return syscall.WaitStatus(code << 8) }
	for _, c := range []struct {
		name    string
		status  syscall.WaitStatus
		crashed bool
		code    exitStatus
	}{
		{"exit status 0", exit(0), false, 0},
		{"exit status 1", exit(1), false, 1},
		{"exit status 2", exit(2), true, 2},
		{"signal: terminated", syscall.WaitStatus(syscall.SIGTERM), false, 143},
		{"signal: interrupt", syscall.WaitStatus(syscall.SIGINT), false, 130},
		{"signal: broken pipe", syscall.WaitStatus(syscall.SIGPIPE), false, 141},
		{"signal: segmentation fault", syscall.WaitStatus(syscall.SIGSEGV), true, 139},
		{"signal: aborted", syscall.WaitStatus(syscall.SIGABRT), true, 134},
		{"signal: killed", syscall.WaitStatus(syscall.SIGKILL), true, 137},
	} {
		code, _ := quietStatus(shellStatus(c.status))
		if name := describeEnd(c.status); name != c.name || crashed(c.status) != c.crashed || code != int(c.code) {
			t.Errorf(
				"%s: %q, crashed %t, status %d, expected %t and %d", c.name, name, crashed(c.status), code,
				c.crashed, c.code,
			)
		}
	}
}

// TestSupervisorKilled checks that the server does not outlive a supervisor that is killed.
func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	command := exec.Command(
		programLink(t), "--supervise", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--log-level",
		"info",
	)
	supervisor, err := startServer(command)
	if err != nil {
		t.Fatal(err)
	}
	server := childOf(t, command.Process.Pid)
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-supervisor.done
	waitFor(
		t, func() bool { return syscall.Kill(server, 0) == syscall.ESRCH || isZombie(server) },
		func() string { return "the server lives on" },
	)
}

// TestSupervisorPassesFailures has a server that cannot start end once, with its own code and message.
func TestSupervisorPassesFailures(t *testing.T) {
	out, err := exec.Command(programLink(t), "--supervise", "--data", t.TempDir(), "--listen", "256.0.0.1:1").
		CombinedOutput()
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

func isZombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(text), ") Z ")
}

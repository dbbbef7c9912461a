package supervisor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// end is the variable with the command by which a server of a test ends; always is one that crashes, giving one that gives memory back, early one that gets SIGTERM
// to stop before it listens.
const (
	end    = "TEST_SERVER_END"
	always = "always"
	giving = "giving"
	early  = "early"
)

// TestMain is also the program that the tests supervise: Start, then a server that ends in the way of the variable, and one that prints what it heard of that.
func TestMain(m *testing.M) {
	how := os.Getenv(end)
	if how == "" {
		os.Exit(m.Run())
	}
	crash, child := Child(os.Environ())
	switch {
	case !child:
		fmt.Println(Start(os.Environ()))
	case how == giving:
		fmt.Print(mapped(), " ")
		GiveBack()
		fmt.Print(mapped())
	case how == early:
		listenLate()
	case how == always:
		crashAgain(crash)
	case crash != nil:
		fmt.Printf("%s, %v, %v", crash.State, crash.Pause, os.Args[1:])
	default:
		Listening() // the shell has no handlers
		fmt.Println(syscall.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; " + how}, os.Environ()))
	}
}

// listenLate listens to signals once the supervisor has taken one.
func listenLate() {
	if err := syscall.Kill(os.Getppid(), syscall.SIGTERM); err != nil {
		fmt.Println(err)
	}
	for taken := false; !taken; time.Sleep(time.Millisecond) {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", os.Getppid())) // the supervisor waits for this process
		_, pending, _ := strings.Cut(string(status), "ShdPnd:")
		taken = strings.Trim(strings.SplitN(pending, "\n", 2)[0], "\t0") == "" && strings.Contains(string(status), "State:\tS")
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	Listening()
	fmt.Print(<-signals)
}

// crashAgain crashes with its pause printed, but not after one of 30 s.
func crashAgain(before *Crash) {
	if before == nil {
		before = new(Crash)
	}
	fmt.Print(before.Pause, " ")
	if before.Pause < 30*time.Second {
		os.Exit(2)
	}
}

// TestCrashes has servers end in all ways: those that crashed are started again, with the same arguments, and hear how it was; the
// exit status of others is passed on.
func TestCrashes(t *testing.T) {
	for _, c := range []struct {
		how, again string
		status     int
	}{
		{"exit 0", "", 0}, {"exit 1", "", 1}, {"kill -TERM $$", "", 143}, {"kill -INT $$", "", 130}, {"kill -PIPE $$", "", 141},
		{"exit 2", "exit status 2", 0}, {"kill -SEGV $$", "signal: segmentation fault", 0}, {"kill -ABRT $$", "signal: aborted", 0},
		{"kill -KILL $$", "signal: killed", 0},
		{"kill -TERM $PPID; sleep 9 >/dev/null 2>&1 & wait; exit 2", "", 143}, // it is asked to stop, so it is not started again
		{"trap 'exit 2' QUIT; kill -QUIT $PPID; sleep 9 >/dev/null 2>&1 & wait; exit 3", "", 2},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			out, status := supervised(t, c.how, "--flag", "a b")
			want := ""
			if c.again != "" {
				want = c.again + ", 250ms, [--flag a b]"
			}
			if string(out) != want || status != c.status {
				t.Errorf("%q with status %d, expected %q and %d", out, status, want, c.status)
			}
		})
	}
}

// TestPauses has servers that crash at once until their pause is no longer: it doubles, up to 30 s.
func TestPauses(t *testing.T) {
	t.Parallel()
	out, status := supervised(t, always)
	if want := "0s 250ms 500ms 1s 2s 4s 8s 16s 30s"; string(out) != want || status != 0 {
		t.Errorf("%q with status %d, expected %q and 0", out, status, want)
	}
}

// TestEarly holds that a server hears of a signal that came before it listened, when it would have ended at once.
func TestEarly(t *testing.T) {
	t.Parallel()
	if out, status := supervised(t, early); string(out) != "terminated" || status != 0 {
		t.Errorf("%q with status %d, expected the name of SIGTERM and 0", out, status)
	}
}

// TestGiveBack holds that code and constants leave memory, and that the program goes on.
func TestGiveBack(t *testing.T) {
	out, status := supervised(t, giving)
	var before, after int
	if _, err := fmt.Sscan(string(out), &before, &after); err != nil || status != 0 || after > before*3/4 {
		t.Errorf("%q with status %d, expected kB of code in memory, and clearly fewer after they were given back", out, status)
	}
}

// mapped returns how many kB of mapped code are in memory.
func mapped() (kb int) {
	text, _ := os.ReadFile("/proc/self/smaps") // without it there is no code
	code := false
	for line := range strings.Lines(string(text)) {
		switch f := strings.Fields(line); {
		case len(f) >= 6 && strings.Contains(f[0], "-"):
			code = f[1] == "r-xp" && strings.HasPrefix(f[5], "/")
		case code && f[0] == "Rss:":
			n, _ := strconv.Atoi(f[1])
			kb += n
		}
	}
	return kb
}

// TestWhenIdle gives back once after the first quiet period, and again only after a busy one.
func TestWhenIdle(t *testing.T) {
	ticks, used, given := make(chan time.Time), make(chan time.Duration), make(chan struct{}, 1)
	spent := time.Duration(0)
	started := make(chan func())
	go func() {
		started <- WhenIdle(func() { given <- struct{}{} }, ticks, func() time.Duration { return <-used })
	}()
	used <- 0
	stop := <-started
	var got []bool
	judge := func() { // of a period that is done
		got = append(got, len(given) == 1)
		if len(given) == 1 {
			<-given
		}
	}
	periods := []time.Duration{idle / 2, idle / 2, 2 * idle, idle / 2, 2 * busy, 2 * idle, 0, 0}
	for i, period := range periods {
		spent += period
		ticks <- time.Time{}
		if i > 0 {
			judge()
		}
		used <- spent
	}
	stop()
	judge()
	if want := []bool{true, false, false, false, false, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("periods of %v: given back: %v, expected %v", periods, got, want)
	}
}

// supervised runs a server that ends as told, and returns what was printed with the exit status.
func supervised(t *testing.T, how string, args ...string) (out []byte, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, args...)
	command.Env = append(os.Environ(), end+"="+how)
	out, err = command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return []byte(strings.TrimSpace(string(out))), command.ProcessState.ExitCode()
}

// TestTimersMayBeLate holds that threads of Go's runtime have the slack of timers that is set before it starts.
func TestTimersMayBeLate(t *testing.T) {
	const getTimerSlack = 30 // PR_GET_TIMERSLACK
	for range 3 {
		slack := make(chan uintptr)
		go func() {
			runtime.LockOSThread() // and so the thread ends with the goroutine
			n, _, _ := syscall.RawSyscall(syscall.SYS_PRCTL, getTimerSlack, 0, 0)
			slack <- n
		}()
		if n := <-slack; n != uintptr(time.Millisecond) {
			t.Errorf("a slack of %d ns, expected a millisecond", n)
		}
	}
}

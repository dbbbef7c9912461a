package idle

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestGiveBack checks that code and constants leave memory, and that the program goes on.
func TestGiveBack(t *testing.T) {
	loadCode(t)
	before := mapped()
	GiveBack()
	if after := mapped(); after > before*3/4 {
		t.Errorf("%d kB of code in memory, and %d after they were given back, expected clearly fewer", before, after)
	}
}

// loadCode brings all mapped code into memory, from where an earlier run or the kernel may have taken it.
func loadCode(t *testing.T) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skipf("mapped code is found in /proc: %v", err)
	}
	memory, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	for line := range strings.Lines(string(maps)) {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "r-xp" || !strings.HasPrefix(f[5], "/") {
			continue
		}
		var from, to int64
		if _, err := fmt.Sscanf(f[0], "%x-%x", &from, &to); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, io.NewSectionReader(memory, from, to-from)); err != nil {
			t.Fatal(err)
		}
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
		giving, gave := time.Duration(0), false // what giving back takes itself makes no period busy
		started <- WhenIdle(func() {
			giving += 2 * busy
			gave = true
			given <- struct{}{}
		}, ticks, func() time.Duration {
			if gave {
				gave = false
				return spent + giving
			}
			return <-used + giving
		})
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
	periods := []time.Duration{quiet / 2, quiet / 2, 2 * quiet, quiet / 2, 2 * busy, 2 * quiet, 0, 0}
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

// TestTimersMayBeLate checks that threads of Go's runtime have the slack of timers that is set before it starts.
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

package vips

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// hostilePaths is what is asked of every hostile file.
var hostilePaths = []string{
	"meta",
	"100x100",
	"fit-in/100x100/filters:blur(3):format(webp)",
	"trim/fit-in/100x100/filters:format(png)",
}

// The most that one file may cost: CPU in runs of the yardstick, an ordinary picture in the same process.
const (
	hostileCPU    = 20
	hostileMemory = 300 << 20
)

// outcome is what one operation path made of a hostile file. CPU and the peak of memory are the child's.
type outcome struct {
	Path    string
	Code    fault.Code
	Message string
	CPU     time.Duration
	Peak    int64

	Yardstick time.Duration // CPU of an ordinary picture
}

// TestHostileChild does the work of TestHostileCorpus, in a process of its own.
func TestHostileChild(t *testing.T) {
	file := os.Getenv("SAFELIGHT_HOSTILE_FILE")
	if file == "" {
		t.Skip("it runs in a child of TestHostileCorpus")
	}
	e := open(t)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []outcome
	yardstick := yardstickOf(t, e)
	for _, path := range hostilePaths {
		began := cpuTime(t)
		var err error
		if path == "meta" {
			_, err = e.Info(t.Context(), sourceOf(data), imaging.InfoRequest{}, imaging.DefaultLimits())
		} else {
			_, err = process(e, path, data, t)
		}
		o := outcome{
			Path:      path,
			Code:      fault.CodeOf(err),
			CPU:       cpuTime(t) - began,
			Peak:      status(t, "VmHWM"),
			Yardstick: yardstick,
		}
		if err != nil {
			o.Message = err.Error()
		}
		list = append(list, o)
	}
	out, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".json", out, 0o600); err != nil {
		t.Fatal(err)
	}
}

// yardstickOf returns the CPU that an ordinary picture takes here and now: the lesser of two runs.
func yardstickOf(t *testing.T, e *Engine) time.Duration {
	t.Helper()
	photo, least := jpegOf(t, gradient(1500, 1000, false)), time.Hour
	for range 2 {
		began := cpuTime(t)
		if _, err := process(e, "fit-in/1000x1000/filters:format(webp)", photo, t); err != nil {
			t.Fatal(err)
		}
		least = min(least, cpuTime(t)-began)
	}
	return least
}

// cpuTime is what this process has computed so far, in all threads.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestHostileCorpus gives each hostile file to a process of its own: it has to end in a documented fault, or a picture
// where that is right, within bounds of CPU, of which an ordinary picture in the same process is the measure, and of
// memory.
func TestHostileCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("a process for each file takes a while")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var worstCPU, worstPeak outcome
	for _, c := range hostileFiles(t, open(t)) {
		t.Run(c.name, func(t *testing.T) {
			for _, o := range inChild(t, self, c) {
				o.check(t, c)
				o.Path = c.name + " through " + o.Path
				if o.CPU > worstCPU.CPU {
					worstCPU = o
				}
				if o.Peak > worstPeak.Peak {
					worstPeak = o
				}
			}
		})
	}
	t.Logf(
		"most CPU: %v, an ordinary picture %v, for %s; most memory: %d MB after %s", worstCPU.CPU,
		worstCPU.Yardstick, worstCPU.Path, worstPeak.Peak>>20, worstPeak.Path,
	)
}

// inChild returns what a process of its own makes of the file; it is killed after a minute.
func inChild(t *testing.T, self string, c hostileFile) (list []outcome) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hostile")
	if err := os.WriteFile(file, c.data, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, self, "-test.run=^TestHostileChild$")
	child.Env = append(os.Environ(), "SAFELIGHT_HOSTILE_FILE="+file)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("the process ends with %v\n%.2000s", err, out)
	}
	data, err := os.ReadFile(file + ".json")
	if err != nil || json.Unmarshal(data, &list) != nil || len(list) != len(hostilePaths) {
		t.Fatalf("%v, %s", err, data)
	}
	return list
}

func (o outcome) check(t *testing.T, c hostileFile) {
	t.Helper()
	code := string(o.Code)
	if code == "" {
		code = "ok"
	}
	if !strings.Contains(" "+c.codes+" ", " "+code+" ") && !(o.Path == "meta" && code == "ok") {
		t.Errorf("%s through %s: %s %s, expected one of %s", c.name, o.Path, code, o.Message, c.codes)
	}
	maxCPU, maxMemory := hostileCPU*o.Yardstick, int64(hostileMemory)
	if c.whole {
		maxCPU, maxMemory = 3*maxCPU, 2*maxMemory
	}
	if o.CPU > maxCPU {
		t.Errorf("%s through %s: %v of CPU, expected at most %v", c.name, o.Path, o.CPU, maxCPU)
	}
	if o.Peak > maxMemory {
		t.Errorf("%s through %s: %d MB, expected at most %d", c.name, o.Path, o.Peak>>20, maxMemory>>20)
	}
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ticksPerSecond is USER_HZ, which Linux fixes at 100 for programs.
const ticksPerSecond = 100

// process reads Linux's statistics of a process; the zero value returns 0.
type process struct{ pid int }

func (p process) known() bool { return p.pid > 0 }

// cpu returns the CPU seconds of all threads, ended ones included; 0 if unknown.
func (p process) cpu() float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / ticksPerSecond
}

// memory returns a line of /proc/PID/status in bytes, such as VmHWM or VmRSS; 0 if unknown.
func (p process) memory(name string) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// watchPeak starts to record the process's peak memory; stop returns it. If Linux does not allow to reset its own mark, it
// samples.
func (p process) watchPeak() (stop func() int64) {
	if !p.known() {
		return func() int64 { return 0 }
	}
	if os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.pid), []byte("5"), 0) == nil {
		return func() int64 { return p.memory("VmHWM") }
	}
	done, result := make(chan struct{}), make(chan int64)
	go func() {
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for peak := int64(0); ; {
			select {
			case <-ticker.C:
				peak = max(peak, p.memory("VmRSS"))
			case <-done:
				result <- peak
				return
			}
		}
	}()
	return func() int64 { close(done); return <-result }
}

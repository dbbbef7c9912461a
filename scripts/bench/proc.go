package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ticksPerSecond is USER_HZ, which Linux fixes at 100 for programs.
const ticksPerSecond = 100

// process reads Linux's statistics of a process and of its descendants: a supervised server and its workers are
// children of the process that was started.
type process struct{ pid int }

// tree returns the process and its descendants.
func (p process) tree() []process {
	all := []process{p}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				all = append(all, process{pid}.tree()...)
			}
		}
	}
	return all
}

// cpu returns the CPU seconds of all threads and descendants, including those that have ended; 0 if unknown.
func (p process) cpu() float64 {
	var ticks float64
	for _, one := range p.tree() {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", one.pid))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if len(fields) < 15 {
			continue
		}
		for _, field := range fields[11:15] { // user and system time, including those of reaped children
			n, _ := strconv.ParseFloat(field, 64)
			ticks += n
		}
	}
	return ticks / ticksPerSecond
}

// peak returns the peak memory in bytes since resetPeak, summed over the descendants; 0 if unknown. Pages of the
// program and its libraries, which the processes share, count once.
func (p process) peak() int64 {
	var private, files int64
	for _, one := range p.tree() {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", one.pid))
		kib := map[string]int64{}
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok {
				kib[name], _ = strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")),
					10, 64)
			}
		}
		private += kib["VmHWM"] - kib["RssFile"]
		files = max(files, kib["RssFile"])
	}
	return (private + files) << 10
}

// resetPeak resets the peak memory of the process and its descendants.
func (p process) resetPeak() {
	for _, one := range p.tree() {
		os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", one.pid), []byte("5"), 0)
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// hotJob requests a result that is cached in memory, with a signed URL. Its bare handler writes the same bytes.
var hotJob = job{ID: "hot", Title: "a cached result of job a, signed URL", Source: photo12, Width: 300, Height: 300,
	Mode: "fit", Format: "jpeg", Quality: 80, Ours: 80,
	Save: ".jpg[Q=80,optimize_coding,strip]"}

// hotSecret signs the URLs of the hot job.
const hotSecret = "benchmark-benchmark-benchmark-benchmark"

//go:embed handler.go
var handlerSource []byte

// hot is a server that responds so quickly that the client must be cheap. The client sends the same bytes each time,
// and skips bodies.
type hot struct{ server }

// hotTargets returns Safelight checking the source every 100 ms, Safelight checking it once a second, and the bare
// handler.
func (o options) hotTargets(ctx context.Context, program, sources, folder string) ([]target, error) {
	handler, answer := filepath.Join(folder, "handler"), filepath.Join(folder, "answer.jpg")
	if err := os.WriteFile(handler+".go", handlerSource, 0o644); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", handler, handler+".go").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling the bare handler: %w: %s", err, out)
	}
	b := bare{program: program, sources: sources, how: "steps", room: o.room}
	if _, err := output(ctx, program, append(b.arguments(hotJob), "out="+answer)...); err != nil {
		return nil, err
	}
	ours := fmt.Sprintf("env SAFELIGHT_ADMIN_PASSWORD=benchmark-benchmark SAFELIGHT_PROCESSOR_SECRET=%s %s --listen "+
		"127.0.0.1:{port} --data {data} --storage file://{sources} --scan-interval 0 %s",
		hotSecret, o.binary, o.flags)
	one := func(name, command string) target {
		return &hot{server{name: name, shape: signedShape, command: command, sources: sources, work: folder}}
	}
	return []target{one("safelight", ours), one("safelight, source-check 1s", ours+" --source-check 1s"),
		one("bare handler", handler+" {port} "+answer)}, nil
}

// signedShape is safelightShape with a signature.
func signedShape(j job, source string) (string, bool) {
	path, ok := safelightShape(j, source)
	path = strings.TrimPrefix(path, "/unsafe/")
	m := hmac.New(sha1.New, []byte(hotSecret))
	m.Write([]byte(path))
	return "/" + base64.URLEncoding.EncodeToString(m.Sum(nil)) + "/" + path, ok
}

func (h *hot) run(ctx context.Context, j job, clients int, w work) (sample, error) {
	var mu sync.Mutex
	var all sample
	var failure error
	var wait sync.WaitGroup
	path, _ := h.shape(j, copyName(j.Source, 0))
	h.process.resetPeak()
	used, began := h.process.cpu(), time.Now()
	for range clients {
		wait.Go(func() {
			took, err := askRepeatedly(ctx, strings.TrimPrefix(h.address, "http://"), path, w)
			mu.Lock()
			defer mu.Unlock()
			all.took = append(all.took, took...)
			if err != nil {
				all.errors, failure = all.errors+1, err
			}
		})
	}
	wait.Wait()
	all.requests, all.seconds = len(all.took), time.Since(began).Seconds()
	all.cpu, all.rss = h.process.cpu()-used, h.process.peak()
	if all.requests == 0 {
		return all, failure
	}
	return all, ctx.Err()
}

// askRepeatedly repeats a GET on one connection.
func askRepeatedly(ctx context.Context, address, path string, w work) (took []float64, err error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: " + address +
		"\r\nUser-Agent: bench\r\nAccept: image/*\r\n\r\n")
	r := bufio.NewReaderSize(c, 64<<10)
	for start := time.Now(); ctx.Err() == nil && w.goes(start, len(took)); {
		began := time.Now()
		if _, err := c.Write(request); err != nil {
			return took, err
		}
		if err := skipAnswer(r); err != nil {
			return took, err
		}
		took = append(took, time.Since(began).Seconds())
	}
	return took, ctx.Err()
}

// skipAnswer reads one response with status 200 with a Content-Length.
func skipAnswer(r *bufio.Reader) error {
	length := -1
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
			return fmt.Errorf("the answer is %s", line)
		}
		if len(line) == 0 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		}
	}
	_, err := io.CopyN(io.Discard, r, int64(length))
	return err
}

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed bare.c
var bareSource []byte

// compileBare compiles the bare program in the folder, together with the engine's own operations.
func compileBare(ctx context.Context, folder, engine string) (string, error) {
	source, program := filepath.Join(folder, "bare.c"), filepath.Join(folder, "bare")
	if err := os.WriteFile(source, bareSource, 0o644); err != nil {
		return "", err
	}
	flags, err := output(ctx, "pkg-config", "--cflags", "--libs", "vips", "libwebp")
	if err != nil {
		return "", err
	}
	arguments := append([]string{"-O2", "-w", "-I", engine, "-o", program, source,
		filepath.Join(engine, "generate.c"), filepath.Join(engine, "image_alpha.c"),
		filepath.Join(engine, "library_orc.c"),
		filepath.Join(engine, "..", "pixels", "decode_webp.c")},
		strings.Fields(string(flags))...)
	if out, err := exec.CommandContext(ctx, "cc", append(arguments, "-lm",
		"-lpthread")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling bare.c: %w: %s", err, out)
	}
	return program, nil
}

// prepare creates a folder with the bare program in it. The caller must remove the folder.
func (o options) prepare(ctx context.Context) (folder, program string, err error) {
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return "", "", err
	}
	if folder, err = os.MkdirTemp(o.work, "run-"); err != nil {
		return "", "", err
	}
	if program, err = compileBare(ctx, folder, o.engine); err != nil {
		os.RemoveAll(folder)
	}
	return folder, program, err
}

// bare is the C program of bare.c.
type bare struct {
	name    string
	program string
	sources string
	how     string // steps or thumbnail
	room    float64
	cores   int
}

func (b *bare) label() string { return b.name }
func (b *bare) can(j job) bool {
	return j.isBare() && (j.Mode != "meta" || b.how == "steps" && b.room > 1)
}
func (b *bare) start(context.Context, job) error { return nil }
func (b *bare) stop()                            {}

func (b *bare) arguments(j job) []string {
	arguments := append(arguments(j, b.sources), "save="+j.Save, "how="+b.how, fmt.Sprintf("room=%g", b.room))
	return append([]string{"loop"}, arguments...)
}

// arguments returns the command line of a job for bare.c.
func arguments(j job, sources string) []string {
	frames := 0
	if j.Frames {
		frames = 1
	}
	return []string{
		"source=" + filepath.Join(sources, copyName(j.Source, 0)), fmt.Sprintf("width=%d", j.Width),
		fmt.Sprintf("height=%d", j.Height),
		"mode=" + j.Mode, fmt.Sprintf("frames=%d", frames),
	}
}

func (b *bare) run(ctx context.Context, j job, clients int, w work) (sample, error) {
	arguments := append(b.arguments(j), fmt.Sprintf("threads=%d", min(clients, b.cores)),
		fmt.Sprintf("seconds=%g", w.d.Seconds()), fmt.Sprintf("count=%d", w.count))
	out, err := output(ctx, b.program, arguments...)
	if err != nil {
		return sample{}, err
	}
	var line struct {
		Requests     int
		Seconds, CPU float64
		RSS          int64
		Took         []float64
	}
	if err := json.Unmarshal(out, &line); err != nil {
		return sample{}, err
	}
	for n := range line.Took {
		line.Took[n] /= 1e6
	}
	return sample{requests: line.Requests, seconds: line.Seconds, cpu: line.CPU, took: line.Took, rss: line.RSS}, nil
}

func (b *bare) answer(ctx context.Context, j job) ([]byte, error) {
	file, err := os.CreateTemp("", "safelight-bench-*")
	if err != nil {
		return nil, err
	}
	file.Close()
	defer os.Remove(file.Name())
	if j.Mode == "meta" {
		return nil, nil
	}
	if _, err := output(ctx, b.program, append(b.arguments(j), "out="+file.Name())...); err != nil {
		return nil, err
	}
	return os.ReadFile(file.Name())
}

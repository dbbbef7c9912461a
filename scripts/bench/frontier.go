package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// variant is one way to scale or to encode.
type variant struct {
	Name  string
	Group string   // which line of the plot it belongs to
	Flags []string // of bare.c; an encoder's is the one save option, with %d for the quality

	Encodes bool // its output has to be decoded
}

// scaled is what a variant cost and how close it came, for one picture and width.
type scaled struct {
	Picture, Variant string
	Width            int
	CPU              float64 // seconds
	Score            float64 // of the judge
	Bytes            int
	Quality          int // of an encoder; 0: scaling
}

// frontier measures what ways to scale and encode cost, and how close they come to the full decode scaled in linear
// light.
type frontier struct {
	decoder decoder
	judge   string // PROGRAM REFERENCE PICTURE prints a score, higher is closer
	log     *json.Encoder
}

// The widths that are measured; with sources of 2,000 to 10,000 pixels they leave every factor between two decoding
// scales.
var frontierWidths = []int{250, 800}

func scaling() []variant {
	var all []variant
	for _, room := range []string{"1", "1.25", "1.49", "2", "100"} {
		name := "room " + room
		if room == "100" {
			name = "full decode"
		}
		all = append(all, variant{Name: name, Group: "Lanczos", Flags: []string{"room=" + room}})
	}
	all = append(all, variant{Name: "room 1.49, mitchell", Group: "other kernels",
		Flags: []string{"room=1.49", "kernel=mitchell"}})
	for _, room := range []string{"1.49", "100"} {
		name := "room " + room + ", linear"
		if room == "100" {
			name = "full decode, linear"
		}
		all = append(all, variant{Name: name, Group: "linear light", Flags: []string{"room=" + room, "linear=1"}})
	}
	return all
}

// runFrontier measures the pictures of o.frontier and writes a line of JSON for each to out.
func runFrontier(ctx context.Context, o options, out io.Writer) error {
	folder, program, err := o.prepare(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	pictures, err := filepath.Glob(filepath.Join(o.frontier, "*"))
	if err != nil {
		return err
	}
	f := frontier{decoder{program: program, folder: folder}, o.judge, json.NewEncoder(out)}
	for n, picture := range pictures {
		fmt.Fprintf(os.Stderr, "%d of %d: %s\n", n+1, len(pictures), filepath.Base(picture))
		if err := f.picture(ctx, picture); err != nil {
			if ctx.Err() != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return nil
}

func (f *frontier) picture(ctx context.Context, source string) error {
	for _, width := range frontierWidths {
		size := []string{"source=" + source, fmt.Sprintf("width=%d", width), "height=100000", "mode=fit"}
		reference := filepath.Join(f.decoder.folder, "reference.png")
		if err := f.png(ctx, reference, append([]string{"reference", "linear=1", "gap=0"}, size...)); err != nil {
			return err
		}
		for _, v := range scaling() {
			line, err := f.one(ctx, v, append(size, "save=.ppm"), reference)
			if err != nil {
				return err
			}
			line.Picture, line.Width, line.Bytes = filepath.Base(source), width, 0
			if err := f.log.Encode(line); err != nil {
				return err
			}
		}
		if width == 800 {
			if err := f.encoders(ctx, filepath.Base(source), reference); err != nil {
				return err
			}
		}
	}
	return nil
}

// one measures a variant: the CPU of an output, and the score of its pixels.
func (f *frontier) one(ctx context.Context, v variant, arguments []string, reference string) (scaled, error) {
	answer := filepath.Join(f.decoder.folder, "answer.ppm")
	out, err := output(ctx, f.decoder.program, slices.Concat([]string{"loop", "out=" + answer}, arguments, v.Flags)...)
	if err != nil {
		return scaled{}, err
	}
	var cost struct {
		CPU   float64
		Bytes int
	}
	if err := json.Unmarshal(out, &cost); err != nil {
		return scaled{}, err
	}
	decoded := answer
	if v.Encodes {
		decoded = filepath.Join(f.decoder.folder, "answer.png")
		if err := f.png(ctx, decoded, []string{"pixels", "source=" + answer}); err != nil {
			return scaled{}, err
		}
	}
	said, err := output(ctx, f.judge, reference, decoded)
	if err != nil {
		return scaled{}, err
	}
	score, err := strconv.ParseFloat(strings.Fields(string(said) + " none")[0], 64)
	if err != nil {
		return scaled{}, fmt.Errorf("%s said %q, expected a number: %w", f.judge, said, err)
	}
	return scaled{Variant: v.Name, CPU: cost.CPU, Score: score, Bytes: cost.Bytes}, nil
}

// png writes what bare.c decodes as a PNG.
func (f *frontier) png(ctx context.Context, file string, arguments []string) error {
	p, err := f.decoder.run(ctx, arguments...)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&buf, &image.NRGBA{Pix: p.pix, Stride: p.width * 4,
		Rect: image.Rect(0, 0, p.width, p.height)}); err != nil {
		return err
	}
	return os.WriteFile(file, buf.Bytes(), 0o644)
}

// quantile returns the value below which that part of the values is, NaN if there are none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// picture is decoded RGBA with frames stacked vertically.
type picture struct {
	width, height, pages int
	pix                  []byte
}

// quality compares an output with its reference.
type quality struct {
	Size      string  // width x height of the output, followed by the number of frames
	MSE, PSNR float64 // over red, green and blue; PSNR in dB
	Note      string  // why the numbers are missing
}

// decoder decodes files with the bare program.
type decoder struct {
	program, folder, sources string
	references               map[string]picture
}

// reference returns the job's output computed without any shortcut; gap is the parameter of vips_resize, 0 for Lanczos
// alone.
func (d *decoder) reference(ctx context.Context, j job, gap float64) (picture, error) {
	key := fmt.Sprint(j.Source, j.Width, j.Height, j.Mode, gap)
	if p, ok := d.references[key]; ok {
		return p, nil
	}
	p, err := d.run(ctx, append([]string{"reference", fmt.Sprintf("gap=%g", gap)}, arguments(j, d.sources)...)...)
	if err == nil {
		d.references[key] = p
	}
	return p, err
}

func (d *decoder) decode(ctx context.Context, answer []byte, frames bool) (picture, error) {
	file := filepath.Join(d.folder, "answer")
	if err := os.WriteFile(file, answer, 0o644); err != nil {
		return picture{}, err
	}
	all := "frames=0"
	if frames {
		all = "frames=1"
	}
	return d.run(ctx, "pixels", "source="+file, all)
}

func (d *decoder) run(ctx context.Context, arguments ...string) (p picture, err error) {
	file := filepath.Join(d.folder, "pixels")
	if _, err := output(ctx, d.program, append(arguments, "out="+file)...); err != nil {
		return p, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return p, err
	}
	line, pix, _ := bytes.Cut(data, []byte("\n"))
	if _, err := fmt.Sscan(string(line), &p.width, &p.height, &p.pages); err != nil {
		return p, err
	}
	p.pix = pix
	return p, nil
}

// compare compares an output of the job with its reference.
func (d *decoder) compare(ctx context.Context, j job, answer []byte, gap float64) (quality, error) {
	if j.Mode == "meta" {
		return quality{}, nil
	}
	want, err := d.reference(ctx, j, gap)
	if err != nil {
		return quality{}, err
	}
	got, err := d.decode(ctx, answer, j.Frames)
	if err != nil {
		return quality{}, err
	}
	q := quality{Size: fmt.Sprintf("%dx%d", got.width, got.height)}
	if got.pages > 1 || want.pages > 1 {
		q.Size += fmt.Sprintf("x%d", got.pages)
	}
	if got.width != want.width || got.height != want.height || got.pages != want.pages {
		q.Note = fmt.Sprintf("%s instead of %dx%dx%d", q.Size, want.width, want.height, want.pages)
		return q, nil
	}
	// Compare over black and over white, so that wrong colors under soft edges count.
	for _, ground := range []float64{0, 255} {
		q.MSE += meanSquare(got.over(ground), want.over(ground)) / 2
	}
	q.PSNR = 10 * math.Log10(255*255/max(q.MSE, 1e-9))
	return q, nil
}

// over composites the picture over a gray ground, and returns three values per pixel.
func (p picture) over(ground float64) []float64 {
	out := make([]float64, 0, len(p.pix)/4*3)
	for i := 0; i+3 < len(p.pix); i += 4 {
		alpha := float64(p.pix[i+3]) / 255
		for b := range 3 {
			out = append(out, float64(p.pix[i+b])*alpha+ground*(1-alpha))
		}
	}
	return out
}

func meanSquare(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum / float64(len(a))
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// browser is an Accept header as a browser sends it for <img>.
type browser struct{ name, accept string }

// modernFormats are compared with JPEG.
var modernFormats = []string{"webp", "avif", "jxl"}

var browsers = []browser{
	{"Chrome and Edge", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"},
	{"Firefox", "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"},
	{"Safari", "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"},
	{"Safari 14 and 15", "image/webp,image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5"},
	{"a browser before WebP", "image/png,image/*;q=0.8,*/*;q=0.5"},
}

// formats compares the bytes of formats at the brightness SSIM that JPEG has at quality 80, for every picture of a folder at
// most 800 pixels wide and high, and the bytes that browsers get by negotiation at the default quality.
type formats struct {
	server  *server
	decoder decoder
	folder  string
}

// formatRow has the bytes of one picture by format and by browser.
type formatRow struct {
	picture string
	bytes   map[string]int
	cpu     map[string]float64 // seconds of one answer, decoding included
	chosen  map[string]string  // format by browser
}

func compareFormats(ctx context.Context, o options) error {
	pictures, err := filepath.Abs(o.formats)
	if err != nil {
		return err
	}
	folder, program, err := o.prepare(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	o.bare, o.peers, o.runs, o.pids = false, nil, nil, nil
	targets, err := o.targets(ctx, program, pictures, folder)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return errors.New("formats: a server was expected, see --server")
	}
	f := formats{targets[0].(*server), decoder{program: program, folder: folder, sources: pictures}, pictures}
	return f.measure(ctx, os.Stdout)
}

func (f *formats) measure(ctx context.Context, out io.Writer) error {
	if err := f.server.start(ctx, job{}); err != nil {
		return err
	}
	defer f.server.stop()
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return err
	}
	var rows []formatRow
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		row, err := f.one(ctx, e.Name())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", e.Name(), err)
			continue
		}
		rows = append(rows, row)
	}
	f.print(out, rows)
	return nil
}

func (f *formats) one(ctx context.Context, name string) (formatRow, error) {
	row := formatRow{name, map[string]int{}, map[string]float64{}, map[string]string{}}
	reference, _, err := f.get(ctx, name, "format(png):max_frames(1):strip_icc()", "")
	if err != nil {
		return row, err
	}
	want, err := f.decoder.decode(ctx, reference, false)
	if err != nil {
		return row, err
	}
	like := func(filters string) (float64, int, error) {
		answer, _, err := f.get(ctx, name, filters+":max_frames(1):strip_icc()", "")
		if err != nil {
			return 0, 0, err
		}
		got, err := f.decoder.decode(ctx, answer, false)
		if err != nil || got.width != want.width || got.height != want.height {
			return 0, 0, fmt.Errorf("%s: %dx%d instead of %dx%d: %w", filters, got.width, got.height, want.width, want.height, err)
		}
		return ssim(luma(got.over(255)), luma(want.over(255)), got.width, got.height), len(answer), nil
	}
	target, size, err := like("format(jpeg):quality(80)")
	if err != nil {
		return row, err
	}
	row.bytes["jpeg"] = size
	if row.cpu["jpeg"], err = f.cost(ctx, name, "format(jpeg):quality(80)"); err != nil {
		return row, err
	}
	for _, format := range modernFormats {
		// SSIM rises with the quality, so the lowest quality that reaches it is found by halving.
		low, high := 1, 100
		for low < high {
			middle := (low + high) / 2
			got, size, err := like(fmt.Sprintf("format(%s):quality(%d)", format, middle))
			if err != nil {
				return row, err
			}
			if got >= target {
				high, row.bytes[format] = middle, size
			} else {
				low = middle + 1
			}
		}
		if row.cpu[format], err = f.cost(ctx, name, fmt.Sprintf("format(%s):quality(%d)", format, high)); err != nil {
			return row, err
		}
	}
	for _, b := range browsers {
		answer, kind, err := f.get(ctx, name, "format(auto):max_frames(1):strip_icc()", b.accept)
		if err != nil {
			return row, err
		}
		row.bytes[b.name], row.chosen[b.name] = len(answer), kind
	}
	return row, nil
}

// cost returns the CPU seconds of an answer.
func (f *formats) cost(ctx context.Context, name, filters string) (float64, error) {
	const repeat = 5
	before := f.server.process.cpu()
	for range repeat {
		if _, _, err := f.get(ctx, name, filters+":max_frames(1):strip_icc()", ""); err != nil {
			return 0, err
		}
	}
	return (f.server.process.cpu() - before) / repeat, nil
}

func (f *formats) get(ctx context.Context, name, filters, accept string) ([]byte, string, error) {
	request, err := http.NewRequestWithContext(ctx, "GET", f.server.address+"/unsafe/fit-in/800x800/filters:"+filters+"/"+url.PathEscape(name), nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Accept", accept)
	response, err := f.server.client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", response.Status, body)
	}
	return body, strings.TrimPrefix(response.Header.Get("Content-Type"), "image/"), err
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// print writes the medians over the pictures of the ratio to JPEG's bytes.
func (f *formats) print(out io.Writer, rows []formatRow) {
	fmt.Fprintf(out, "%d pictures\n\n| at the SSIM of JPEG q80 | median | min | max | CPU of all |\n|---|--:|--:|--:|--:|\n", len(rows))
	ratios := func(key string) []float64 {
		var list []float64
		for _, r := range rows {
			if r.bytes[key] > 0 {
				list = append(list, float64(r.bytes[key])/float64(r.bytes["jpeg"]))
			}
		}
		slices.Sort(list)
		return list
	}
	line := func(name string, list []float64, more string) {
		if len(list) > 0 {
			fmt.Fprintf(out, "| %s | %.2f | %.2f | %.2f |%s\n", name, median(list), list[0], list[len(list)-1], more)
		}
	}
	cpu := func(format string) (sum float64) {
		for _, r := range rows {
			sum += r.cpu[format]
		}
		return sum
	}
	for _, format := range modernFormats {
		line(format, ratios(format), fmt.Sprintf(" %.2f |", cpu(format)/cpu("jpeg")))
	}
	fmt.Fprint(out, "\n| browser, default quality | median | min | max |\n|---|--:|--:|--:|\n")
	for _, b := range browsers {
		kinds := map[string]int{}
		for _, r := range rows {
			kinds[r.chosen[b.name]]++
		}
		line(fmt.Sprintf("%s: %s", b.name, strings.TrimPrefix(fmt.Sprint(kinds), "map")), ratios(b.name), "")
	}
	fmt.Fprintln(out, "\n| picture | jpeg | webp | avif | jxl |\n|---|--:|--:|--:|--:|")
	for _, r := range rows {
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d |\n", filepath.Base(r.picture), r.bytes["jpeg"], r.bytes["webp"], r.bytes["avif"], r.bytes["jxl"])
	}
}

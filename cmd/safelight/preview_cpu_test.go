package main

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// bigPNG writes a picture of 12 megapixels with transparency, soft shapes and grain.
func bigPNG(t *testing.T, path string) {
	t.Helper()
	const width, height = 4000, 3000
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	seed := uint32(1)
	for y := range height {
		for x := range width {
			seed = seed*1664525 + 1013904223
			grain := uint8(seed >> 29)
			m.SetNRGBA(x, y, color.NRGBA{
				R: uint8(x/16) + grain,
				G: uint8(y/12) + grain,
				B: uint8((x+y)/28) + grain,
				A: 255 - uint8(x*y>>18&63),
			})
		}
	}
	file, err := os.Create(path)
	must(t, err)
	out := bufio.NewWriter(file)
	must(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(out, m))
	must(t, out.Flush())
	must(t, file.Close())
}

// TestPreviewCPU measures what a change in the editor costs the server and its workers: the picture of 12 megapixels is
// decoded for the first one only. The aim is 0.2; the gate leaves room for a busy machine, whose caches are somebody
// else's.
func TestPreviewCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("decodes 12 megapixels some times")
	}
	const gate, changes = 0.35, 12
	b := startReal(t, "--scan-interval", "0", "--result-cache", "off")
	bigPNG(t, filepath.Join(b.files, "big.png"))
	b.photo("warm.jpg", 400, 300)
	token := b.login()
	change := func(name string, n int) {
		t.Helper()
		r, err := http.NewRequest(
			http.MethodGet,
			fmt.Sprintf("%s/unsafe/900x0/filters:brightness(%d):preview():format(webp)/%s", b.url, n, name),
			nil,
		)
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		if a := b.do(r, nil); a.err != nil || a.status != http.StatusOK {
			t.Fatalf("change %d of %s: %d %s %v", n, name, a.status, a.body, a.err)
		}
	}
	for n := range 3 { // the worker process and the encoder start here
		change("warm.jpg", n)
	}
	before := b.treeCPU()
	change("big.png", 1)
	first := b.treeCPU() - before
	before = b.treeCPU()
	for n := range changes {
		change("big.png", n+2)
	}
	next := (b.treeCPU() - before) / changes
	ratio := float64(next) / float64(first)
	t.Logf(
		"the first change takes %s of CPU, each of the next %d takes %s: %.2f", first.Round(time.Millisecond),
		changes, next.Round(time.Millisecond), ratio,
	)
	if ratio > gate {
		t.Errorf(
			"a change takes %.2f of the first one, expected at most %.2f: is the decoded picture kept?",
			ratio, gate,
		)
	}
}

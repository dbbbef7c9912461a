//go:build linux

package worker

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/vips"
)

// TestRoutesAgree makes random requests by every route that can make them: in the server on one thread and on two, in a
// worker, of pixels that were decoded for several results, and for an editor, whose preview is decoded at first and
// kept then. All make the same bytes, warnings and faults.
func TestRoutesAgree(t *testing.T) {
	requests := 500
	if testing.Short() {
		requests = 50
	}
	pool := open(t)
	local, err := vips.New(vips.Config{Log: slog.New(slog.DiscardHandler), PreviewBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	sources := routedSources(t, local)
	random := rand.New(rand.NewPCG(28, 2))
	taken := map[string]int{}
	for range requests {
		src := sources[random.IntN(len(sources))]
		path := randomPath(random)
		ops, limits := operations(t, path), imaging.DefaultLimits()
		want, wantErr := local.Process(t.Context(), src, ops, limits)
		agrees := func(route string, got *imaging.Result, err error) {
			t.Helper()
			taken[route]++
			switch {
			case !sameFault(err, wantErr):
				t.Errorf("%s through %s, %s: %v, expected %v", src.Name, path, route, err, wantErr)
			case err == nil && !bytes.Equal(got.Data, want.Data):
				t.Errorf("%s through %s, %s: other bytes, by %s instead of %s", src.Name, path, route, got.Route,
					want.Route)
			case err == nil && fmt.Sprint(got.Warnings) != fmt.Sprint(want.Warnings):
				t.Errorf("%s through %s, %s: %v, expected %v", src.Name, path, route, got.Warnings, want.Warnings)
			}
		}

		limits.Threads = 2
		got, err := local.Process(t.Context(), src, ops, limits)
		agrees("two threads", got, err)
		limits.Threads = 0

		got, err = pool.Process(t.Context(), src, ops, limits)
		agrees("worker", got, err)

		if wantErr == nil {
			list, err := local.Decode(t.Context(), src, []imaging.Load{loadOf(t, pool, src, path)}, limits)
			if err == nil {
				with := src
				with.Pixels = &list[0]
				got, err = local.Process(t.Context(), with, ops, limits)
				agrees("shared", got, err)
				list[0].Free()
			} else if !errors.Is(err, imaging.ErrAlone) {
				t.Errorf("%s through %s: %v", src.Name, path, err)
			}
		}

		ops.Filters += ":preview()"
		if ops.Filters == ":preview()" {
			ops.Filters = "preview()"
		}
		want, wantErr = local.Process(t.Context(), src, ops, limits)
		got, err = local.Process(t.Context(), src, ops, limits)
		agrees("preview", got, err)
	}
	for _, route := range []string{"two threads", "worker", "shared", "preview"} {
		if taken[route] < requests/4 {
			t.Errorf("only %d of %d requests took the route %s", taken[route], requests, route)
		}
	}
}

// routedSources returns pictures of the formats that have routes of their own, with and without alpha, and goldens.
func routedSources(t *testing.T, e *vips.Engine) (list []imaging.Source) {
	t.Helper()
	add := func(name string, data []byte) { list = append(list, source(name, data)) }
	for _, name := range []string{"scene.jpg", "turned.jpg", "logo.png", "grey.png", "deep.png", "pages.tiff",
		"move.gif"} {
		data, err := os.ReadFile(filepath.Join(goldenSources, name))
		if err != nil {
			t.Fatal(err)
		}
		add(name, data)
	}
	canvas := imaging.Colour{R: 30, G: 90, B: 160, A: 255}
	for _, kind := range []string{"", ":round_corner(40)"} {
		for _, format := range []string{"jpeg", "png", "webp", "webp):lossless(", "tiff", "avif"} {
			ops := operations(t, "330x210/filters:label(Routes,20,40,60,yellow):blur(3)"+kind+":format("+format+")")
			r, err := e.Process(t.Context(), imaging.Source{Canvas: &canvas}, ops, imaging.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			add(format+kind, r.Data)
		}
	}
	return list
}

// randomPath returns operations that are quick.
func randomPath(random *rand.Rand) string {
	one := func(list ...string) string { return list[random.IntN(len(list))] }
	width, height := 5+random.IntN(300), 5+random.IntN(200)
	path := one("", "", "", "trim/", "10x7:200x150/", "0.1x0.2:0.9x0.8/")
	path += one("", "", "fit-in/", "stretch/", "full-fit-in/")
	path += fmt.Sprintf("%s%dx%s%d", one("", "", "-"), width, one("", "", "-"), height)
	path += one("", "", "/smart", "/left/top")
	filters := []string{"format(" + one("jpeg", "png", "webp", "gif") + ")"}
	for range random.IntN(3) {
		filters = append(filters, one("blur(2)", "brightness(20)", "grayscale()", "rotate(90)", "orient(90)",
			"sharpen(1)",
			"round_corner(9)", "padding(red,3)", "quality(50)", "straighten(3)", "proportion(60)", "fill(white)"))
	}
	return strings.TrimSuffix(path, "/") + "/filters:" + strings.Join(filters, ":")
}

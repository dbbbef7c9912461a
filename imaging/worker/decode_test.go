//go:build linux

package worker

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// loadOf returns what a result decodes of the source.
func loadOf(t *testing.T, p *Pool, src imaging.Source, path string) imaging.Load {
	t.Helper()
	h, err := p.Survey(t.Context(), src, imaging.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", src.Name, err)
	}
	plan, err := imaging.NewPlan(
		h, operations(t, path), imaging.DefaultLimits(), imaging.PlanOptions{Writable: p.Formats()},
	)
	if err != nil {
		t.Fatalf("%s: %v", src.Name, err)
	}
	return plan.Load
}

// TestSharedDecodesAgree checks that it makes no difference to bytes, sizes and warnings that a worker has decoded the
// source for several results, some of which another worker makes.
func TestSharedDecodesAgree(t *testing.T) {
	p := open(t)
	files, err := filepath.Glob(goldenSources + "/*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d sources, %v", len(files), err)
	}
	maps, err := filepath.Glob("../gainmap/testdata/*.jpg")
	if err != nil || len(maps) != 2 {
		t.Fatalf("%d files with HDR gain maps, %v", len(maps), err)
	}
	files = append(files, maps...)
	paths := []string{
		"20x",
		"40x",
		"60x40/smart",
		"trim/50x/filters:format(jpeg)",
		"filters:orient(90):format(webp)",
		"30x/filters:keep_metadata()",
	}
	shared, mapped := 0, 0
	for _, file := range files {
		if ext := filepath.Ext(file); ext == ".svg" || ext == ".pdf" || ext == ".bmp" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src := source(filepath.Base(file), data)
		for n, path := range paths {
			l := loadOf(t, p, src, path)
			list, err := p.Decode(t.Context(), src, []imaging.Load{l}, imaging.DefaultLimits())
			if err != nil {
				t.Fatalf("%s through %s: %v", file, path, err)
			}
			release := func() {}
			if n%2 == 1 { // its worker is busy elsewhere
				c, err := p.acquire(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				release = func() { p.release(c) }
			}
			local, localErr := p.local.Process(t.Context(), src, operations(t, path), imaging.DefaultLimits())
			with := src
			with.Pixels = &list[0]
			theirs, err := p.Process(t.Context(), with, operations(t, path), imaging.DefaultLimits())
			list[0].Free()
			release()
			if !sameFault(err, localErr) {
				t.Errorf("%s through %s: %v here, %v from pixels", file, path, localErr, err)
			}
			if err != nil || localErr != nil {
				continue
			}
			shared++
			if slices.Contains(maps, file) && bytes.Contains(theirs.Data, []byte("MPF\x00")) {
				mapped++
			}
			local.Timing, theirs.Timing = imaging.Timing{}, imaging.Timing{}
			if !theirs.Route.Worker || local.Route.Worker {
				t.Errorf("made in the %s, and for a pool in the %s", local.Route.Process(), theirs.Route.Process())
			}
			theirs.Route.Worker, local.Route.Scale = false, theirs.Route.Scale
			if !reflect.DeepEqual(local, theirs) {
				t.Errorf(
					"%s through %s: other bytes, sizes or warnings from pixels: %d and %d bytes, %v and %v",
					file, path, len(local.Data), len(theirs.Data), local.Warnings, theirs.Warnings,
				)
			}
		}
	}
	if shared < 20 || mapped < 8 {
		t.Errorf("%d results were made of shared pixels, %d of them with gain maps", shared, mapped)
	}
}

// TestDecodeThatBreaksTheWorker: a crash is the error of all results, once; then each is to be made alone. Time is no
// crash.
func TestDecodeThatBreaksTheWorker(t *testing.T) {
	p := open(t)
	load := loadOf(t, p, source("fine", picture(t, 30, 20)), "")
	decode := func(ctx context.Context, name string) error {
		limits := imaging.DefaultLimits()
		limits.Timeout = 0
		list, err := p.Decode(ctx, source(name, picture(t, 30, 20)), []imaging.Load{load}, limits)
		for _, one := range list {
			one.Free()
		}
		return err
	}
	if err := decode(t.Context(), "crash"); fault.CodeOf(err) != fault.CorruptImage ||
		errors.Is(err, imaging.ErrAlone) ||
		p.count(ReasonCrash) != 1 {
		t.Errorf("%v, %v were lost", err, p.Workers().Lost)
	}
	for range 3 {
		if err := decode(t.Context(), "crash"); !errors.Is(err, imaging.ErrAlone) || p.count(ReasonCrash) != 1 {
			t.Errorf("after a crash: %v, %v were lost", err, p.Workers().Lost)
		}
	}
	if err := decode(t.Context(), "fine"); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p.config.sent = cancel
	if err := decode(ctx, "hang"); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("canceled: %v", err)
	}
	p.config.sent = nil
	if err := decode(t.Context(), "hang no more"); err != nil {
		t.Error(err)
	}
	if list, err := p.Decode(t.Context(), source("text", []byte("no picture")), []imaging.Load{load},
		imaging.DefaultLimits()); !errors.Is(
		err,
		imaging.ErrAlone,
	) {
		t.Errorf("no picture: %d pictures, %v", len(list), err)
	}
}

// TestPixelsMustBeSealed holds what is taken of a worker, which may have been taken over.
func TestPixelsMustBeSealed(t *testing.T) {
	memory := func(isSealed bool) *os.File {
		f, err := newMemory()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(bytes.Repeat([]byte{1}, 12)); err != nil {
			t.Fatal(err)
		}
		if isSealed {
			if err := seal(f); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	two := []imaging.Load{{Shrink: 1}, {Shrink: 2}}
	for name, c := range map[string]struct {
		files []*os.File
		rows  int
		ok    bool
	}{
		"as it should be": {[]*os.File{memory(true), memory(true)}, 2, true},
		"not sealed":      {[]*os.File{memory(true), memory(false)}, 2, false},
		"a file less":     {[]*os.File{memory(true)}, 2, false},
		"a row more":      {[]*os.File{memory(true), memory(true)}, 3, false},
	} {
		list, err := response{Pixels: make([]wirePixels, c.rows), files: c.files}.pixels(two)
		if (err == nil) != c.ok || c.ok && (len(list) != 2 || list[1].Load != two[1]) {
			t.Errorf("%s: %d pictures, %v", name, len(list), err)
		}
		for _, one := range list {
			one.Free()
		}
		for _, f := range c.files {
			if _, err := f.Stat(); err == nil {
				t.Errorf("%s: a file stays open", name)
			}
		}
	}
}

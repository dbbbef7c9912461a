//go:build linux

package worker

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

func fonts(files ...[]byte) (list []imaging.Font) {
	for _, file := range files {
		family := "Go"
		if bytes.Equal(file, gomono.TTF) {
			family = "Go Mono"
		}
		load := func(context.Context) ([]byte, error) { return file, nil }
		list = append(list, imaging.Font{Family: family, Version: string(file[len(file)-20:]), Load: load})
	}
	return list
}

// draw returns the text in that font as a PNG.
func (p *Pool) draw(t *testing.T, font string, list []imaging.Font) []byte {
	t.Helper()
	src := source("a", picture(t, 200, 60))
	src.Fonts = list
	r, err := p.Process(t.Context(), src, operations(t, "filters:text(Rgaf,0,0,"+font+"):format(png)"),
		imaging.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", font, err)
	}
	if len(list) > 0 && !r.Route.Worker {
		t.Errorf("%s is drawn in the server", font)
	}
	return r.Data
}

// TestFonts: a text has the font that comes with the picture, in a worker whatever the isolation is, and leaves no
// trace in other pictures.
func TestFonts(t *testing.T) {
	for _, mode := range []imaging.Isolation{imaging.IsolateAll, imaging.IsolateRisky, imaging.IsolateNone} {
		t.Run(string(mode), func(t *testing.T) {
			p := open(t, func(c *Config) { c.Mode = mode })
			without := p.draw(t, "Go-24", nil)
			plain := p.draw(t, "Go-24", fonts(goregular.TTF))
			if bytes.Equal(plain, without) {
				t.Error("the font is not used")
			}
			both := fonts(goregular.TTF, gobold.TTF)
			bold := p.draw(t, "Go-bold-24", both)
			for name, other := range map[string][]byte{
				"the same weight":    p.draw(t, "Go-24", both),
				"a false bold":       p.draw(t, "Go-bold-24", fonts(goregular.TTF)),
				"another font":       p.draw(t, "Go-Mono-24", fonts(gomono.TTF)),
				"an installed font":  p.draw(t, "sans-bold-24", both),
				"the font not there": p.draw(t, "Go-bold-24", nil),
			} {
				if bytes.Equal(bold, other) {
					t.Errorf("a text in bold looks like %s", name)
				}
			}
			if again := p.draw(t, "Go-24", fonts(goregular.TTF)); !bytes.Equal(again, plain) {
				t.Error("the same text differs the second time")
			}
			if again := p.draw(t, "Go-24", nil); !bytes.Equal(again, without) {
				t.Error("a text without the font changes once a worker has loaded it")
			}
			if w := p.Workers(); w.Running > w.Limit {
				t.Errorf("%d workers of %d", w.Running, w.Limit)
			}
			for reason, n := range p.Workers().Lost {
				if n > 0 {
					t.Errorf("%d workers are lost: %s", n, reason)
				}
			}
		})
	}
}

// TestFontsAreLoadedOnce: the bytes of a font are read only for a worker that has not loaded it, and an error in that
// costs no worker.
func TestFontsAreLoadedOnce(t *testing.T) {
	p := open(t)
	loads, gone := 0, false
	list := fonts(goregular.TTF)
	list[0].Load = func(context.Context) ([]byte, error) {
		if loads++; gone {
			return nil, imaging.ErrFontChanged
		}
		return goregular.TTF, nil
	}
	p.draw(t, "Go-24", list)
	p.draw(t, "Go-bold-24", list)
	if loads != 1 {
		t.Errorf("the font was read %d times", loads)
	}
	gone, list[0].Version = true, "another"
	src := source("a", picture(t, 200, 60))
	src.Fonts = list
	_, err := p.Process(t.Context(), src, operations(t, "filters:text(Rgaf,0,0,Go-24)"), imaging.DefaultLimits())
	if !errors.Is(err, imaging.ErrFontChanged) {
		t.Errorf("a font that is gone: %v", err)
	}
	if w := p.Workers(); w.Running != w.Idle || w.Retired > 0 || w.Started > 2 {
		t.Errorf("the workers are %+v", w)
	}
}

// TestBrokenFonts: a file that is no font is refused, and costs a worker at most.
func TestBrokenFonts(t *testing.T) {
	p := open(t)
	for name, file := range map[string][]byte{
		"text":    bytes.Repeat([]byte("no font "), 100),
		"cut":     goregular.TTF[:len(goregular.TTF)/3],
		"garbage": slices.Concat(goregular.TTF[:12], bytes.Repeat([]byte{255}, 5000)),
	} {
		src := source("a", picture(t, 200, 60))
		src.Fonts = fonts(file)
		_, err := p.Process(t.Context(), src, operations(t, "filters:text(Rgaf,0,0,Go-24)"), imaging.DefaultLimits())
		if code := fault.CodeOf(err); code != fault.UnsupportedType {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := p.Ready(); err != nil {
		t.Error(err)
	}
	p.draw(t, "sans-24", nil)
	if w := p.Workers(); w.Running-w.Idle != 0 {
		t.Errorf("%d workers, %d of them idle", w.Running, w.Idle)
	}
}

// TestReadyWithoutWorkers: without isolation, a server is ready although it starts no worker for a font.
func TestReadyWithoutWorkers(t *testing.T) {
	p := open(t, func(c *Config) { c.Mode, c.Env = imaging.IsolateNone, []string{"SAFELIGHT_TEST_BROKEN=1"} })
	src := source("a", picture(t, 200, 60))
	src.Fonts = fonts(goregular.TTF)
	_, err := p.Process(t.Context(), src, operations(t, "filters:text(Rgaf,0,0,Go-24)"), imaging.DefaultLimits())
	if fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a text without a worker: %v", err)
	}
	p.mu.Lock()
	p.failing = p.failing.Add(-2 * unready)
	p.mu.Unlock()
	if err := p.Ready(); err != nil {
		t.Error(err)
	}
	p.draw(t, "sans-24", nil)
}

// TestFontTakesColdestWorker: where all slots are taken, a font costs the worker that was used least recently, which
// has ended before another one starts.
func TestFontTakesColdestWorker(t *testing.T) {
	p := open(t, func(c *Config) { c.Workers = 2 })
	var held []*child
	for range p.limit {
		c, err := p.acquire(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		c.jobs++
		held = append(held, c)
	}
	for _, c := range held {
		p.release(c)
	}
	c, err := p.acquire(t.Context(), "", "a font")
	if err != nil {
		t.Fatal(err)
	}
	defer p.release(c)
	select {
	case <-held[0].gone:
	default:
		t.Error("the coldest worker is still there")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for n, c := range held[1:] {
		if !p.live[c] {
			t.Errorf("worker %d is gone, which was used later", n+1)
		}
	}
}

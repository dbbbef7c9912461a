//go:build linux

package worker

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/vips"
)

// TestRoute holds what IsolateRisky leaves to workers: by the bytes of any source or layer, never by a name.
func TestRoute(t *testing.T) {
	local, err := openVips(EngineConfig{}, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Mode: imaging.IsolateRisky}, local)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	fine, svg := picture(t, 9, 9), []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")
	high := slices.Clone(fine)
	copy(high[20:], "\x00\x98\x96\x80") // 10,000,000 rows
	of := func(data []byte, layers ...[]byte) imaging.Source {
		s := imaging.Source{
			Name:   "picture.png",
			Reader: bytes.NewReader(data),
			Size:   int64(len(data)),
			Layers: map[string]imaging.Source{},
		}
		for n, l := range layers {
			s.Layers[string(rune('a'+n))] = imaging.Source{
				Name:   "layer.png",
				Reader: bytes.NewReader(l),
				Size:   int64(len(l)),
			}
		}
		return s
	}
	red := imaging.Colour{R: 255, A: 255}
	for _, c := range []struct {
		name    string
		src     imaging.Source
		filters imaging.Filters
		want    bool
	}{
		{"PNG", of(fine), "", true},
		{"PNG with a PNG", of(fine, fine), "image(a)", true},
		{"canvas", imaging.Source{Canvas: &red}, "", true},
		{"SVG under another name", of(svg), "", false},
		{"PNG with an SVG", of(fine, fine, svg), "", false},
		{"canvas with an SVG", imaging.Source{Canvas: &red, Layers: map[string]imaging.Source{"a": of(svg)}}, "",
			false},
		{"very high PNG", of(high), "", false},
		{"TIFF", of([]byte("II*\x00abcdefgh")), "", false},
		{"AVIF", of([]byte("\x00\x00\x00\x18ftypavif\x00\x00\x00\x00mif1avif")), "", false},
		{"PDF", of([]byte("%PDF-1.7")), "", false},
		{"nothing known", of([]byte("hello")), "", false},
		{"empty", of(nil), "", false},
		{"16 filters", of(fine), imaging.Filters(strings.Repeat("blur(1):", 16)), true},
		{"17 filters", of(fine), imaging.Filters(strings.Repeat("blur(1):", 17)), false},
	} {
		if got := p.isTrusted(c.src, imaging.Operations{Filters: c.filters}); got != c.want {
			t.Errorf("%s: trusted is %v, expected %v", c.name, got, c.want)
		}
	}
	p.mode = imaging.IsolateAll
	if p.isTrusted(of(fine), imaging.Operations{}) {
		t.Error("all leaves a PNG to this process")
	}
}

// TestHeadersTakeNoWorker checks that headers of the usual files are read, and plain files described, without a
// worker, and that the server's process decodes nothing with IsolateAll, which is the default.
func TestHeadersTakeNoWorker(t *testing.T) {
	local, err := vips.New(vips.Config{Log: slog.New(slog.DiscardHandler), Refused: []imaging.Format{imaging.PNG}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Log: slog.New(slog.DiscardHandler)}, local)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	src := source("picture.png", picture(t, 30, 20))
	limits := imaging.DefaultLimits()
	for _, e := range []imaging.Engine{p, p.Isolated()} {
		h, err := e.Survey(t.Context(), src, limits)
		if err != nil || h.Width != 30 || h.Height != 20 {
			t.Errorf("its header is %+v, %v", h, err)
		}
		info, err := e.Info(t.Context(), src, imaging.InfoRequest{}, limits)
		if err != nil || info.Width != 30 || info.Height != 20 || info.Format != imaging.PNG {
			t.Errorf("it is described as %+v, %v", info, err)
		}
	}
	if s := p.Workers(); s.Started != 0 {
		t.Errorf("%d workers were started", s.Started)
	}
	if _, err := p.Process(t.Context(), src, imaging.Operations{Width: 10}, limits); err != nil {
		t.Error(err)
	}
	if s := p.Workers(); s.Started != 1 {
		t.Errorf("%d workers were started, expected one", s.Started)
	}
}

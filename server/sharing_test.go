package server_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/vips"
	"github.com/safelight/safelight/server"
)

// gatedEngine is the real engine. A canvas waits until its gate is open; decodes are counted.
type gatedEngine struct {
	*vips.Engine
	gate    chan struct{}
	decodes atomic.Int64 // of sources, by jobs and for several
}

func (e *gatedEngine) Process(
	ctx context.Context, src imaging.Source, ops imaging.Operations, limits imaging.Limits,
) (*imaging.Result, error) {
	switch {
	case src.Canvas != nil:
		select {
		case <-e.gate:
		case <-ctx.Done():
		}
	case src.Pixels == nil:
		e.decodes.Add(1)
	}
	return e.Engine.Process(ctx, src, ops, limits)
}

func (e *gatedEngine) Decode(
	ctx context.Context, src imaging.Source, loads []imaging.Load, limits imaging.Limits,
) ([]imaging.Pixels, error) {
	e.decodes.Add(1)
	return e.Engine.Decode(ctx, src, loads, limits)
}

// sharedPhoto is a JPEG that decodes at three scales for the widths of the test.
func sharedPhoto(t *testing.T) []byte {
	img := image.NewYCbCr(image.Rect(0, 0, 1600, 1200), image.YCbCrSubsampleRatio420)
	for y := range 1200 {
		for x := range 1600 {
			img.Y[img.YOffset(x, y)] = uint8(x*y/500 + x&y)
		}
	}
	for n := range img.Cb {
		img.Cb[n], img.Cr[n] = uint8(n/700), uint8(n/300)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSharedDecodes asks for six widths of a picture at once, which wait in the queue: one decode makes all of them,
// and each is what it is alone.
func TestSharedDecodes(t *testing.T) {
	e, err := vips.New(vips.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	engine := &gatedEngine{Engine: e, gate: make(chan struct{})}
	s := newStageWith(t, func(c *server.Config, _ *gallerytest.Config) { c.Unsafe, c.Workers = true, 1 },
		func(d *server.Deps) { d.Engine = engine })
	old := time.Now().Add(-time.Hour)
	s.store("photo.jpg", string(sharedPhoto(t)))
	s.must(os.Chtimes(filepath.Join(s.files, "photo.jpg"), old, old))
	get := func(path string) (body string) {
		r, err := http.Get(s.url + "/unsafe/" + path)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer r.Body.Close()
		data, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("%s: %d, %v %s", path, r.StatusCode, err, data)
		}
		return string(data)
	}
	series := func(name string) string {
		_, rest, _ := strings.Cut(s.do("GET", "/metrics", "").body, "\nsafelight_"+name+" ")
		value, _, _ := strings.Cut(rest, "\n")
		return value
	}
	until := func(name, value string) {
		for series(name) != value && t.Context().Err() == nil {
		}
	}
	paths := []string{"64x/photo.jpg", "120x/photo.jpg", "200x/filters:format(webp)/photo.jpg", "250x/photo.jpg",
		"400x300/smart/photo.jpg", "500x/filters:blur(2)/photo.jpg"}
	var wait sync.WaitGroup
	wait.Go(func() { get("10x10/color:red") })
	until("workers_busy", "1")
	together := make([]string, len(paths))
	for n, path := range paths {
		wait.Go(func() { together[n] = get(path) })
	}
	until("queue_depth", fmt.Sprint(len(paths)))
	close(engine.gate)
	wait.Wait()
	if n := engine.decodes.Load(); n != 1 || series("decodes_shared_total") != "1" ||
		series("decodes_shared_pictures_total") != "6" {
		t.Errorf("%d decodes; the metrics say %s for %s", n, series("decodes_shared_total"),
			series("decodes_shared_pictures_total"))
	}
	for n, path := range paths {
		if alone := get(path); alone == "" || alone != together[n] {
			t.Errorf("%s: %d bytes alone, other ones together (%d)", path, len(alone), len(together[n]))
		}
	}
	if n := engine.decodes.Load(); n != 7 || series("work_memory_bytes") != "0" {
		t.Errorf("%d decodes in the end, %s bytes are held", n, series("work_memory_bytes"))
	}
}

package vips

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// inMemory returns the file as a source.
func inMemory(name string, data []byte) imaging.Source {
	return imaging.Source{
		Name:    name,
		Size:    int64(len(data)),
		Version: name,
		Reader:  imaging.NewMemoryFile(data),
	}
}

// opsOf parses a path.
func opsOf(t *testing.T, path string) imaging.Operations {
	t.Helper()
	r, err := imaging.Parse("unsafe/" + path + "/img")
	if err != nil {
		t.Fatal(err)
	}
	return r.Operations
}

// decodedTogether decodes the source for all the paths at once, and returns the pixels of each by its load.
func decodedTogether(
	t *testing.T,
	e *Engine,
	src imaging.Source,
	paths []string,
	limits imaging.Limits,
) (map[imaging.Load]imaging.Pixels, map[string]imaging.Load, error) {
	t.Helper()
	loads, of := []imaging.Load(nil), map[string]imaging.Load{}
	seen := map[imaging.Load]bool{}
	for _, path := range paths {
		p, err := planned(t, e, src, opsOf(t, path), limits)
		if err != nil {
			return nil, nil, err
		}
		if of[path] = p.Load; !seen[p.Load] {
			seen[p.Load] = true
			loads = append(loads, p.Load)
		}
	}
	list, err := e.Decode(t.Context(), src, loads, limits)
	pixels := map[imaging.Load]imaging.Pixels{}
	for _, p := range list {
		pixels[p.Load] = p
		t.Cleanup(p.Free)
	}
	return pixels, of, err
}

// TestSharedDecodes checks that the bytes, sizes and warnings of a result are the same whether its source was decoded
// for it alone or together with others, at several scales.
func TestSharedDecodes(t *testing.T) {
	e := open(t)
	limits := imaging.DefaultLimits()
	limits.Timeout = 0
	sources := map[string][]byte{
		"photograph":   jpegOf(t, photograph(1203, 905)),
		"one row more": jpegOf(t, photograph(1009, 1009)),
		"grey":         processed(e, "filters:grayscale():format(jpeg)", jpegOf(t, photograph(640, 480)), t).Data,
		"glass":        pngOf(t, glass(640, 481)),
		"webp":         processed(e, "filters:format(webp)", pngOf(t, photograph(840, 620)), t).Data,
		"webp alpha":   processed(e, "filters:format(webp)", pngOf(t, glass(640, 480)), t).Data,
		"moving":       processed(e, "filters:format(webp)", animation(t, 200, 150, 3), t).Data,
	}
	large := []string{
		"160x",
		"320x",
		"480x/filters:format(webp)",
		"640x",
		"fit-in/960x960/filters:format(png)",
		"1280x",
		"trim/200x",
		"trim/300x/filters:blur(2)",
		"10x5:700x600/100x",
		"300x300/smart",
		"-250x-120/left/top",
		"filters:orient(90):rotate(90)",
		"240x/filters:straighten(5)",
		"200x/filters:keep_metadata()",
		"0.5x0.5:1x1/90x",
		"filters:format(jpeg):quality(60)",
		"100x/filters:page(2)",
	}
	small := []string{
		"40x",
		"60x40/smart",
		"-25x-12/left/top",
		"trim/50x/filters:format(jpeg)",
		"filters:orient(90):rotate(90):format(png)",
		"24x/filters:straighten(5)",
		"20x/filters:keep_metadata()",
		"30x/filters:page(2)",
	}
	files, err := filepath.Glob("../../testdata/golden/sources/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if sources["golden "+filepath.Base(file)], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	shared, n := 0, 0
	for name, data := range sources {
		src, paths := inMemory(name, data), large
		if strings.HasPrefix(name, "golden ") {
			paths = small
		}
		if testing.Short() {
			paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
				return leftOut(slices.Index(paths, path) + n)
			})
		}
		n++
		pixels, of, err := decodedTogether(t, e, src, paths, limits)
		if err != nil {
			if of != nil && !errors.Is(err, imaging.ErrAlone) {
				t.Errorf("%s: %v", name, err)
			}
			t.Logf("%s: %v", name, err)
			continue
		}
		shared++
		for _, path := range paths {
			alone, err1 := e.Process(t.Context(), src, opsOf(t, path), limits)
			p, ok := pixels[of[path]]
			if !ok {
				t.Fatalf("%s through %s: nothing was decoded for it", name, path)
			}
			with := src
			with.Pixels = &p
			together, err2 := e.Process(t.Context(), with, opsOf(t, path), limits)
			if err1 != nil || err2 != nil {
				if err1 == nil || err2 == nil || err1.Error() != err2.Error() {
					t.Errorf("%s through %s: alone %v, together %v", name, path, err1, err2)
				}
				continue
			}
			if !bytes.Equal(alone.Data, together.Data) {
				t.Errorf(
					"%s through %s: %d bytes alone, %d other ones together", name, path, len(alone.Data),
					len(together.Data),
				)
			}
			alone.Timing, together.Timing, alone.Data, together.Data = imaging.Timing{}, imaging.Timing{}, nil, nil
			alone.Route.Scale = together.Route.Scale // what is shared is not scaled while it is decoded
			if !reflect.DeepEqual(alone, together) {
				t.Errorf("%s through %s: %+v alone, %+v together", name, path, alone, together)
			}
		}
	}
	if shared < 10 {
		t.Errorf("%d of %d sources were shared", shared, len(sources))
	}
}

// countedReader counts the bytes that are read.
type countedReader struct {
	io.ReadSeeker
	n int
}

// Read implements io.Reader.
func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.ReadSeeker.Read(p)
	r.n += n
	return n, err
}

// TestDecodedIsNotRead checks that a result of decoded pixels reads no more of its JPEG than the header, and is the
// same; and that all is read where the pixels are of no use.
func TestDecodedIsNotRead(t *testing.T) {
	e := open(t)
	limits := imaging.DefaultLimits()
	limits.Timeout = 0
	photo := jpegOf(t, photograph(1203, 905))
	for name, data := range map[string][]byte{
		"photograph": photo, "turned": withOrientation(photo, 6),
		"with a profile": libvipsMakes(t, e, photo, imaging.JPEG, "profile=p3"),
		"grey":           processed(e, "filters:grayscale():format(jpeg)", photo, t).Data,
	} {
		src := inMemory(name, data)
		pixels, of, err := decodedTogether(t, e, src, []string{"160x", "320x/filters:keep_metadata()", "640x"}, limits)
		if err != nil {
			t.Fatal(err)
		}
		for path, load := range of {
			alone, err := e.Process(t.Context(), src, opsOf(t, path), limits)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pixels {
				r := &countedReader{ReadSeeker: bytes.NewReader(data)}
				with := imaging.Source{Name: name, Size: int64(len(data)), Version: name, Reader: r, Pixels: &p}
				together, err := e.Process(t.Context(), with, opsOf(t, path), limits)
				if err != nil || !bytes.Equal(together.Data, alone.Data) {
					t.Errorf("%s through %s: other bytes, %v", name, path, err)
				}
				if all := r.n >= len(data); all != (p.Load != load) || !all && r.n > len(data)/2 {
					t.Errorf(
						"%s through %s, decoded for it: %v: %d of %d bytes are read", name, path,
						p.Load == load, r.n, len(data),
					)
				}
			}
		}
	}
}

// TestDamagedIsNotShared checks that a file of which libjpeg warns is left to each result: what one does not read may
// be damaged.
func TestDamagedIsNotShared(t *testing.T) {
	e := open(t)
	whole := jpegOf(t, photograph(1200, 900))
	spoilt := bytes.Clone(whole)
	for n := len(spoilt) / 2; n < len(spoilt)/2+40; n++ {
		spoilt[n] = 0xFF
	}
	for name, data := range map[string][]byte{"cut": whole[:len(whole)/2], "spoilt": spoilt} {
		_, _, err := decodedTogether(t, e, inMemory(name, data), []string{"100x", "600x"}, imaging.DefaultLimits())
		if !errors.Is(err, imaging.ErrAlone) {
			t.Errorf("%s: %v, expected %v", name, err, imaging.ErrAlone)
		}
	}
}

// TestScalesOfOnePass compares what is decoded at several scales in one pass with libvips' loader, and holds which
// files that is for.
func TestScalesOfOnePass(t *testing.T) {
	e := open(t)
	progressive := processed(e, "filters:format(jpeg):progressive()", jpegOf(t, photograph(400, 300)), t).Data
	for name, c := range map[string]struct {
		data []byte
		want bool
	}{
		"baseline":    {jpegOf(t, photograph(1203, 905)), true},
		"small":       {jpegOf(t, photograph(17, 19)), true},
		"progressive": {progressive, !bytes.Contains(progressive, []byte("\xFF\xC2"))},
		"png":         {pngOf(t, photograph(64, 48)), false},
	} {
		err := withInput(t, e, c.data, func(j *job) error {
			h := j.input.header
			var loads []imaging.Load
			for _, n := range []int{8, 2, 4, 1} {
				loads = append(loads, imaging.Load{
					Frames: 1,
					Shrink: n,
					Scale:  1,
					Box:    1,
					Width:  max(h.Width/n, 1),
					Height: max(h.Height/n, 1),
				})
			}
			list, err := j.decodeScales(loads)
			if err != nil {
				return err
			}
			if (list != nil) != c.want {
				t.Errorf("%s: %d images in one pass, expected some: %v", name, len(list), c.want)
			}
			for n, i := range list {
				lazy, err := j.input.decodeByLibvips(loads[n])
				if err != nil {
					return err
				}
				memory, err := lazy.copyMemory()
				if err != nil {
					return err
				}
				got, want := i, memory.asDecoded(loads[n], i.By)
				if !bytes.Equal(got.Data, want.Data) || got.Width != want.Width || got.Bands != want.Bands {
					t.Errorf(
						"%s at 1/%d: other pixels than libvips', %dx%d and %dx%d", name, loads[n].Shrink,
						got.Width, got.Height, want.Width, want.Height,
					)
				}
				i.Free()
				memory.close()
				lazy.close()
			}
			return nil
		})
		if err != nil && !strings.Contains(err.Error(), "x") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSharedPixelsAreNotCopied checks that a job reads shared pixels where they are: each copy would be memory that
// admission does not count.
func TestSharedPixelsAreNotCopied(t *testing.T) {
	e, limits := open(t), imaging.DefaultLimits()
	for name, data := range map[string][]byte{"JPEG": jpegOf(t, photograph(400, 300)),
		"PNG": pngOf(t, glass(400, 300))} {
		pixels, of, err := decodedTogether(t, e, inMemory(name, data), []string{"100x"}, limits)
		if err != nil {
			t.Fatal(err)
		}
		p := pixels[of["100x"]]
		err = withInput(t, e, data, func(j *job) error {
			j.shared = &p
			img, err := j.decodedBefore(p.Load)
			if err != nil {
				return err
			}
			defer img.close()
			if got, ok := img.picture(); !ok || &got.Pixels[0] != &p.Data[0] ||
				!bytes.Equal(got.Pixels, p.Data) {
				t.Errorf("%s: in memory %v, or copied", name, ok)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

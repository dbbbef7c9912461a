//go:build linux

package worker

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

const goldenSources = "../../testdata/golden/sources"

// TestAgree checks that it makes no difference to bytes, sizes, warnings and faults where the work is done.
func TestAgree(t *testing.T) {
	p := open(t)
	files, err := filepath.Glob(goldenSources + "/*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d sources, %v", len(files), err)
	}
	layers := map[string]imaging.Source{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		layers[filepath.Base(file)] = source(filepath.Base(file), data)
	}
	paths := []string{
		"",
		"60x40",
		"fit-in/50x50/filters:blur(3)",
		"filters:format(webp)",
		"trim/filters:format(jpeg):quality(50)",
		"90x60/smart",
		"filters:text(Hello,5,5,red)",
		"filters:label(Hello,5,5,10,red)",
		"filters:watermark(logo.png,1,1)",
		"filters:watermark(missing.png,1,1)",
		"filters:preview():brightness(20)",
		"filters:raw()",
		"filters:nosuch(1)",
		"filters:rotate(nothing)",
		"99999x99999",
	}
	for name, src := range layers {
		src.Layers = layers
		for _, path := range paths {
			ops := operations(t, path)
			local, localErr := p.local.Process(t.Context(), src, ops, imaging.DefaultLimits())
			theirs, err := p.Process(t.Context(), src, ops, imaging.DefaultLimits())
			if !sameFault(err, localErr) {
				t.Errorf("%s through %s: %v here, %v in a worker", name, path, localErr, err)
				continue
			}
			if err != nil {
				continue
			}
			local.Timing, theirs.Timing = imaging.Timing{}, imaging.Timing{}
			if !theirs.Route.Worker || local.Route.Worker {
				t.Errorf("made in the %s, and for a pool in the %s", local.Route.Process(), theirs.Route.Process())
			}
			theirs.Route.Worker = false
			if !bytes.Equal(local.Data, theirs.Data) {
				t.Errorf("%s through %s: the bytes differ", name, path)
			}
			if local.Data, theirs.Data = nil, nil; !reflect.DeepEqual(local, theirs) {
				t.Errorf("%s through %s: %+v here, %+v in a worker", name, path, local, theirs)
			}
		}
	}
}

func sameFault(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	f, g := fault.Of(a), fault.Of(b)
	return f.Code == g.Code && f.Field == g.Field && f.Message == g.Message
}

// TestDescriptionsAgree is TestAgree for metadata, to the type of each value.
func TestDescriptionsAgree(t *testing.T) {
	p := open(t)
	files, err := filepath.Glob(goldenSources + "/*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d sources, %v", len(files), err)
	}
	all := "filters:blurhash():thumbhash():avgcolor():palette(4):dominant():phash():lqip():sha256():iptc():xmp():icc()"
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src := source(filepath.Base(file), data)
		for _, path := range []string{"", "40x", all} {
			req := imaging.InfoRequest{Operations: operations(t, path)}
			local, localErr := p.local.Info(t.Context(), src, req, imaging.DefaultLimits())
			theirs, err := p.Info(t.Context(), src, req, imaging.DefaultLimits())
			req.Sample = true
			sample, localSample := p.local.Info(t.Context(), src, req, imaging.DefaultLimits())
			if there, err := p.Info(t.Context(), src, req, imaging.DefaultLimits()); !sameFault(err, localSample) ||
				!reflect.DeepEqual(sample, there) {
				t.Errorf(
					"%s through %q sampled: %+v %v here, %+v %v in a worker", file, path, sample,
					localSample, there, err,
				)
			}
			if !sameFault(err, localErr) || !reflect.DeepEqual(local, theirs) {
				here, _ := json.Marshal(local)
				there, _ := json.Marshal(theirs)
				t.Errorf("%s through %q: %v %s here, %v %s in a worker", file, path, localErr, here, err, there)
			}
		}
		local, localErr := p.local.Survey(t.Context(), src, imaging.DefaultLimits())
		isolated, err := p.Isolated().Survey(t.Context(), src, imaging.DefaultLimits())
		if !sameFault(err, localErr) || err == nil && local != isolated {
			t.Errorf("%s: the header is %+v %v here, %+v %v isolated", file, local, localErr, isolated, err)
		}
		theirs, err := p.Survey(t.Context(), src, imaging.DefaultLimits())
		if !sameFault(err, localErr) || err == nil && local != theirs {
			t.Errorf("%s: the header is %+v %v here, %+v %v in a worker", file, local, localErr, theirs, err)
		}
	}
}

// TestDescriptionTypes checks that a description comes back as it was, to the type of each value.
func TestDescriptionTypes(t *testing.T) {
	for _, want := range []imaging.Info{
		{Exif: map[string]any{}},
		{Exif: map[string]any{"ISO": 1 << 53, "Minus": -7, "Model": "X 100", "Number": "1e3"},
			AverageColor: &imaging.RGB{}, Palette: []imaging.PaletteColour{}},
		{IPTC: map[string]any{"keywords": []string{"a", "b"}, "city": "Ulm"}, Exif: map[string]any{}, XMP: "<x/>",
			Palette:  []imaging.PaletteColour{{RGB: imaging.RGB{R: 1}, Share: 0.25}},
			Warnings: []imaging.Warning{{Filter: "f", Message: "m"}}},
	} {
		work, err := socketPair()
		if err != nil {
			t.Fatal(err)
		}
		theirs, ours := newWire(int(work.theirs.Fd())), newWire(work.ours)
		if err := theirs.send(response{Info: &want, Warnings: want.Warnings}, nil, nil); err != nil {
			t.Fatal(err)
		}
		var a response
		if _, _, err := ours.receive(&a, 0); err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(work.keep())
		got, err := a.info()
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
	}
}

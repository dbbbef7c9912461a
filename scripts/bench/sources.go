package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Names of the sources, without the number of the copy.
const (
	photo12      = "photo12.jpg"      // 12 MP
	turned       = "turned.jpg"       // photo12 with EXIF orientation 6
	photo2       = "photo2.jpg"       // 2 MP
	alpha4       = "alpha4.png"       // 4 MP with soft transparent edges
	motion       = "motion.gif"       // 24 frames
	webp2        = "photo2.webp"      // photo2
	png2         = "photo2.png"       // photo2
	screenshot   = "screenshot.png"   // 2 MP of windows with text
	interlaced16 = "interlaced16.jpg" // 16 MP, progressive
	heic12       = "photo12.heic"     // photo12 as HEIC; missing if libheif has no encoder for it
	photo48      = "photo48.jpg"      // 48 MP
)

// sourceNames lists each source before the sources that are derived from it.
var sourceNames = []string{photo12, turned, photo2, alpha4, motion, webp2, png2, screenshot, interlaced16, heic12,
	photo48}

// derived maps sources that the bare program makes from another source to that source and the options for saving.
var derived = map[string][2]string{
	webp2: {photo2, ".webp[Q=85,strip]"}, png2: {photo2, ".png[strip]"},
	heic12: {photo12, ".heic[Q=60,compression=hevc,strip]"},
}

// copyName returns the name that client n requests: each has its own, so that servers cannot coalesce requests.
func copyName(source string, n int) string { return fmt.Sprintf("%03d-%s", n, source) }

// makeSources renders those of the named sources that are missing in the folder, and links a copy for each client.
// Sources in formats that libvips cannot write stay missing. program is the bare program.
func makeSources(ctx context.Context, program, folder string, names []string, copies int) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range sourceNames {
		if !slices.Contains(names, name) && !slices.ContainsFunc(names,
			func(n string) bool { return derived[n][0] == name }) {
			continue
		}
		first := filepath.Join(folder, copyName(name, 0))
		if _, err := os.Stat(first); errors.Is(err, fs.ErrNotExist) {
			err := makeSource(ctx, program, folder, name)
			if from, ok := derived[name]; ok && err != nil {
				fmt.Fprintf(os.Stderr, "%s of %s: %v\n", name, from[0], err)
				continue
			}
			if err != nil {
				return fmt.Errorf("making %s: %w", name, err)
			}
		}
		for n := 1; n < copies; n++ {
			err := os.Link(first, filepath.Join(folder, copyName(name, n)))
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	return nil
}

// makeSource makes the first copy of a source.
func makeSource(ctx context.Context, program, folder, name string) error {
	first := filepath.Join(folder, copyName(name, 0))
	if from, ok := derived[name]; ok {
		_, err := output(ctx, program, "loop", "source="+filepath.Join(folder, copyName(from[0], 0)), "width=99999",
			"height=99999", "save="+from[1], "out="+first+".new")
		if err != nil {
			return err
		}
		return os.Rename(first+".new", first)
	}
	data, err := sourceBytes(name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(first+".new", data, 0o644); err != nil {
		return err
	}
	if name == interlaced16 {
		if _, err := output(ctx, program, "loop", "source="+first+".new", "width=99999", "height=99999",
			"save=.jpg[Q=88,interlace,strip]", "out="+first+".new"); err != nil {
			return err
		}
	}
	return os.Rename(first+".new", first)
}

func sourceBytes(name string) ([]byte, error) {
	switch name {
	case photo12:
		return jpegOf(scene{seed: 1, shot: 18}.paint(4000, 3000, 0))
	case turned:
		data, err := sourceBytes(photo12)
		if err != nil {
			return nil, err
		}
		return withOrientation(data, 6)
	case photo2:
		return jpegOf(scene{seed: 2, shot: 14}.paint(1600, 1200, 0))
	case alpha4:
		s := scene{seed: 3, shot: 4}
		img := s.paint(2000, 2000, 0)
		s.cutOut(img)
		var b bytes.Buffer
		err := png.Encode(&b, img)
		return b.Bytes(), err
	case interlaced16:
		return jpegOf(scene{seed: 5, shot: 16}.paint(4608, 3456, 0))
	case photo48:
		return jpegOf(scene{seed: 6, shot: 20}.paint(8000, 6000, 0))
	case screenshot:
		var b bytes.Buffer
		err := png.Encode(&b, windows(1920, 1080))
		return b.Bytes(), err
	}
	return animation(24, 480)
}

func jpegOf(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 90})
	return b.Bytes(), err
}

// animation is a panning view with flying discs, dithered to 256 colors; no two frames are equal.
func animation(frames, side int) ([]byte, error) {
	var g gif.GIF
	colours := append(color.Palette{}, palette.Plan9...)
	for n := range frames {
		img := scene{seed: 4}.paint(side, side, float64(n)*40)
		for k := range 4 {
			t := float64(n)/float64(frames)*2*math.Pi + float64(k)*1.7
			disc(img, float64(side)*(0.5+0.4*math.Cos(t)), float64(side)*(0.5+0.4*math.Sin(t*float64(k+1))),
				float64(18+9*k),
				color.NRGBA{uint8(60 * k), uint8(220 - 50*k), uint8(90 + 40*k), 255})
		}
		frame := image.NewPaletted(img.Rect, colours)
		draw.FloydSteinberg.Draw(frame, img.Rect, img, image.Point{})
		g.Image, g.Delay = append(g.Image, frame), append(g.Delay, 8)
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &g)
	return b.Bytes(), err
}

// withOrientation replaces the EXIF block of a JPEG with one that contains only an orientation.
func withOrientation(data []byte, orientation uint16) ([]byte, error) {
	tiff := []byte("Exif\x00\x00MM\x00\x2A\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	tiff = binary.BigEndian.AppendUint16(tiff, orientation)
	tiff = append(tiff, 0, 0, 0, 0, 0, 0)
	out := append([]byte{0xFF, 0xD8, 0xFF, 0xE1}, binary.BigEndian.AppendUint16(nil, uint16(len(tiff)+2))...)
	out = append(out, tiff...)
	for at := 2; at+4 <= len(data); {
		if data[at] != 0xFF {
			break
		}
		if data[at+1] == 0xDA { // the scan, which is the rest of the file
			return append(out, data[at:]...), nil
		}
		end := at + 2 + int(binary.BigEndian.Uint16(data[at+2:]))
		if end > len(data) {
			break
		}
		if data[at+1] != 0xE1 { // not EXIF
			out = append(out, data[at:end]...)
		}
		at = end
	}
	return nil, errors.New("not a JPEG as expected")
}

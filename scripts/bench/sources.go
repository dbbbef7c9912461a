package main

import (
	"bytes"
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
)

// Names of the sources, without the number of the copy.
const (
	photo12 = "photo12.jpg" // 12 MP
	turned  = "turned.jpg"  // the same with EXIF orientation 6
	photo2  = "photo2.jpg"  // 2 MP
	alpha4  = "alpha4.png"  // 4 MP, soft transparent edges
	motion  = "motion.gif"  // 24 frames
)

var sourceNames = []string{photo12, turned, photo2, alpha4, motion}

// copyName returns the name that client n requests: each has its own, so that servers cannot coalesce requests.
func copyName(source string, n int) string { return fmt.Sprintf("%03d-%s", n, source) }

// makeSources renders the missing sources in the folder, or copies them from images, and links as many copies as there are
// clients.
func makeSources(folder, images string, copies int) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range sourceNames {
		first := filepath.Join(folder, copyName(name, 0))
		if _, err := os.Stat(first); errors.Is(err, fs.ErrNotExist) {
			data, err := sourceBytes(name, images)
			if err != nil {
				return fmt.Errorf("making %s: %w", name, err)
			}
			if err := os.WriteFile(first+".new", data, 0o644); err != nil {
				return err
			}
			if err := os.Rename(first+".new", first); err != nil {
				return err
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

// taken are the files of the shared folder that serve as sources; all others are rendered.
var taken = map[string]string{
	photo12: "test_exif_full.jpg", turned: "test_exif_full.jpg", photo2: "large.jpg", motion: "rotating_earth.gif",
}

func sourceBytes(name, images string) ([]byte, error) {
	if file, ok := taken[name]; ok && images != "" {
		data, err := os.ReadFile(filepath.Join(images, file))
		if err != nil {
			return nil, err
		}
		switch name {
		case photo12:
			return withOrientation(data, 1)
		case turned:
			return withOrientation(data, 6)
		}
		return data, nil
	}
	switch name {
	case photo12:
		return jpegOf(scene{seed: 1, shot: 18}.paint(4000, 3000, 0))
	case turned:
		data, err := sourceBytes(photo12, images)
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
			disc(img, float64(side)*(0.5+0.4*math.Cos(t)), float64(side)*(0.5+0.4*math.Sin(t*float64(k+1))), float64(18+9*k),
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

// withOrientation replaces the EXIF block of a JPEG by one that contains only an orientation.
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
		if data[at+1] == 0xDA { // the scan: all of the rest
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

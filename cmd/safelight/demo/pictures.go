// Package demo draws the pictures of the demo gallery, so that the program does not have to embed them. Only the
// welcome picture is embedded.
package demo

import (
	"bytes"
	_ "embed"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
)

// Picture is a generated picture and its path.
type Picture struct {
	Path        string
	ContentType string
	encode      func(io.Writer) error
}

// Welcome is the picture whose URL the server prints at the start. It is embedded, because drawing it would add half a
// second to each first start.
var Welcome = Picture{"samples/welcome.jpg", "image/jpeg", func(w io.Writer) error {
	_, err := w.Write(welcome)
	return err
}}

//go:embed welcome.jpg
var welcome []byte // JPEG of dawn.draw(1500, 1000)

// Pictures are the pictures that `safelight demo` writes.
var Pictures = []Picture{
	{"demo/landscapes/dawn.jpg", "image/jpeg", asJPEG(func() image.Image { return dawn.draw(2400, 1600) })},
	{"demo/landscapes/forest.jpg", "image/jpeg", asJPEG(func() image.Image { return forest.draw(2100, 1400) })},
	{"demo/landscapes/moonlight.jpg", "image/jpeg", asJPEG(func() image.Image { return dunes.draw(1200, 1800) })},
	{"demo/patterns/julia.jpg", "image/jpeg", asJPEG(func() image.Image { return julia(1800, 1200) })},
	{"demo/patterns/facets.jpg", "image/jpeg", asJPEG(func() image.Image { return facets(1800, 1200) })},
	{"demo/patterns/arcs.png", "image/png", asPNG(func() image.Image { return arcs(1200) })},
	{"demo/transparent/bubbles.png", "image/png", asPNG(func() image.Image { return bubbles(1200, 900) })},
	{"demo/animated/orbit.gif", "image/gif", func(w io.Writer) error { return gif.EncodeAll(w, orbit()) }},
}

// Bytes encodes the picture.
func (d Picture) Bytes() (*bytes.Reader, error) {
	var b bytes.Buffer
	if err := d.encode(&b); err != nil {
		return nil, err
	}
	return bytes.NewReader(b.Bytes()), nil
}

func asJPEG(draw func() image.Image) func(io.Writer) error {
	return func(w io.Writer) error { return jpeg.Encode(w, draw(), &jpeg.Options{Quality: 90}) }
}

func asPNG(draw func() image.Image) func(io.Writer) error {
	return func(w io.Writer) error { return png.Encode(w, draw()) }
}

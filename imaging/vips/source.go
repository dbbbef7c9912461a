package vips

import "github.com/safelight/safelight/imaging"

// source is the bytes of a picture as libvips reads them.
type source struct{}

func (s *source) close() {}

// header is what a source says of itself before any pixel is read.
type header struct {
	format                    imaging.Format
	width, height             int // of one frame, as stored
	pages, bands, orientation int
}

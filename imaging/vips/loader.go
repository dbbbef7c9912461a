package vips

import "github.com/safelight/safelight/imaging"

// loader is how one format is read.
type loader struct {
	name     string // of libvips' operation over a source
	frames   bool   // its pages are frames of an animation
	pages    bool   // its pages are chosen by page()
	shrinks  bool   // decodes at 1/2, 1/4 and 1/8
	scales   bool   // decodes stills at any smaller scale
	vector   bool   // drawn at any size
	oriented bool   // EXIF says how it is to be turned; else the loader has turned it already
}

// loaders is the list of what is read; what is not here never reaches libvips, which alone
// would also try Matlab, OpenSlide, FITS and ImageMagick.
var loaders = map[imaging.Format]loader{
	imaging.JPEG: {name: "jpegload_source", shrinks: true, oriented: true},
	imaging.PNG:  {name: "pngload_source", oriented: true},
	imaging.WebP: {name: "webpload_source", frames: true, pages: true, scales: true, oriented: true},
	imaging.GIF:  {name: "gifload_source", frames: true, pages: true},
	imaging.TIFF: {name: "tiffload_source", pages: true, oriented: true},
	imaging.AVIF: {name: "heifload_source"},
	imaging.HEIF: {name: "heifload_source"},
	imaging.JXL:  {name: "jxlload_source"},
	imaging.JP2:  {name: "jp2kload_source"},
	imaging.SVG:  {name: "svgload_source", vector: true},
	imaging.PDF:  {name: "pdfload_source", vector: true, pages: true},
}

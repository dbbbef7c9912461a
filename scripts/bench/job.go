package main

import "fmt"

// job is a task that every server performs.
type job struct {
	ID, Title     string
	Source        string
	Width, Height int
	Mode          string // fit, crop or meta
	Format        string // of the output; empty for meta
	Quality       int    // of the encoder; 0: the format has no quality
	Ours          int    // the same quality in Safelight, which has one scale for all formats
	Frames        bool   // the output is animated
	Save          string // in the syntax of libvips for the bare loop: suffix and options
}

// The options are those of imaging/vips/save_options.go.
var jobs = []job{
	{"a", "12 MP JPEG to fit 300x300, JPEG q80", photo12, 300, 300, "fit", "jpeg", 80, 80, false, ".jpg[Q=80,optimize_coding,strip]"},
	{"b", "12 MP JPEG to fit 1200x1200, WebP q80", photo12, 1200, 1200, "fit", "webp", 80, 81, false, ".webp[Q=80,effort=4,strip]"},
	{"c", "2 MP JPEG to 200x200 crop, JPEG q80", photo2, 200, 200, "crop", "jpeg", 80, 80, false, ".jpg[Q=80,optimize_coding,strip]"},
	{"d", "4 MP PNG with alpha to fit 400x400, PNG", alpha4, 400, 400, "fit", "png", 0, 0, false, ".png[filter=all,strip]"},
	{"e", "24-frame GIF to fit 200x200, animated WebP q80", motion, 200, 200, "fit", "webp", 80, 81, true, ".webp[Q=80,effort=4,strip]"},
	{"f", "2 MP JPEG to fit 400x400, AVIF q50 speed 8", photo2, 400, 400, "fit", "avif", 50, 60, false, ".avif[Q=50,effort=1,bitdepth=8,compression=av1,strip]"},
	{"g", "meta of the 12 MP JPEG", photo12, 0, 0, "meta", "", 0, 0, false, ""},
	{"h", "a, from a photo that EXIF turns", turned, 300, 300, "fit", "jpeg", 80, 80, false, ".jpg[Q=80,optimize_coding,strip]"},
}

// exactJob is a lossless output at exactly 1/divisor of the 12 MP photo.
func exactJob(divisor, width, height int) job {
	return job{
		ID: fmt.Sprintf("%d:1", divisor), Title: fmt.Sprintf("12 MP JPEG to %dx%d, PNG", width/divisor, height/divisor),
		Source: photo12, Width: width / divisor, Height: height / divisor, Mode: "fit", Format: "png", Save: ".png[strip]",
	}
}

// extension returns the usual file extension of the job's output.
func (j job) extension() string {
	switch j.Format {
	case "jpeg":
		return "jpg"
	case "":
		return "json"
	}
	return j.Format
}

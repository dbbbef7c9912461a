package main

import "fmt"

// job is a task that every server performs.
type job struct {
	ID, Title     string
	Source        string
	Width, Height int
	Mode          string // fit, crop or meta
	Format        string // format of the output; empty for meta
	Quality       int    // quality argument of the encoder; 0: the format has no quality
	Ours          int    // the same quality in Safelight, which uses one scale for all formats
	Frames        bool   // the output is animated
	Save          string // output for the bare loop in libvips syntax: suffix and options

	Widths  []int  // a page requests one picture in all these widths at once, which counts as one request
	Filters string // filters for Safelight alone; {source} is replaced
}

// The options are those of imaging/vips/encode.go.
var jobs = []job{
	{ID: "a", Title: "12 MP JPEG to fit 300x300, JPEG q80", Source: photo12, Width: 300, Height: 300, Mode: "fit",
		Format: "jpeg", Quality: 80, Ours: 80, Save: ".jpg[Q=80,optimize_coding,strip]"},
	{ID: "b", Title: "12 MP JPEG to fit 1200x1200, WebP q80", Source: photo12, Width: 1200, Height: 1200, Mode: "fit",
		Format: "webp", Quality: 80, Ours: 81, Save: ".webp[Q=80,effort=4,strip]"},
	{ID: "c", Title: "2 MP JPEG to 200x200 crop, JPEG q80", Source: photo2, Width: 200, Height: 200, Mode: "crop",
		Format: "jpeg", Quality: 80, Ours: 80, Save: ".jpg[Q=80,optimize_coding,strip]"},
	{ID: "d", Title: "4 MP PNG with alpha to fit 400x400, PNG", Source: alpha4, Width: 400, Height: 400, Mode: "fit",
		Format: "png", Save: ".png[filter=all,strip]"},
	{ID: "e", Title: "24-frame GIF to fit 200x200, animated WebP q80", Source: motion, Width: 200, Height: 200,
		Mode: "fit", Format: "webp", Quality: 80, Ours: 81, Frames: true, Save: ".webp[Q=80,effort=4,strip]"},
	{ID: "f", Title: "2 MP JPEG to fit 400x400, AVIF q50 speed 8", Source: photo2, Width: 400, Height: 400, Mode: "fit",
		Format: "avif", Quality: 50, Ours: 60, Save: ".avif[Q=50,effort=1,bitdepth=8,compression=av1,strip]"},
	{ID: "g", Title: "meta of the 12 MP JPEG", Source: photo12, Mode: "meta"},
	{ID: "h", Title: "a, from a photo that EXIF turns", Source: turned, Width: 300, Height: 300, Mode: "fit",
		Format: "jpeg", Quality: 80, Ours: 80, Save: ".jpg[Q=80,optimize_coding,strip]"},
	{ID: "w", Title: "2 MP WebP to fit 400x400, WebP q80", Source: webp2, Width: 400, Height: 400, Mode: "fit",
		Format: "webp", Quality: 80, Ours: 81, Save: ".webp[Q=80,effort=4,strip]"},
	{ID: "p", Title: "2 MP PNG to fit 800x800, WebP q80", Source: png2, Width: 800, Height: 800, Mode: "fit",
		Format: "webp", Quality: 80, Ours: 81, Save: ".webp[Q=80,effort=4,strip]"},
	{ID: "s", Title: "2 MP screenshot to fit 800x800, PNG", Source: screenshot, Width: 800, Height: 800, Mode: "fit",
		Format: "png", Save: ".png[filter=all,strip]"},
	{ID: "i", Title: "16 MP progressive JPEG to fit 800x800, JPEG q80", Source: interlaced16, Width: 800, Height: 800,
		Mode: "fit", Format: "jpeg", Quality: 80, Ours: 80, Save: ".jpg[Q=80,optimize_coding,strip]"},
	{ID: "k", Title: "12 MP HEIC to fit 800x800, JPEG q80", Source: heic12, Width: 800, Height: 800, Mode: "fit",
		Format: "jpeg", Quality: 80, Ours: 80, Save: ".jpg[Q=80,optimize_coding,strip]"},
	{ID: "o", Title: "48 MP JPEG to fit 1600x1600, AVIF q50 speed 8", Source: photo48, Width: 1600, Height: 1600,
		Mode: "fit", Format: "avif", Quality: 50, Ours: 60,
		Save: ".avif[Q=50,effort=1,bitdepth=8,compression=av1,strip]"},
	{ID: "l", Title: "four layers, two of them text, over a 12 MP JPEG at 800x600, JPEG q80", Source: photo12,
		Width: 800, Height: 600, Mode: "fit", Format: "jpeg", Quality: 80, Ours: 80,
		Filters: "watermark({source},10,10,20,15,15):watermark({source},-10,-10,40,20,20):label(Safelight,center,40,32,ffffff):label(four%20layers,20,-20,20,000000)"},
	{ID: "n", Title: "a page: the 12 MP JPEG in widths of 160 to 1280, JPEG q80", Source: photo12, Width: 1280,
		Height: 1280, Mode: "fit", Format: "jpeg", Quality: 80, Ours: 80, Widths: []int{160, 320, 480, 640, 960, 1280}},
	{ID: "m", Title: "the largest width of n alone", Source: photo12, Width: 1280, Height: 1280, Mode: "fit",
		Format: "jpeg", Quality: 80, Ours: 80, Save: ".jpg[Q=80,optimize_coding,strip]"},
}

// isBare reports whether the bare loop supports the steps of the job.
func (j job) isBare() bool { return len(j.Widths) == 0 && j.Filters == "" }

// exactJob is a lossless output at exactly 1/divisor of the 12 MP photo.
func exactJob(divisor, width, height int) job {
	return job{
		ID: fmt.Sprintf("%d:1", divisor), Title: fmt.Sprintf("12 MP JPEG to %dx%d, PNG", width/divisor, height/divisor),
		Source: photo12, Width: width / divisor, Height: height / divisor, Mode: "fit", Format: "png",
		Save: ".png[strip]",
	}
}

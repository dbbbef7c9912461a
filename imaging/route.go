package imaging

import (
	"iter"
	"maps"
	"strings"
)

// Route says where a result is made and which code does each of its steps. NewPlan chooses it from the header and the
// plan alone, by the rules in this file. imaging/cost estimates its cost, `safelight url explain` prints it and a
// metric counts it.
//
// imaging/vips decodes, and encodes each format, by the library that the plan names, and scales while it decodes if
// Scale is ScaleDecoding. It does not use Filter and the other scalings, which only describe what it will do. If a
// file turns out to be of a different kind than its header says, or to have metadata that the result keeps,
// imaging/vips corrects the route of its own plan.
//
// imaging/worker decides in which process a result is made, by the bytes of the files (isTrusted), and sets Worker in
// the result.
//
// All routes of a plan give the same picture, except for differences of one level per sample. Routes differ in time
// and memory.
type Route struct {
	Worker bool    // in a worker process instead of the server; planned only with PlanOptions.Isolation
	Decode Library // ByNone for a canvas
	Scale  Scaling
	Filter Library // ByNone if the picture is not turned, painted, composed or converted
	Encode Library // ByNone for a picture that is not encoded, such as a layer
}

// Library is the code that executes a step.
type Library uint8

// The libraries.
const (
	ByNone    Library = iota // there is nothing to do
	ByPixels                 // imaging/pixels, with pixels in memory
	ByLibvips                // libvips, with rows that are computed on demand
)

// Scaling is how decoded pixels get the size of the result.
type Scaling uint8

// The scalings. All but ScaleUp use the scaler of imaging/pixels.
const (
	ScaleNone Scaling = iota
	// ScaleDecoding scales down while the source is decoded: a JPEG row by row, and the planes of a WebP instead of
	// RGB.
	ScaleDecoding
	ScaleDown // down, after decoding
	ScaleUp   // at least one side up, by libvips
)

// The max number of bytes of pixels that are kept in memory as a whole. Larger pictures are decoded, scaled and
// encoded in strips on demand of libvips, which needs no more memory. Both ways give the same picture.
const (
	mostDecodedPNG = 64 << 20 // pixels of a PNG with a byte for each row; libvips takes four times as long
	MostResult     = 16 << 20 // of a decoded JPEG, of what is scaled while it is decoded, or encoded by imaging/pixels
)

// route chooses the route by the rules below. A result that needs no pixels, which is the file itself or what its
// header says, has only a process.
func (p *planner) route() {
	r, request := &p.plan.Route, p.plan.Request
	r.Worker = request.Options.Isolation.IsolatesAny(
		request.Header, maps.Values(request.Options.Layers), request.Operations.Filters,
	)
	describes := request.Options.Describe
	isFile := p.has("raw") && !request.Header.Canvas && !request.Child && !describes
	if isFile || describes && !p.plan.NeedsPixels() {
		return
	}
	r.Scale = p.scaling()
	r.Decode = request.Header.DecodedBy()
	r.Filter = p.filtering()
	for n := range p.plan.Encode {
		p.plan.Encode[n].By = p.encoding(p.plan.Encode[n])
	}
	if len(p.plan.Encode) > 0 && !describes {
		r.Encode = p.plan.Encode[0].By
	}
}

// DecodedBy returns the library that decodes a source with header h.
func (h Header) DecodedBy() Library {
	switch {
	case h.Canvas:
		return ByNone
	case h.Depth > 8:
		return ByLibvips
	case h.Format == JPEG && (h.Bands == 1 || h.Bands == 3 || h.Bands == 4),
		h.Format == PNG && !h.Whole && Product(h.Width, h.Height, max(h.Bands, 1))+int64(h.Height) <= mostDecodedPNG,
		h.Format == WebP && max(h.Pages, 1) == 1:
		return ByPixels
	}
	return ByLibvips
}

// IsRows reports whether a JPEG with header h that imaging/pixels decodes as l says is decoded row by row, when a later
// step asks for the rows, instead of into memory.
func (l Load) IsRows(h Header) bool { return l.Bytes(h) > MostResult }

// ByLibvips returns the route of a file that imaging/pixels turns out not to support, such as a PNG with a palette.
func (r Route) ByLibvips() Route {
	r.Decode = ByLibvips
	if r.Scale == ScaleDecoding {
		r.Scale = ScaleDown
	}
	return r
}

// scaling returns how the picture is scaled.
func (p *planner) scaling() Scaling {
	to := p.plan.Scaled
	switch {
	case !to.Known() || to == p.unscaled:
		return ScaleNone
	case p.plan.Part.EnlargedTo(to):
		return ScaleUp
	case p.scalesFirst() && p.scalesWhileDecoding():
		return ScaleDecoding
	}
	return ScaleDown
}

// scalesFirst reports whether nothing happens to the picture before it is scaled, and the decoded picture is not kept,
// as previews and descriptions do.
func (p *planner) scalesFirst() bool {
	l := p.plan
	return !l.Request.Header.Profile && l.Turn == (Turn{}) && l.Straighten.Angle == 0 && l.Trim == nil &&
		l.Crop.Empty() &&
		l.Load.Box == 1 && !l.Request.Options.Describe && !p.has("preview")
}

// scalesWhileDecoding reports whether the decoder can scale: a JPEG row by row, and the planes of a WebP, whose color
// has half the size, and which libwebp would scale by averaging boxes.
func (p *planner) scalesWhileDecoding() bool {
	h, l, to := p.plan.Request.Header, p.plan.Load, p.plan.Scaled
	switch {
	case h.Bands != 3 || h.Alpha || Product(to.Width, to.Height, h.Bands) > MostResult:
		return false
	case h.Format == JPEG:
		return true
	}
	return h.ScalesPlanes() && l.Scale < 1 && !p.plan.Request.Limits.Linear &&
		p.plan.Part == Size{l.Width, l.Height}.Whole()
}

// ScalesPlanes reports whether a source with header h is decoded anew for each result: the planes of a WebP still
// without alpha are scaled while it is decoded, and not shared.
func (h Header) ScalesPlanes() bool { return h.Format == WebP && max(h.Pages, 1) == 1 && !h.Alpha }

// DecodesScales reports whether a source with header h can be decoded at several scales in one pass: a JPEG with a
// single scan, in gray or RGB.
func (h Header) DecodesScales() bool {
	return h.Format == JPEG && !h.Whole && (h.Bands == 1 || h.Bands == 3)
}

// filtering returns the library that does everything except decoding, scaling and encoding.
func (p *planner) filtering() Library {
	l := p.plan
	changes := l.Turn != Turn{} || l.Straighten.Angle != 0 || l.HFlip || l.VFlip || l.Colour.Space != "" ||
		l.Request.Header.Profile
	for _, s := range l.Filters {
		changes = changes || !s.Skip
	}
	if changes {
		return ByLibvips
	}
	return ByNone
}

// encoding returns the library that encodes the result, unless the source has metadata that it keeps: libvips encodes
// every result with metadata.
func (p *planner) encoding(e Encode) Library {
	l := p.plan
	bands := l.Bands()
	bytes := Product(l.Result.Width, l.Result.Height, bands)
	switch {
	case l.Colour.Space != "" || l.Result.Frames > 1 || e.KeepMetadata && !e.StripEXIF: // which has EXIF data
	case e.Format == PNG && !e.Palette && e.Bits == 0 && bytes <= mostPNG(e.Compression),
		e.Format == JPEG && bytes <= MostResult,
		e.Format == WebP && !e.Gray:
		return ByPixels
	}
	return ByLibvips
}

// mostPNG returns the max number of bytes of pixels that libdeflate may compress at the given zlib level; -1 is the
// default level. libdeflate cannot be stopped; noise of this size takes half a second.
func mostPNG(compression int) int64 {
	switch {
	case compression == 9:
		return MostResult / 8
	case compression >= 7:
		return MostResult / 4
	case compression < 0 || compression >= 5:
		return MostResult / 2
	}
	return MostResult
}

// String returns the route in a few words: where, and how the source is decoded, scaled, filtered and encoded.
func (r Route) String() string {
	return strings.Join([]string{r.Process(), "decode: " + r.Decode.String(), "scale: " + r.Scale.String(),
		"filter: " + r.Filter.String(), "encode: " + r.Encode.String()}, ", ")
}

// Process returns "worker" or "server".
func (r Route) Process() string {
	if r.Worker {
		return "worker"
	}
	return "server"
}

// String returns the library's name.
func (l Library) String() string { return named(l, "none", "pixels", "libvips") }

// String returns the scaling in a word.
func (s Scaling) String() string { return named(s, "none", "while decoding", "down", "up") }

// named returns the name of a number. The number may be out of range, because it may come from a worker.
func named[T ~uint8](n T, names ...string) string {
	if int(n) < len(names) {
		return names[n]
	}
	return "unknown"
}

// Isolation says which pictures are processed in workers, which are separate processes
// (docs/contributing/decisions/0006).
type Isolation string

// The isolations.
const (
	IsolateAll Isolation = "all"
	// IsolateRisky leaves JPEG, PNG, WebP and GIF in the server, unless the work on them is unusual.
	IsolateRisky Isolation = "risky"
	IsolateNone  Isolation = "off"
)

// Limits above which work on formats that are not risky is isolated, too.
const (
	maxCalls = 16      // filters on all levels, each of which adds to the depth of libvips' stack
	maxSide  = 1 << 16 // pixels of a side
)

// Isolates reports whether work with these filters, on a source or with a layer that has header h, must be done in a
// worker. The zero value isolates nothing.
func (i Isolation) Isolates(h Header, filters Filters) bool {
	switch i {
	case IsolateAll:
		return true
	case IsolateRisky:
		unusual := !h.Format.traits().Common || h.Width >= maxSide || h.Height >= maxSide
		return countCalls(filters) > maxCalls || !h.Canvas && unusual
	}
	return false
}

// countCalls counts the filters of a list and of nested lists, approximately, by counting parentheses.
func countCalls(f Filters) int { return strings.Count(string(f), "(") }

// IsolatesAny reports whether work with these filters, on a source and layers with the given headers, must be done in
// a worker.
func (i Isolation) IsolatesAny(source Header, layers iter.Seq[Header], filters Filters) bool {
	if i.Isolates(source, filters) {
		return true
	}
	for h := range layers {
		if i.Isolates(h, "") {
			return true
		}
	}
	return false
}

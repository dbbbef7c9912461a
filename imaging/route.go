package imaging

import (
	"iter"
	"maps"
	"strings"
)

// Route says where a result is made and which code does each of its steps. NewPlan takes it from a table, which is this
// file: by the header and the plan alone. imaging/cost prices it, `safelight url explain` prints it and a metric counts
// it.
//
// imaging/vips decodes, and encodes each format, by the library that the plan names, and scales while it decodes if
// Scale is ScaleDecoding. It does not read Filter and the other scalings, which only describe what it will do. If a
// file turns out to be of another kind than its header says, imaging/vips corrects the route of its own plan.
//
// imaging/worker decides in which process a result is made, by the bytes of the files (isTrusted), and sets Worker in
// the result.
//
// Two routes of one plan make the same picture, to one level of a sample: a route saves time or memory.
type Route struct {
	Worker bool    // in a worker process, rather than in the server's; planned only with PlanOptions.Isolation
	Decode Library // ByNone for a canvas
	Scale  Scaling
	Filter Library // ByNone if nothing is turned, painted, composed or converted
	Encode Library // ByNone for what is not encoded, such as a layer
}

// Library is the code that does a step.
type Library uint8

// The libraries.
const (
	ByNone    Library = iota // there is nothing to do
	ByPixels                 // imaging/pixels, over pixels in memory
	ByLibvips                // libvips, over rows that are computed when they are asked for
)

// Scaling is how decoded pixels get the size of the result.
type Scaling uint8

// The scalings. All but Up are done by the one scaler of imaging/pixels.
const (
	ScaleNone Scaling = iota
	// down, while the source is decoded: rows of a JPEG as they come, planes of a WebP instead of RGB
	ScaleDecoding
	ScaleDown // down, after decoding
	ScaleUp   // one side up at least, by libvips
)

// Bytes of pixels up to which they are kept in memory as a whole. Beyond, libvips asks for strips of them, which are
// decoded, scaled and encoded without more memory. Neither changes the picture.
const (
	mostDecodedPNG = 64 << 20 // of a PNG, with a byte for each row; libvips takes four times as long
	MostResult     = 16 << 20 // of a decoded JPEG, of what is scaled while it is decoded, or encoded by imaging/pixels
)

// route takes the route from the tables below.
func (p *planner) route() {
	r := &p.plan.Route
	r.Scale = p.scaling()
	r.Decode = p.plan.Request.Header.DecodedBy()
	r.Filter = p.filtering()
	for n := range p.plan.Encode {
		p.plan.Encode[n].By = p.encoding(p.plan.Encode[n])
	}
	if len(p.plan.Encode) > 0 && !p.plan.Request.Options.Describe {
		r.Encode = p.plan.Encode[0].By
	}
	request := p.plan.Request
	r.Worker = request.Options.Isolation.IsolatesAny(
		request.Header, maps.Values(request.Options.Layers), request.Operations.Filters,
	)
}

// DecodedBy returns who decodes a source with that header.
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

// ByLibvips returns the route of a file that imaging/pixels turns out not to decode, such as a PNG with a palette.
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

// scalesFirst reports whether nothing happens to the picture before it is scaled, and nobody keeps it as it is decoded:
// previews and descriptions do.
func (p *planner) scalesFirst() bool {
	l := p.plan
	return !l.Request.Header.Profile && l.Turn == (Turn{}) && l.Straighten.Angle == 0 && l.Trim == nil &&
		l.Crop.Empty() &&
		l.Load.Box == 1 && !l.Request.Options.Describe && !p.has("preview")
}

// scalesWhileDecoding reports whether the decoder can scale: a JPEG row by row, and the planes of a WebP, of which
// there is half as much color, where libwebp would average boxes of their pixels.
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

// ScalesPlanes reports whether a source with that header is decoded for each result anew: the planes of a WebP still
// without alpha are scaled while it is decoded, and not shared.
func (h Header) ScalesPlanes() bool { return h.Format == WebP && max(h.Pages, 1) == 1 && !h.Alpha }

// filtering returns who does what is neither decoding nor scaling nor encoding.
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

// encoding returns who encodes the result so. A result that carries metadata is left to libvips.
func (p *planner) encoding(e Encode) Library {
	l := p.plan
	bands := l.Bands()
	bytes := Product(l.Result.Width, l.Result.Height, bands)
	switch {
	case l.Colour.Space != "" || l.Result.Frames > 1:
	case e.Format == PNG && !e.Palette && e.Bits == 0 && bytes <= mostPNG(e.Compression),
		e.Format == JPEG && bytes <= MostResult,
		e.Format == WebP && !e.Gray:
		return ByPixels
	}
	return ByLibvips
}

// mostPNG returns up to how many bytes of pixels libdeflate compresses, at that level of zlib's; -1 is the usual one.
// It cannot be stopped meanwhile: noise takes half a second.
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

// named returns the name of that number. A worker may send any.
func named[T ~uint8](n T, names ...string) string {
	if int(n) < len(names) {
		return names[n]
	}
	return "unknown"
}

// Isolation says which pictures are processed in workers, processes of their own (docs/contributing/decisions/0006).
type Isolation string

// The isolations.
const (
	IsolateAll Isolation = "all"
	// IsolateRisky leaves JPEG, PNG, WebP and GIF in the server, unless the work on them is unusual.
	IsolateRisky Isolation = "risky"
	IsolateNone  Isolation = "off"
)

// What of the formats that are not risky is isolated all the same.
const (
	maxCalls = 16      // filters of all levels: each adds to the depth of libvips' stack
	maxSide  = 1 << 16 // pixels of a side; only the header of a PNG has room for more
)

// Isolates reports whether work with these filters, over a source with that header or with it as a layer, is left to a
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

// countCalls counts the filters of a list and of nested lists, roughly: by parentheses.
func countCalls(f Filters) int { return strings.Count(string(f), "(") }

// IsolatesAny reports whether work with these filters, over a source and layers with these headers, is left to a
// worker.
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

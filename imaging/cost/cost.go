// Package cost estimates the CPU time and the resident memory that executing a plan takes. Admission uses the
// estimates to queue jobs, and to reject those over the limits before a pixel is decoded.
package cost

import (
	"maps"
	"slices"
	"time"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/gainmap"
)

// Of returns the estimated cost of executing the plan. It assumes that a pending trim removes nothing. CPU is a sum of
// terms, each an amount (megapixels read, shrunk, resized, written, ...; megabytes) times a rate that was fitted to
// measurements (rates.go); memory is the largest phase of a footprint. docs/contributing/performance/estimates.md
// documents the accuracy.
func Of(p imaging.Plan) imaging.Cost {
	if whole, err := p.Assumed(); err == nil {
		p = whole
	}
	if _, raw := p.Call("raw"); raw {
		return imaging.Cost{CPU: milliseconds(cpuRates["job"]), Memory: resident(2 * fileBytes(p))}
	}
	return imaging.Cost{
		CPU:    milliseconds(cpuTerms(p).times(cpuRates)),
		Memory: resident(int64(footprintOf(p, 0).written(memoryRates))),
	}
}

// OfDecoded is Of for a plan whose decoded picture is already in memory, and already accounted for.
func OfDecoded(p imaging.Plan) imaging.Cost {
	if whole, err := p.Assumed(); err == nil {
		p = whole
	}
	p.Request.Header.Canvas = true
	return Of(p)
}

func milliseconds(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// resident returns the memory of a job that allocates and writes the given number of bytes. The C library keeps some
// freed blocks, Go holds a copy of the result, and decoders and encoders take up to a megabyte whatever the size.
func resident(allocated int64) int64 { return allocated + allocated/5 + 4_000_000 }

// fileBytes returns the size of the plan's file, or 0 if it is unknown.
func fileBytes(p imaging.Plan) int64 { return max(p.Request.Header.Bytes, 0) }

// terms maps the names of rates to amounts.
type terms map[string]float64

func (t terms) add(name string, amount float64) {
	if amount > 0 && name != "" {
		t[name] += amount
	}
}

// times returns the sum of all amounts multiplied by their rates. It adds them up in the order of their names, because
// the order decides how the sum is rounded.
func (t terms) times(rates imaging.Rates) (sum float64) {
	names := slices.AppendSeq(make([]string, 0, 32), maps.Keys(t))
	slices.Sort(names)
	for _, name := range names {
		sum += rates[name] * t[name]
	}
	return sum
}

// cpuTerms returns the amounts from which the CPU time in milliseconds is computed.
func cpuTerms(p imaging.Plan) terms {
	t := terms{"job": 1}
	if !p.Request.Options.Describe || p.NeedsPixels() {
		t.picture(p)
	}
	if !p.Request.Options.Describe {
		t.encoding(p)
	}
	return t
}

// mega returns how many million pixels the given number of frames of the given size have.
func mega(width, height, frames int) float64 {
	return float64(width) * float64(height) * float64(frames) / 1e6
}

// picture adds the cost of making the pixels of a plan.
func (t terms) picture(p imaging.Plan) {
	t.reading(p)
	t.placing(p)
	for _, s := range p.Filters {
		area := max(
			mega(s.Before.Width, s.Before.Height, s.Before.Frames),
			mega(s.After.Width, s.After.Height, s.After.Frames),
		)
		if s.Layer != nil {
			t.layer(*s.Layer, area)
			continue
		}
		weight := s.Call.Weight()
		if s.Skip {
			continue
		}
		t.add(weight, area*strength(s))
	}
}

// strength returns the factor by which a filter takes longer than its rate says. The rate of blur is for a sigma of 4,
// and a wide blur is computed at reduced size if the picture is large enough.
func strength(s imaging.Step) float64 {
	if s.Call.Name != "blur" {
		return 1
	}
	sigma := s.Call.Float("sigma")
	if BlurShrink(sigma, s.Before.Size()) > 1 {
		return 2
	}
	return max(min(sigma, float64(max(s.Before.Width, s.Before.Height)))/4, 1)
}

// BlurShrink returns the integer factor by which a picture of size s is shrunk for a Gaussian blur with sigma in
// pixels; 1 if it is not shrunk.
func BlurShrink(sigma float64, s imaging.Size) int {
	n := int(sigma / 8)
	if n < 2 || s.Width < 4*n || s.Height < 4*n {
		return 1
	}
	return n
}

// reading adds the cost of decoding.
func (t terms) reading(p imaging.Plan) {
	h := p.Request.Header
	if h.Canvas {
		return
	}
	format := string(h.Format)
	source := mega(h.Width, h.Height, p.Load.Frames)
	decoded := mega(p.Load.Width, p.Load.Height, p.Load.Frames)
	t.add("read."+format, source)
	t.add("bytes."+format, float64(h.Bytes)/1e6)
	if h.Format == imaging.JPEG && h.Bands == 4 {
		t.add("cmyk", decoded)
	}
	if h.Whole {
		t.add("whole."+format, source)
	}
}

// placing adds the cost of turning, cutting and scaling.
func (t terms) placing(p imaging.Plan) {
	h, frames := p.Request.Header, p.Load.Frames
	decoded, scaled := mega(p.Load.Width, p.Load.Height, frames), mega(p.Scaled.Width, p.Scaled.Height, frames)
	if scaled != decoded {
		t.add("resize", decoded)
		if scaled > decoded {
			t.add("enlarge", scaled)
		}
	}
	if h.Turned() || p.HFlip || p.VFlip || p.Turn.Orient != 0 {
		t.add("turn", decoded)
	}
	if kept := p.Straighten.Keep; kept.Known() {
		t.add("straighten", mega(kept.Width, kept.Height, frames))
	}
	if p.Request.Operations.Smart {
		t.add("smart", scaled)
	}
}

// layer adds the cost of a layer over a picture with the given area. A layer is a separate picture, which is blended
// instead of encoded.
func (t terms) layer(l imaging.LayerPlan, area float64) {
	t.add("layer", area)
	if l.Plan == nil {
		if l.Text != nil {
			t.add("around", l.Text.PixelsAround()/1e6)
		}
		return
	}
	child := *l.Plan
	if whole, err := child.Assumed(); err == nil {
		child = whole
	}
	t.picture(child)
	t.add("around", l.PixelsAround()/1e6)
}

// quickGIF is the max effort at which the GIF encoder hardly refines palettes; higher efforts take four times as long.
const quickGIF = 4

// encoding adds the cost of encoding.
func (t terms) encoding(p imaging.Plan) {
	result := mega(p.Result.Width, p.Result.Height, p.Result.Frames)
	if fit, ok := gainmap.FitOf(p); ok {
		m := p.Request.Header.GainMap
		t.add("read.jpeg", mega(m.Width, m.Height, 1))
		t.add("write.jpeg", mega(fit.Width, fit.Height, 1))
	}
	for _, e := range p.Encode {
		name := "write." + string(e.Format)
		if e.Lossless {
			name = "write.lossless." + string(e.Format)
		}
		if e.Format == imaging.GIF && e.Effort > quickGIF {
			name = "write.thorough." + string(e.Format)
		}
		if e.Format == imaging.PNG && e.By == imaging.ByLibvips { // by zlib
			name = "write.large.png"
		}
		encodes := 1.0
		if e.MaxBytes > 0 && e.Format.IsLossy() {
			encodes = 4
		}
		t.add(name, result*encodes*slowness(e))
		if e.AutoQuality {
			t.add(name, min(result, 0.3)*6)
		}
	}
}

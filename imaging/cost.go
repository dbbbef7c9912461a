package imaging

import (
	"time"

	"github.com/safelight/safelight/fault"
)

// Cost estimates a job. CPU is the time of one core of the machine that the rates were
// measured on; Memory is in bytes, on top of the memory of an idle process.
type Cost struct {
	CPU    time.Duration
	Memory int64
}

// Cost returns what executing the plan will take, a pending trim taken for one that keeps all. It is a sum of terms, each
// an amount (megapixels read, shrunk, resized, written, ...; megabytes) times a rate that was fitted to measurements
// (cost_rates.go): docs/decisions/0014 says how, and how far off it is.
func (p Plan) Cost() Cost {
	cpu, memory := p.terms()
	return Cost{
		CPU:    time.Duration(cpu.times(cpuRates) * float64(time.Millisecond)),
		Memory: int64(memory.times(memoryRates) * 1e6),
	}
}

// CheckCost returns fault.TooLarge for a plan that is estimated to take over twice the timeout of its limits: it would be ended after all
// that time anyway.
func (p Plan) CheckCost() error {
	timeout := p.Request.Limits.Timeout
	if timeout <= 0 {
		return nil
	}
	if cpu := p.Cost().CPU; cpu > 2*timeout {
		return fault.New(fault.TooLarge, "The result would take about %s of CPU time, the limit is %s; ask for fewer pixels, filters or less effort of the encoder",
			cpu.Round(time.Second), 2*timeout)
	}
	return nil
}

// terms are amounts by the name of their rate.
type terms map[string]float64

func (t terms) add(name string, amount float64) {
	if amount > 0 && name != "" {
		t[name] += amount
	}
}

func (t terms) times(rates Rates) (sum float64) {
	for name, amount := range t {
		sum += rates[name] * amount
	}
	return sum
}

// terms returns the amounts for milliseconds of CPU and for megabytes of memory.
func (p Plan) terms() (cpu, memory terms) {
	t := tally{terms{"job": 1}, terms{"job": 1}}
	if _, raw := p.Call("raw"); raw {
		t.memory.add("bytes", 2*float64(p.Request.Header.Bytes)/1e6)
		return t.cpu, t.memory
	}
	if whole, err := p.Assumed(); err == nil {
		p = whole
	}
	if !p.Request.Options.Describe || p.NeedsPixels() {
		t.picture(p)
	}
	if !p.Request.Options.Describe {
		t.encoding(p)
	}
	return t.cpu, t.memory
}

// tally adds up the terms of a plan.
type tally struct{ cpu, memory terms }

// mega returns how many million pixels that many frames of that size have.
func mega(width, height, frames int) float64 { return float64(product(width, height, frames)) / 1e6 }

// picture adds what it takes to make the pixels of a plan.
func (t tally) picture(p Plan) {
	t.reading(p)
	t.placing(p)
	bands := float64(max(p.Request.Header.Bands, 1))
	for _, s := range p.Filters {
		area := max(mega(s.Before.Width, s.Before.Height, s.Before.Frames), mega(s.After.Width, s.After.Height, s.After.Frames))
		if s.Layer != nil {
			t.layer(*s.Layer, area)
			continue
		}
		weight := specOf(s.Call.Name).Weight
		if s.Skip {
			continue
		}
		t.cpu.add(weight, area*strength(s))
		if weight == "heavy" || weight == "blur" {
			t.memory.add("filter", area*bands)
		}
	}
}

// strength is how much longer a filter takes than its rate says: the rate of blur is that of a sigma of 4, and a wide one is made at
// a fraction of the size where the picture is large enough.
func strength(s Step) float64 {
	if s.Call.Name != "blur" {
		return 1
	}
	sigma := s.Call.Float("sigma")
	width, height := s.Before.Width, s.Before.Height
	if shrink := int(sigma / 8); shrink >= 2 && width >= 4*shrink && height >= 4*shrink {
		return 2
	}
	return max(min(sigma, float64(max(width, height)))/4, 1)
}

// reading adds what decoding takes.
func (t tally) reading(p Plan) {
	h := p.Request.Header
	if h.Canvas {
		return
	}
	format := string(h.Format)
	source := mega(h.Width, h.Height, p.Load.Frames)
	decoded := mega(p.Load.Width, p.Load.Height, p.Load.Frames)
	t.cpu.add("read."+format, source)
	t.cpu.add("bytes."+format, float64(h.Bytes)/1e6)
	t.memory.add("bytes", float64(h.Bytes)/1e6)
	t.memory.add("strip", float64(h.Width)/1e3)
	bands := float64(max(h.Bands, 1))
	if h.Format == JPEG && h.Bands == 4 {
		t.cpu.add("cmyk", decoded)
	}
	switch {
	case h.Whole:
		t.cpu.add("whole."+format, source)
		t.memory.add("whole."+format, source*bands)
	case p.Load.Frames > 1:
		t.memory.add("frames", source)
	case h.Format == WebP: // its decoder holds what it gives
		t.memory.add("read.webp", decoded*bands)
	default:
		t.memory.add("read."+format, source)
	}
}

// placing adds what turning, cutting and scaling take.
func (t tally) placing(p Plan) {
	h, frames := p.Request.Header, p.Load.Frames
	bands := float64(max(h.Bands, 1))
	decoded, scaled := mega(p.Load.Width, p.Load.Height, frames), mega(p.Scaled.Width, p.Scaled.Height, frames)
	if scaled != decoded {
		t.cpu.add("resize", decoded)
		if h.Alpha || h.Bands == 2 {
			t.cpu.add("alpha", decoded)
		}
		if p.Request.Limits.Linear {
			t.cpu.add("linear", decoded)
		}
		if scaled > decoded {
			t.cpu.add("enlarge", scaled)
		}
	}
	if frames > 1 {
		t.cpu.add("frames", float64(frames))
		t.memory.add("scaled", scaled*4)
	}
	if p.Trim != nil {
		t.cpu.add("trim", decoded)
		t.memory.add("held", decoded*bands)
	}
	if h.Turned() || p.HFlip || p.VFlip || p.Turn.Orient != 0 {
		t.cpu.add("turn", decoded)
		t.memory.add("held", decoded*bands)
	}
	if p.Request.Operations.Smart {
		t.cpu.add("smart", scaled)
		t.memory.add("held", scaled*bands)
	}
}

// layer adds what a layer over a picture of that area takes: it is a picture of its own that nobody encodes, and
// is blended.
func (t tally) layer(l LayerPlan, area float64) {
	t.cpu.add("layer", area)
	t.memory.add("layer", area*4)
	if l.Plan == nil {
		return
	}
	child := *l.Plan
	if whole, err := child.Assumed(); err == nil {
		child = whole
	}
	t.picture(child)
	t.memory.add("layer", mega(child.Scaled.Width, child.Scaled.Height, child.Load.Frames)*4)
}

// quickGIF is the max effort at which the GIF encoder refines palettes little; beyond it takes four times as long.
const quickGIF = 4

// encoding adds what encoding takes.
func (t tally) encoding(p Plan) {
	result := mega(p.Result.Width, p.Result.Height, p.Result.Frames)
	for _, e := range p.Encode {
		name := "write." + string(e.Format)
		if e.Lossless {
			name = "write.lossless." + string(e.Format)
		}
		if e.Format == GIF && e.Effort > quickGIF {
			name = "write.thorough." + string(e.Format)
		}
		encodes := 1.0
		if e.MaxBytes > 0 && e.Format.IsLossy() {
			encodes = 4
		}
		t.cpu.add(name, result*encodes*e.slowness())
		t.memory.add(name, result)
		if e.Format == GIF {
			t.memory.add("quantizer", 1)
		}
		if e.AutoQuality {
			t.cpu.add(name, min(result, 0.3)*6)
		}
	}
}

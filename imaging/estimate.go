package imaging

import (
	"slices"
	"time"
)

// Work is a job that has not begun, as far as its cost goes.
type Work struct {
	Source     Header
	Canvas     bool              // a solid canvas instead of a source
	Layers     map[string]Header // of the pictures that layers name; what is missing counts as small
	Operations Operations
	Calls      []Call // the checked filters of Operations
	Options    Options
	Writable   []Format // what the engine writes
	Describe   bool     // /meta: nothing is encoded
}

// Cost is what a job will take, about. CPU is the time of one core of the machine that the rates were
// measured on; Memory is in bytes, on top of what the process holds anyway.
type Cost struct {
	CPU    time.Duration
	Memory int64
}

// Estimate returns what a job will take, from its header and its operations. It is a sum of terms, each an amount (megapixels
// read, shrunk, resized, written, ...; megabytes) times a rate that was fitted to measurements
// (estimate_rates.go): docs/decisions/0014 says how, and how far off it is.
func Estimate(w Work) Cost {
	cpu, memory := w.terms()
	return Cost{
		CPU:    time.Duration(cpu.times(cpuRates) * float64(time.Millisecond)),
		Memory: int64(memory.times(memoryRates) * 1e6),
	}
}

// terms are amounts by the name of their rate.
type terms map[string]float64

func (t terms) add(name string, amount float64) {
	if amount > 0 && name != "" {
		t[name] += amount
	}
}

func (t terms) times(rates map[string]float64) (sum float64) {
	for name, amount := range t {
		sum += rates[name] * amount
	}
	return sum
}

// terms returns the amounts for milliseconds of CPU and for megabytes of memory.
func (w Work) terms() (cpu, memory terms) {
	cpu, memory = terms{"job": 1}, terms{"job": 1}
	if w.has("raw") {
		memory.add("bytes", 2*float64(w.Source.Bytes)/1e6)
		return cpu, memory
	}
	s := w.sizes()
	if !w.Describe || w.looks() {
		w.reading(s, cpu, memory)
		w.changing(s, cpu, memory)
	}
	w.laying(s, cpu, memory)
	if !w.Describe {
		w.writing(s, cpu, memory)
	}
	return cpu, memory
}

// reading adds what decoding takes.
func (w Work) reading(s sizes, cpu, memory terms) {
	f := w.Source
	if w.Canvas {
		return
	}
	format := string(f.Format)
	cpu.add("read."+format, s.source)
	cpu.add("bytes."+format, float64(f.Bytes)/1e6)
	memory.add("bytes", float64(f.Bytes)/1e6)
	memory.add("strip", float64(f.Width)/1e3)
	bands := float64(max(f.Bands, 1))
	if f.Format == JPEG && f.Bands == 4 {
		cpu.add("cmyk", s.decoded)
	}
	switch {
	case f.Whole:
		cpu.add("whole."+format, s.source)
		memory.add("whole."+format, s.source*bands)
	case s.frames > 1:
		memory.add("frames", s.source)
	case f.Format == WebP: // its decoder holds what it gives
		memory.add("read.webp", s.decoded*bands)
	default:
		memory.add("read."+format, s.source)
	}
}

// changing adds what the operations take.
func (w Work) changing(s sizes, cpu, memory terms) {
	bands := float64(max(w.Source.Bands, 1))
	alpha := w.Source.Bands == 2 || w.Source.Bands == 4
	if s.scaled != s.decoded {
		cpu.add("resize", s.decoded)
		if alpha {
			cpu.add("alpha", s.decoded)
		}
		if w.Options.Linear {
			cpu.add("linear", s.decoded)
		}
		if s.scaled > s.decoded {
			cpu.add("enlarge", s.scaled)
		}
	}
	if s.frames > 1 {
		cpu.add("frames", s.frames)
		memory.add("scaled", s.scaled*4)
	}
	if w.Operations.Trim {
		cpu.add("trim", s.source)
		memory.add("held", s.source*bands)
	}
	if w.Source.Turned() || w.Operations.HFlip || w.Operations.VFlip || w.has("orient") {
		cpu.add("turn", s.decoded)
		memory.add("held", s.decoded*bands)
	}
	if w.Operations.Smart {
		cpu.add("smart", s.scaled)
		memory.add("held", s.scaled*bands)
	}
	for _, c := range w.Calls {
		weight := filterWeight(c)
		cpu.add(weight, s.result)
		if weight == "heavy" || weight == "blur" {
			memory.add("filter", s.result*bands)
		}
	}
}

// laying adds what the layers take: each is a job of its own that writes nothing, and is blended.
func (w Work) laying(s sizes, cpu, memory terms) {
	for _, c := range w.Calls {
		path, drawn := c.LayerPath()
		if !drawn {
			continue
		}
		cpu.add("layer", s.result)
		memory.add("layer", s.result*4)
		layer, err := ParseLayer(path)
		if path == "" || err != nil {
			continue
		}
		calls, _, err := layer.Operations.Filters.Calls(false)
		if err != nil {
			continue
		}
		child := Work{
			Source: w.Layers[layer.Image], Canvas: IsCanvas(layer.Image), Layers: w.Layers, Calls: calls, Options: w.Options,
			Operations: layer.Within(s.width, s.height), Describe: true,
		}
		size := child.sizes()
		child.reading(size, cpu, memory)
		child.changing(size, cpu, memory)
		child.laying(size, cpu, memory)
		memory.add("layer", size.scaled*4)
	}
}

// writing adds what encoding takes.
func (w Work) writing(s sizes, cpu, memory terms) {
	for _, f := range w.targets() {
		name := string(f)
		if w.has("lossless") && f.IsLossy() && f != JPEG && f != TIFF {
			name += ".lossless"
		}
		encodes := 1.0
		if w.has("max_bytes") && f.IsLossy() {
			encodes = 4
		}
		cpu.add("write."+name, s.result*encodes)
		memory.add("write."+name, s.result)
		if f == GIF {
			memory.add("quantizer", 1)
		}
		if c, ok := w.last("quality"); ok && c.Text("n") == "auto" && f.IsLossy() {
			cpu.add("write."+name, min(s.result, 0.3)*6)
		}
	}
}

// targets returns the formats that the result is encoded as, one but for format(best).
func (w Work) targets() []Format {
	target, err := OutputFormat(w.Calls, w.Source.Format, w.Options, w.Writable)
	if err != nil || target == "" {
		target = PNG
	}
	if c, ok := w.last("format"); ok && c.Text("format") == FormatBest {
		list := []Format{JPEG, PNG}
		for _, f := range w.Options.Accept {
			if !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
		return list
	}
	return []Format{target}
}

func (w Work) has(name string) bool {
	_, ok := w.last(name)
	return ok
}

func (w Work) last(name string) (Call, bool) {
	for _, c := range slices.Backward(w.Calls) {
		if c.Name == name {
			return c, true
		}
	}
	return Call{}, false
}

// looks says whether /meta needs pixels.
func (w Work) looks() bool {
	return w.Operations.Trim || slices.ContainsFunc(w.Calls, func(c Call) bool {
		return c.Name == "trim" || c.Name == "palette" || isMeta(c.Name)
	})
}

package cost

import "github.com/safelight/safelight/imaging"

// The rates of CPU were fitted to testdata/estimates.csv, those of memory to testdata/allocations.csv, by `go test
// ./imaging/cost -run Against -fit`: an AMD EPYC, libvips 8.14.1, one thread, encoders at their usual efforts. The
// cost of a missing name was too low to be measured. The rates of a format are in its row of imaging/format.go.

// ratesOf merges the general rates with those of the formats, whose names end in the name of the format.
func ratesOf(general imaging.Rates, of func(imaging.FormatTraits) imaging.Rates) imaging.Rates {
	for _, t := range imaging.Formats() {
		for name, rate := range of(t) {
			general[name+"."+string(t.Format)] = rate
		}
	}
	return general
}

// cpuRates are milliseconds per unit of a term.
var cpuRates = ratesOf(imaging.Rates{
	"around":     400, // for a layer, measured by BenchmarkAround of imaging/vips
	"blur":       60.4,
	"cmyk":       145,
	"enlarge":    29.1,
	"heavy":      104,
	"job":        1.64,
	"layer":      52.3,
	"light":      4.43,
	"resize":     9.68,
	"smart":      53.6,
	"straighten": 62,
	"tone":       22, // measured by BenchmarkTones of imaging/vips
	"turn":       8.24,
}, func(t imaging.FormatTraits) imaging.Rates { return t.CPU })

// memoryRates are bytes per unit of a term, which is a byte of pixels or a step.
var memoryRates = ratesOf(imaging.Rates{
	"backdrop":      115,
	"blur":          41.7,
	"bytes":         1,
	"cmyk":          4_000_000,
	"enlarge.alpha": 52,
	"enlarge.rows":  28,
	"pixelate":      6.88,
	"resize.out":    19.2,
	"round_corner":  2.6,
	"sample":        4.45,
	"sharpen":       50,
	"sharpen.alpha": 132,
	"sink":          2.2,
	"smart.alpha":   4.9,
	"untouched":     1,
}, func(t imaging.FormatTraits) imaging.Rates { return t.Memory })

// effortCosts are the factors by which an encoder takes longer at an effort, counted from 0, than at the effort for
// which its rates were measured. They were measured with 4 megapixels. The effort of PNG is the zlib level.
var effortCosts = map[imaging.Format][]float64{
	imaging.AVIF: {0.8, 1, 1.3, 2, 4, 15, 22, 38, 80, 160},
	imaging.WebP: {0.3, 0.35, 0.5, 1, 1, 1.6, 2.6},
	imaging.PNG:  {0.3, 0.4, 0.5, 0.6, 0.8, 0.9, 1, 1.4, 3, 6},
}

// slowness returns the factor by which the encoder takes longer than its rate says.
func slowness(e imaging.Encode) float64 {
	effort := e.Effort
	if e.Format == imaging.PNG {
		effort = e.Compression
	}
	if costs := effortCosts[e.Format]; effort >= 0 && effort < len(costs) && !e.Lossless {
		return costs[effort]
	}
	return 1
}

package cost

import "github.com/safelight/safelight/imaging"

// The rates of CPU were fitted to testdata/estimates.csv, those of memory to testdata/allocations.csv, by `go test ./imaging/cost -run
// Against -fit`: an AMD EPYC, libvips 8.14.1, one thread, encoders at their usual efforts. A name that is missing costs nothing that could
// be measured. Those of a format are in its row of imaging/format.go.

// ratesOf returns the general rates and those of the formats, whose names end in the format's.
func ratesOf(general imaging.Rates, of func(imaging.FormatTraits) imaging.Rates) imaging.Rates {
	for _, t := range imaging.Formats() {
		for name, rate := range of(t) {
			general[name+"."+string(t.Format)] = rate
		}
	}
	return general
}

// cpuRates are milliseconds for each unit of a term.
var cpuRates = ratesOf(imaging.Rates{
	"alpha":      8.82,
	"blur":       60.4,
	"cmyk":       151,
	"enlarge":    21.5,
	"heavy":      76.2,
	"job":        2.28,
	"layer":      31.8,
	"light":      6.58,
	"resize":     13.7,
	"smart":      58.9,
	"straighten": 62,
	"trim":       4.07,
	"turn":       7.36,
}, func(t imaging.FormatTraits) imaging.Rates { return t.CPU })

// memoryRates are bytes for each unit of a term, which is a byte of pixels or a step.
var memoryRates = ratesOf(imaging.Rates{
	"backdrop":      39.8,
	"blend":         15.9,
	"blur":          40.9,
	"blur.shrunk":   13.5,
	"bytes":         1,
	"cmyk":          5_270_000,
	"enlarge":       239_000,
	"job":           9.8e+03,
	"layer":         225_000,
	"lch":           77.1,
	"light":         1.65,
	"p3":            214_000,
	"padding":       24.6,
	"pixelate":      6.88,
	"resize":        216_000,
	"resize.in":     0.0882,
	"resize.out":    18.1,
	"round_corner":  2.6,
	"sample":        4.5,
	"sharpen":       53.1,
	"sharpen.alpha": 31.4,
	"sink":          1.66,
	"smart":         1_180_000,
	"smart.pixels":  0.735,
	"straighten":    6,
	"text":          163_000,
	"turn":          0.238,
	"untouched":     1,
	"window":        4.54,
}, func(t imaging.FormatTraits) imaging.Rates { return t.Memory })

// effortCosts are how much longer an encoder takes at an effort, from 0, than at the one that its rates are for: measured with
// 4 megapixels. PNG's is zlib's level.
var effortCosts = map[imaging.Format][]float64{
	imaging.AVIF: {0.8, 1, 1.3, 2, 4, 15, 22, 38, 80, 160},
	imaging.WebP: {0.3, 0.35, 0.5, 1, 1, 1.6, 2.6},
	imaging.PNG:  {0.3, 0.4, 0.5, 0.6, 0.8, 0.9, 1, 1.4, 3, 6},
}

// slowness is how much longer the encoder takes than its rate says.
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

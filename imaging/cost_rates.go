package imaging

// The rates were fitted to testdata/estimates.csv by `go test ./imaging -run TestCostAgainst -fit`: an AMD EPYC, libvips 8.14.1,
// one thread, encoders at their usual efforts. A name that is missing costs nothing that could be measured. Those of a format are in its
// row of format.go.

// Rates are costs for each unit of a term, by its name: milliseconds of CPU, or megabytes of memory.
type Rates map[string]float64

// ratesOf returns the general rates and those of the formats, whose names end in the format's.
func ratesOf(general Rates, of func(*FormatTraits) Rates) Rates {
	for n := range formatTable {
		t := &formatTable[n]
		for name, rate := range of(t) {
			general[name+"."+string(t.Format)] = rate
		}
	}
	return general
}

// cpuRates are milliseconds for each unit of a term.
var cpuRates = ratesOf(Rates{
	"alpha":   8.82,
	"blur":    60.4,
	"cmyk":    151,
	"enlarge": 21.5,
	"heavy":   76.2,
	"job":     2.28,
	"layer":   31.8,
	"light":   6.58,
	"resize":  13.7,
	"smart":   58.9,
	"trim":    4.07,
	"turn":    7.36,
}, func(t *FormatTraits) Rates { return t.CPU })

// memoryRates are megabytes for each unit of a term.
var memoryRates = ratesOf(Rates{
	"bytes":     1.88,
	"filter":    2.23,
	"frames":    0.05,
	"held":      1.11,
	"job":       3.26,
	"layer":     1.45,
	"quantizer": 3.26,
	"strip":     0.421,
}, func(t *FormatTraits) Rates { return t.Memory })

// effortCosts are how much longer an encoder takes at an effort, from 0, than at the one that its rates are for: measured with
// 4 megapixels. PNG's is zlib's level.
var effortCosts = map[Format][]float64{
	AVIF: {0.8, 1, 1.3, 2, 4, 15, 22, 38, 80, 160},
	WebP: {0.3, 0.35, 0.5, 1, 1, 1.6, 2.6},
	PNG:  {0.3, 0.4, 0.5, 0.6, 0.8, 0.9, 1, 1.4, 3, 6},
}

// slowness is how much longer the encoder takes than its rate says.
func (e Encode) slowness() float64 {
	effort := e.Effort
	if e.Format == PNG {
		effort = e.Compression
	}
	if costs := effortCosts[e.Format]; effort >= 0 && effort < len(costs) && !e.Lossless {
		return costs[effort]
	}
	return 1
}

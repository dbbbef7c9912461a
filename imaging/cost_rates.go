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

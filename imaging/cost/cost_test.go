package cost

import (
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

var fitRates = flag.Bool("fit", false, "print the rates that fit the measurements")

// measurement is a row of testdata/estimates.csv, which TestMeasureEstimates of imaging/vips writes.
type measurement struct {
	source, path string
	plan         imaging.Plan
	cpu, memory  float64 // milliseconds, megabytes
}

func measurements(t *testing.T) []measurement {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "estimates.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []measurement
	for _, row := range rows[1:] {
		number := func(n int) int { i, _ := strconv.Atoi(row[n]); return i }
		real := func(n int) float64 { x, _ := strconv.ParseFloat(row[n], 64); return x }
		r, err := imaging.Parse("unsafe/" + row[9] + "/x")
		if err != nil {
			t.Fatal(err)
		}
		bands := number(5)
		h := imaging.Header{
			Format: imaging.Format(row[1]),
			Width:  number(2),
			Height: number(3),
			Pages:  number(4),
			Bands:  bands,
			Bytes:  int64(number(6)),
			Alpha: bands == 2 ||
				bands == 4 && row[1] != "jpeg",
			Orientation: map[string]int{"true": 6}[row[7]],
			Whole:       row[8] == "true",
		}
		if h.Format == imaging.JPEG && bands == 3 {
			h.Samples = 1.5 // the chroma of all sources has half the size
		}
		plan, err := imaging.NewPlan(h, r.Operations, imaging.Limits{}, imaging.PlanOptions{
			Writable: []imaging.Format{
				imaging.JPEG,
				imaging.PNG,
				imaging.WebP,
				imaging.GIF,
				imaging.AVIF,
				imaging.TIFF,
				imaging.JXL,
				imaging.JP2,
			},
			Efforts: map[imaging.Format]int{imaging.GIF: 3},
		}) // GIFs were measured so
		if err != nil {
			t.Fatalf("%s %s: %v", row[0], row[9], err)
		}
		list = append(list, measurement{source: row[0], path: row[9], cpu: real(10), memory: real(11), plan: plan})
	}
	return list
}

// estimateFactors are the factors within which estimates are counted.
var estimateFactors = [...]float64{1.1, 1.25, 1.5, 2, 4}

// TestCostAgainstMeasurements holds the shares of jobs within each of estimateFactors of the measurement that
// docs/contributing/performance/estimates.md states. Jobs of less than a few milliseconds or megabytes are measured too
// badly to tell.
func TestCostAgainstMeasurements(t *testing.T) {
	list := measurements(t)
	if *fitRates {
		printRates("cpuRates", fit(list, func(m measurement) (terms, float64) {
			p, _ := m.plan.Assumed()
			return cpuTerms(p), math.Max(m.cpu, 2)
		}))
	}
	for _, bound := range []struct {
		what   string
		least  float64
		shares [len(estimateFactors)]float64
		of     func(measurement) (estimated, measured float64)
	}{
		{"CPU", 5, [...]float64{0.31, 0.60, 0.80, 0.95, 0.99},
			func(m measurement) (float64, float64) { return Of(m.plan).CPU.Seconds() * 1000, m.cpu }},
		{"resident memory", 16, [...]float64{0.20, 0.43, 0.71, 0.89, 0.99},
			func(m measurement) (float64, float64) { return float64(Of(m.plan).Memory) / 1e6, m.memory }},
	} {
		var all float64
		var within [len(estimateFactors)]float64
		for _, m := range list {
			estimated, measured := bound.of(m)
			if max(estimated, measured) < bound.least {
				continue
			}
			off := max(estimated/measured, measured/estimated)
			all++
			for n, factor := range estimateFactors {
				if off <= factor {
					within[n]++
				}
			}
			if off > 2 {
				t.Logf("%s of %s %q: estimated %.1f, measured %.1f", bound.what, m.source, m.path, estimated, measured)
			}
		}
		for n, factor := range estimateFactors {
			if share := within[n] / all; share < bound.shares[n] {
				t.Errorf(
					"%s: %.1f %% of %.0f jobs are within a factor of %g, expected %.0f %%", bound.what,
					share*100, all, factor, bound.shares[n]*100,
				)
			}
		}
	}
}

// fit returns the rates, none below 0, with the least sum of squared relative errors: one coordinate at a time.
func fit(list []measurement, of func(measurement) (terms, float64)) map[string]float64 {
	type share struct {
		row    int
		amount float64 // by what was measured
	}
	shares := map[string][]share{}
	left := make([]float64, len(list)) // what the other terms leave
	for n, m := range list {
		amounts, measured := of(m)
		left[n] = 1
		for name, amount := range amounts {
			shares[name] = append(shares[name], share{n, amount / measured})
		}
	}
	rates := map[string]float64{}
	for range 3000 {
		for name, column := range shares {
			var above, below float64
			for _, x := range column {
				weight := 0.5 / math.Max(math.Abs(left[x.row]), 0.5) // a wild row must not decide
				above += weight * x.amount * (left[x.row] + x.amount*rates[name])
				below += weight * x.amount * x.amount
			}
			rate := math.Max(above/below, 0)
			for _, x := range column {
				left[x.row] -= x.amount * (rate - rates[name])
			}
			rates[name] = rate
		}
	}
	return rates
}

func printRates(name string, rates map[string]float64) {
	fmt.Printf("var %s = map[string]float64{\n", name)
	for _, key := range slices.Sorted(maps.Keys(rates)) {
		if rates[key] > 0 {
			fmt.Printf("\t%q: %.3g,\n", key, rates[key])
		}
	}
	fmt.Println("}")
}

// TestCostOfMuch refuses what would take over twice the timeout, by format, effort, area and filters, and nothing
// ordinary.
func TestCostOfMuch(t *testing.T) {
	photo := imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 3_000_000}
	layer := map[string]imaging.Header{
		"a": {Format: imaging.JPEG, Width: 20, Height: 20, Pages: 1, Bands: 3, Bytes: 1000},
	}
	for path, refused := range map[string]bool{
		"": false, "fit-in/300x300": false, "filters:format(png):compression(9)": false, "filters:format(avif)": false,
		"filters:blur(15)": false, "stretch/7000x7000": false,
		"stretch/7000x7000/filters:blur(1000)": false, "stretch/7000x7000/filters:format(gif)": false,
		"stretch/7000x7000/filters:image(/20x20/a,repeat,repeat)": false,
		"stretch/7000x7000/filters:format(png):compression(9)":    true, "stretch/7000x7000/filters:format(jxl)": true,
		"stretch/7000x7000/filters:format(png):max_bytes(10)": false,
		"stretch/7000x7000/filters:blur(15)":                  false,
		"stretch/7000x7000/filters:" + strings.TrimSuffix(
			strings.Repeat("blur(15):", 8), ":"): true,
		"stretch/7000x7000/filters:" + strings.TrimSuffix(
			strings.Repeat("pixelate(2):", 20), ":"): true,
		"stretch/7000x7000/filters:" + strings.TrimSuffix(
			strings.Repeat("image(/7000x7000/a,0,0,50,overlay):", 20), ":"): true,
	} {
		r, err := imaging.Parse("unsafe/" + path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		plan, err := imaging.NewPlan(photo, r.Operations, imaging.DefaultLimits(), imaging.PlanOptions{
			Writable: []imaging.Format{imaging.JPEG, imaging.PNG, imaging.GIF, imaging.JXL, imaging.AVIF},
			Layers:   layer,
		})
		if err == nil {
			err = Of(plan).Check(plan.Request.Limits.Timeout)
		}
		if (fault.CodeOf(err) == fault.TooLarge) != refused || err != nil && !refused {
			t.Errorf("%s: %v, refused: expected %v; estimated %v", path, err, refused, Of(plan))
		}
	}
}

// TestCostByEffort checks that an encoder's effort counts.
func TestCostByEffort(t *testing.T) {
	h := imaging.Header{Format: imaging.PNG, Width: 1000, Height: 1000, Pages: 1, Bands: 3, Bytes: 1_000_000}
	cost := func(path string, efforts map[imaging.Format]int) float64 {
		r, err := imaging.Parse("unsafe/" + path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		plan, err := imaging.NewPlan(
			h, r.Operations, imaging.Limits{},
			imaging.PlanOptions{Writable: []imaging.Format{imaging.AVIF, imaging.WebP, imaging.PNG}, Efforts: efforts},
		)
		if err != nil {
			t.Fatal(err)
		}
		return Of(plan).CPU.Seconds()
	}
	for _, c := range []struct {
		path   string
		effort map[imaging.Format]int
	}{{"filters:format(avif)", map[imaging.Format]int{imaging.AVIF: 5}},
		{"filters:format(webp)", map[imaging.Format]int{imaging.WebP: 6}}, {"filters:compression(9)", nil}} {
		plain, _, _ := strings.Cut(c.path, "compression")
		if usual, much := cost(strings.TrimSuffix(plain, "filters:"), nil), cost(c.path, c.effort); much < 1.5*usual {
			t.Errorf("%s %v is estimated to take %g s, with the usual effort %g", c.path, c.effort, much, usual)
		}
	}
}

// TestCostOfPendingTrim: what a trim leaves is not known, so all of the picture counts.
func TestCostOfPendingTrim(t *testing.T) {
	photo := imaging.Header{Format: imaging.PNG, Width: 2000, Height: 1500, Pages: 1, Bands: 3, Bytes: 3_000_000}
	p, err := planOf(t, "trim/fit-in/300x300/filters:blur(4)", photo, imaging.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := p.Assumed()
	if err != nil {
		t.Fatal(err)
	}
	if p.Scaled == whole.Scaled {
		t.Fatal("the plan knows what the trim leaves")
	}
	for name, of := range map[string]func(imaging.Plan) imaging.Cost{"all": Of, "decoded": OfDecoded} {
		if got, want := of(p), of(whole); got != want {
			t.Errorf("%s: %+v, expected %+v as for a trim that keeps everything", name, got, want)
		}
	}
}

// TestCostOfDecoded: once the picture is decoded, neither reading nor its pixels count.
func TestCostOfDecoded(t *testing.T) {
	photo := imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 3_000_000}
	p, err := planOf(t, "fit-in/1280x1280", photo, imaging.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	all, rest := Of(p), OfDecoded(p)
	read := terms{}
	read.reading(p)
	got, want := all.CPU-rest.CPU, milliseconds(read.times(cpuRates))
	if max(got, want)-min(got, want) > time.Microsecond {
		t.Errorf("decoding counts %s of CPU, expected %s", got, want)
	}
}

// TestSameCost: equal plans cost the same to the nanosecond and byte, in whatever order Go walks a map.
func TestSameCost(t *testing.T) {
	photo := imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 3_141_593,
		Orientation: 6}
	p, err := planOf(t, "333x217/smart/filters:blur(7):brightness(9):sharpen(1.3):format(webp)", photo,
		imaging.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	want := Of(p)
	for range 200 {
		if got := Of(p); got != want {
			t.Fatalf("%+v, before %+v", got, want)
		}
	}
}

// TestBlurShrink holds from where a wide blur is made at a fraction of the size.
func TestBlurShrink(t *testing.T) {
	for _, c := range []struct {
		sigma         float64
		width, height int
		want          int
	}{
		{4, 1000, 1000, 1}, {15.9, 1000, 1000, 1}, {16, 1000, 1000, 2}, {24, 1000, 1000, 3},
		{16, 8, 8, 2}, {16, 7, 8, 1}, {16, 8, 7, 1}, {24, 12, 12, 3}, {24, 11, 1000, 1}, {24, 1000, 11, 1},
	} {
		if got := BlurShrink(c.sigma, imaging.Size{Width: c.width, Height: c.height}); got != c.want {
			t.Errorf("sigma %g of %dx%d: shrunk by %d, expected %d", c.sigma, c.width, c.height, got, c.want)
		}
	}
}

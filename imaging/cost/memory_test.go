package cost

import (
	"encoding/csv"
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

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/gainmap"
)

// allocation is a row of testdata/allocations.csv, which TestMeasureAllocations of imaging/vips writes.
type allocation struct {
	group, source, path string
	plan                imaging.Plan
	phases              *footprint
	measured            float64 // bytes
}

func allocations(t testing.TB) []allocation {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "allocations.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	layers := map[string]imaging.Header{}
	var list []allocation
	for _, row := range rows[1:] {
		number := func(n int) int { i, _ := strconv.Atoi(row[n]); return i }
		h := imaging.Header{
			Format:      imaging.Format(row[2]),
			Width:       number(3),
			Height:      number(4),
			Pages:       number(5),
			Bands:       number(6),
			Bytes:       int64(number(7)),
			Alpha:       row[8] == "true",
			Depth:       number(9),
			Orientation: number(10),
			Whole:       row[11] == "true",
			Canvas:      row[2] == "",
		}
		if h.Format == imaging.JPEG && h.Bands == 3 {
			h.Samples = 1.5 // the chroma of all sources has half the size
		}
		if row[0] == "layer" {
			layers[row[1]] = h
			continue
		}
		r, err := imaging.Parse("unsafe/" + row[12] + "/x")
		if err != nil {
			t.Fatal(err)
		}
		p, err := imaging.NewPlan(
			h, r.Operations, imaging.DefaultLimits(),
			imaging.PlanOptions{Writable: allFormats, Layers: layers},
		)
		if err == nil {
			p, err = p.Assumed()
		}
		if err != nil {
			t.Fatalf("%s %s: %v", row[1], row[12], err)
		}
		a := allocation{row[0], row[1], row[12], p, footprintOf(p, 0), float64(number(13))}
		a.measured += a.phases.kept
		list = append(list, a)
	}
	return list
}

// peak returns the bytes of the largest phase at these rates, with those that are untouched.
func (f *footprint) peak(rates imaging.Rates) (bytes float64) {
	for _, t := range f.ended {
		bytes = max(bytes, t.times(rates))
	}
	return bytes
}

// allocated estimates the bytes that executing a plan allocates, untouched ones among them.
func allocated(p imaging.Plan) float64 { return footprintOf(p, 0).peak(memoryRates) }

// off is by what factor the memory that admission counts is off.
func (a allocation) off(rates imaging.Rates) float64 {
	estimated, measured := float64(resident(int64(a.phases.peak(rates)))), float64(resident(int64(a.measured)))
	return max(estimated/measured, measured/estimated)
}

// TestMemoryAgainstMeasurements holds the shares of jobs whose memory, as admission counts it, is within each of
// estimateFactors of what it would count for the measurement, as docs/contributing/performance/estimates.md states, and
// that none is below the measurement.
func TestMemoryAgainstMeasurements(t *testing.T) {
	list := allocations(t)
	if *fitRates {
		rates := maps.Clone(memoryRates)
		fitMemory(list, rates)
		printRates("memoryRates", rates)
		maps.Copy(memoryRates, rates)
	}
	for group, bounds := range map[string][len(estimateFactors)]float64{
		"golden": {0.85, 0.97, 0.99, 1, 1},
		"matrix": {0.66, 0.93, 0.99, 1, 1},
	} {
		var all float64
		var within [len(estimateFactors)]float64
		for _, a := range list {
			if a.group != group {
				continue
			}
			all++
			if most := float64(resident(int64(a.phases.peak(memoryRates)))); a.measured > most {
				t.Errorf(
					"%s %q: admission counts %.0f kB, measured %.0f kB", a.source, a.path, most/1e3,
					a.measured/1e3,
				)
			}
			off := a.off(memoryRates)
			for n, factor := range estimateFactors {
				if off <= factor {
					within[n]++
				}
			}
			if off > 1.25 {
				t.Logf(
					"%s %q: estimated %.0f kB, measured %.0f kB", a.source, a.path,
					a.phases.peak(memoryRates)/1e3, a.measured/1e3,
				)
			}
		}
		for n, factor := range estimateFactors {
			share := within[n] / all
			t.Logf("%s: %.1f %% of %.0f jobs are within a factor of %g", group, share*100, all, factor)
			if !(share >= bounds[n]) {
				t.Errorf(
					"%s: %.1f %% of %.0f jobs are within a factor of %g, expected %.0f %%", group, share*100,
					all, factor, bounds[n]*100,
				)
			}
		}
	}
}

// TestEveryMemoryRateCounts fails for a rate that no term asks for.
func TestEveryMemoryRateCounts(t *testing.T) {
	asked := map[string]bool{}
	for _, a := range allocations(t) {
		for _, phase := range a.phases.ended {
			for name := range phase {
				asked[name] = true
			}
		}
	}
	for name := range memoryRates {
		if !asked[name] && !strings.HasSuffix(name, ".heif") && !strings.HasSuffix(name, ".cmyk.jpeg") {
			t.Errorf("no measured job has the term %s", name)
		}
	}
}

// fitMemory changes the rates, one at a time, as long as that brings the estimates nearer. What is within 7 % is near
// enough: two runs of one job differ by as much.
func fitMemory(list []allocation, rates imaging.Rates) {
	users := map[string][]allocation{}
	for _, a := range list {
		names := map[string]bool{}
		for _, phase := range a.phases.ended {
			for name := range phase {
				// of which there is one
				names[name] = name != "bytes" && name != untouched && !strings.HasSuffix(name, ".heif")
			}
		}
		for name, fitted := range names {
			if fitted {
				users[name] = append(users[name], a)
			}
		}
	}
	loss := func(list []allocation) (sum float64) {
		for _, a := range list {
			off := math.Log(a.off(rates))
			weight := 1.0
			if a.group == "golden" {
				weight = 2
			}
			if a.measured > float64(resident(int64(a.phases.peak(rates)))) { // which no job may
				sum += 10
			}
			sum += weight * (math.Min(off, 0.07)*0.4 + math.Min(math.Max(off-0.07, 0), 0.7) + 0.6*math.Max(off-0.77, 0))
		}
		return sum
	}
	for range 60 {
		before := loss(list)
		for _, name := range slices.Sorted(maps.Keys(users)) {
			was, best := rates[name], loss(users[name])
			keep := was
			for _, to := range candidates(was) {
				rates[name] = to
				if l := loss(users[name]); l < best-1e-9 {
					best, keep = l, to
				}
			}
			rates[name] = keep
		}
		if before-loss(list) < 0.005 {
			return
		}
	}
}

// candidates are the rates that are tried in place of one.
func candidates(rate float64) []float64 {
	list := []float64{0}
	for _, factor := range []float64{0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.01, 1.02, 1.05, 1.1, 1.2, 1.4, 2,
		4} {
		list = append(list, rate*factor)
	}
	for n := 0.03; n < 1e7; n *= 3 {
		list = append(list, n)
	}
	return list
}

// TestMemoryOfPhases holds which phase decides.
func TestMemoryOfPhases(t *testing.T) {
	photo := imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 3e6}
	large := func(path string, change func(*imaging.Header)) float64 {
		h := photo
		change(&h)
		p, err := planOf(t, path, h, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		return allocated(p)
	}
	same := func(*imaging.Header) {}
	small := large("fit-in/300x300", same)
	for path, c := range map[string]struct {
		change   func(*imaging.Header)
		low, top float64 // times small
	}{
		"fit-in/300x300/filters:brightness(10)": {same, 1, 1.1},
		// all coefficients
		"fit-in/300x300/": {func(h *imaging.Header) { h.Whole, h.Samples = true, 1.5 }, 36e6 / small,
			60e6 / small},
		"fit-in/300x300/filters:quality(81)": {func(h *imaging.Header) { h.Whole, h.Samples = true, 3 }, 72e6 / small,
			96e6 / small},
		"fit-in/300x300/filters:quality(82)": {func(h *imaging.Header) { h.Whole = true }, 72e6 / small, 96e6 / small},
		"fit-in/300x300/filters:quality(80)": {func(h *imaging.Header) { h.Whole, h.Bands = true, 1 }, 24e6 / small,
			48e6 / small},
		// all pixels
		"trim/fit-in/300x300": {same, 36e6 / small, 60e6 / small},
		// of the pixels as decoded
		"fit-in/300x300/filters:orient(90)": {same, 0.5, 3},
		"":                                  {same, 4, 20},
		"filters:format(jxl)":               {same, 50, 500},
	} {
		if got := large(path, c.change); got < c.low*small || got > c.top*small {
			t.Errorf(
				"%s: %.1f times the %.1f MB of a thumbnail, expected %.1f to %.1f", path, got/small,
				small/1e6, c.low, c.top,
			)
		}
	}
}

// TestMemoryOfLargeGIF holds the estimates of a GIF of 49 MP to what a process takes that makes a thumbnail of it: 215
// to 410 MB, trimmed 380 to 570 MB, by whether its frames restore the one before, which the header does not tell.
func TestMemoryOfLargeGIF(t *testing.T) {
	h := imaging.Header{Format: imaging.GIF, Width: 7000, Height: 7000, Pages: 2, Bands: 4, Alpha: true, Bytes: 33_000}
	for path, mb := range map[string][2]int64{"100x100": {300, 500},
		"trim/fit-in/100x100/filters:format(png)": {450, 700}} {
		p, err := planOf(t, path, h, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if got := Of(p).Memory >> 20; got < mb[0] || got > mb[1] {
			t.Errorf("%s: %d MB, expected %v", path, got, mb)
		}
	}
}

// TestUntouchedMemory checks that the canvas of a WebP that is decoded smaller is allocated, but not resident: its
// planes are.
func TestUntouchedMemory(t *testing.T) {
	p, err := planOf(
		t, "fit-in/100x100",
		imaging.Header{Format: imaging.WebP, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 1e6},
		imaging.DefaultLimits(),
	)
	if err != nil {
		t.Fatal(err)
	}
	if c := Of(p); allocated(p) < 4*4000*3000 || c.Memory < 1.5*4000*3000 || c.Memory > 35e6 {
		t.Errorf("%.0f bytes allocated, %+v", allocated(p), c)
	}
}

// TestMemoryOfLayers checks that a layer is made while its parent is kept.
func TestMemoryOfLayers(t *testing.T) {
	p, err := planOf(
		t, "filters:image(logo):format(png)",
		imaging.Header{Format: imaging.PNG, Width: 2000, Height: 2000, Pages: 1, Bands: 3, Bytes: 1e6},
		imaging.DefaultLimits(),
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := allocated(p); got < 2*3*2000*2000 || got > 4*3*2000*2000 {
		t.Errorf("%.0f bytes", got)
	}
}

// TestMemoryOfLargeLayers holds what of a layer, its parent and their files is in memory at once.
func TestMemoryOfLargeLayers(t *testing.T) {
	const (
		parent = 3 * 2000 * 2000
		files  = 1e6 + 40e6
		scan   = 3 * 3000 * 3000
	)
	for path, c := range map[string]struct{ low, top float64 }{
		// the compressed pixels are put together beside those that are decoded
		"filters:image(100x100/scan)":      {files + parent + 40e6 + scan, files + parent + 40e6 + 1.1*scan},
		"filters:image(trim/100x100/scan)": {files + parent + 40e6 + scan, files + parent + 40e6 + 1.4*scan},
		// the layer and the result, both with alpha while they are blended
		"filters:image(2000x2000/logo)": {1e6 + 2*parent + 4*2000*2000, 1e6 + 7*parent},
		// the mask, the shade and the result of what is around the layer, 9 bytes a pixel
		"filters:image(1000x1000/logo,0,0,0,normal,black,100)": {9 * 3000 * 3000, 9*3000*3000 + 7*parent},
	} {
		p, err := planOf(
			t, path+":format(png)",
			imaging.Header{Format: imaging.PNG, Width: 2000, Height: 2000, Pages: 1, Bands: 3, Bytes: 1e6},
			imaging.DefaultLimits(),
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := allocated(p); !(got >= c.low && got <= c.top) {
			t.Errorf("%s: %.1f MB, expected %.1f to %.1f", path, got/1e6, c.low/1e6, c.top/1e6)
		}
	}
}

// TestMemoryOfAutoFill checks that all pixels are in memory while the color of their borders is looked for.
func TestMemoryOfAutoFill(t *testing.T) {
	photo := imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 3e6}
	bytes := func(color string) float64 {
		p, err := planOf(t, "fit-in/4000x4000/filters:fill("+color+"):format(webp)", photo, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		return footprintOf(p, 0).ended[0]["bytes"]
	}
	const picture, canvas = 3 * 4000 * 3000, 3 * 4000 * 4000
	if auto := bytes("auto"); auto < picture || auto >= canvas {
		t.Errorf("the first phase of fill(auto) has %.1f MB, expected the %.1f MB of the picture", auto/1e6, picture/1e6)
	}
	if red := bytes("red"); red < canvas {
		t.Errorf("the first phase of fill(red) has %.1f MB, expected the %.1f MB of the canvas", red/1e6, canvas/1e6)
	}
}

// TestTextAroundCounts checks that the box, outline and shadow of a text count as large as the text may be, whatever
// the size of its parent is, and that those of usual texts count little.
func TestTextAroundCounts(t *testing.T) {
	h := imaging.Header{Canvas: true, Width: 10, Height: 10, Pages: 1, Bands: 3}
	costOf := func(path string) (bytes float64, cpu time.Duration) {
		p, err := planOf(t, path, h, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		return allocated(p), Of(p).CPU
	}
	bareBytes, bareCPU := costOf("10x10/filters:label(ab,0,0,300)")
	for path, least := range map[string]float64{ // the pixels that are drawn
		"label(ab,0,0,300,black,0,sans,red,200,50,red,50,red,100,100,100)":                             3_000_000,
		"text(abcdefgh,0,0,sans-500,black,0,normal,0,low,false,word,0,72,red,50,50,red,5,red,0,20,20)": 3_000_000,
	} {
		bytes, cpu := costOf("10x10/filters:" + path)
		if more := bytes - bareBytes; more < 9*least || more > 9*imaging.MaxAround {
			t.Errorf("%s: %.0f bytes more than a bare text, expected at least %.0f", path, more, 9*least)
		}
		if cpu < bareCPU+100*time.Millisecond {
			t.Errorf("%s: %v, a bare text %v", path, cpu, bareCPU)
		}
	}
	bytes,
		cpu := costOf(
		"10x10/filters:text(A%20usual%20caption,0,0,sans-48,black,0,normal,0,low,false,word,0,72,red,30,20)")
	if bytes-bareBytes > 10e6 || cpu > 500*time.Millisecond {
		t.Errorf("a usual text takes %.0f bytes, %v", bytes, cpu)
	}
}

func BenchmarkOf(b *testing.B) {
	for _, path := range []string{"300x200", "fit-in/600x600/filters:blur(3):brightness(10):image(logo,10,10):format(webp)"} {
		p, err := planOf(
			b, path,
			imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 3e6},
			imaging.DefaultLimits(),
		)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(strings.Count(path, "(")), func(b *testing.B) {
			for b.Loop() {
				Of(p)
			}
		})
	}
}

// TestSharedRows compares what is counted for shared decodes with the coefficients of four rows of MCUs, for all
// sampling factors that a baseline JPEG may have.
func TestSharedRows(t *testing.T) {
	most := 0.0
	for factors := range 1 << 12 {
		blocks, widest := 0, 0
		for rest := factors; ; rest >>= 4 {
			h, v := rest&3+1, rest>>2&3+1
			blocks += h * v
			if widest = max(widest, h); rest>>4 == 0 {
				break
			}
		}
		if blocks > 10 { // T.81, B.2.3
			continue
		}
		for _, width := range []int{1, 9, 4000, 65500} {
			need := 4 * blocks * 64 * 2 * ((width + 8*widest - 1) / (8 * widest))
			counted := SharedRows(imaging.Header{Format: imaging.JPEG, Width: width, Height: 100, Bands: 3})
			if int64(need) > counted {
				t.Fatalf(
					"%d blocks in an MCU of %d pixels, %d pixels wide: %d bytes are counted, expected %d",
					blocks, 8*widest, width, counted, need,
				)
			}
			most = max(most, float64(need)/float64(counted))
		}
	}
	if most < 1 {
		t.Errorf("at most %.2f of what is counted is needed", most)
	}
}

// TestFootprintBytes holds how rows, tiles and untouched bytes add up.
func TestFootprintBytes(t *testing.T) {
	f := footprint{shape: imaging.Shape{Width: 10, Height: 20, Frames: 3}, bands: 4}
	for name, c := range map[string][2]float64{
		"all pixels":    {f.pixels(), 10 * 20 * 3 * 4},
		"some rows":     {f.rows(7), 10 * 7 * 4},
		"all rows":      {f.rows(1000), 10 * 20 * 3 * 4},
		"a small tile":  {f.tile(0), 10 * 20 * 4},
		"with a margin": {f.tile(5), (10 + 2*5) * (20 + 2*5) * 4},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %g bytes, expected %g", name, c[0], c[1])
		}
	}
	f.shape.Width, f.shape.Height = 10*tileSide, 10*tileSide
	if got, want := f.tile(1), float64((tileSide+2)*(tileSide+2)*4); got != want {
		t.Errorf("a tile of a large picture: %g bytes, expected %g", got, want)
	}
	f.ended = []terms{{"bytes": 30}, {"bytes": 50, untouched: 100}, {"bytes": 60}}
	rates := imaging.Rates{"bytes": 1, untouched: 2}
	if got := f.peak(rates); got != 50+2*100 {
		t.Errorf("the peak is %g, expected 250", got)
	}
	if got := f.written(rates); got != 60 {
		t.Errorf("%g bytes are written at most, expected 60", got)
	}
}

// TestFootprintOfReduction holds the bytes of scaling down: strips of at most 576 bytes a row, eight rows of the
// result.
func TestFootprintOfReduction(t *testing.T) {
	for _, c := range []struct {
		width, height, to int
		want              float64
	}{
		{4000, 3000, 300, 2*576*(135+4) + 2*8*12000},
		{10, 3000, 300, 2*30*(135+4) + 2*8*30},
		{10, 20, 10, 2*30*20 + 2*8*30},
	} {
		f := footprint{shape: imaging.Shape{Width: c.width, Height: c.height, Frames: 1}, bands: 3}
		if got := f.reduction(c.to); got != c.want {
			t.Errorf("%dx%d to %d rows: %g bytes, expected %g", c.width, c.height, c.to, got, c.want)
		}
	}
}

// TestFootprintOfTurnAndCut: a quarter turn swaps the sides, and a cut to all of the picture is none.
func TestFootprintOfTurnAndCut(t *testing.T) {
	whole := imaging.Size{Width: 40, Height: 30}
	for name, c := range map[string]struct {
		change func(f *footprint)
		size   imaging.Size
		kept   bool // nothing is added
	}{
		"no turn":      {func(f *footprint) { f.turn(0) }, whole, true},
		"quarter turn": {func(f *footprint) { f.turn(90) }, imaging.Size{Width: 30, Height: 40}, false},
		"half turn":    {func(f *footprint) { f.turn(180) }, whole, false},
		"no cut":       {func(f *footprint) { f.cut(imaging.Rect{}) }, whole, true},
		"all of it":    {func(f *footprint) { f.cut(imaging.Rect{Width: 40, Height: 30}) }, whole, true},
		"less height": {func(f *footprint) { f.cut(imaging.Rect{Width: 40, Height: 20}) },
			imaging.Size{Width: 40, Height: 20}, false},
		"less width": {func(f *footprint) { f.cut(imaging.Rect{Width: 20, Height: 30}) },
			imaging.Size{Width: 20, Height: 30}, false},
	} {
		f := footprint{shape: imaging.Shape{Width: 40, Height: 30, Frames: 1}, bands: 3, whole: true, base: 3600}
		f.begin()
		c.change(&f)
		if f.shape.Size() != c.size || (len(f.ended) == 0 && !f.lazy) != c.kept {
			t.Errorf("%s: %v, %d phases, waits: %v; expected %v, nothing added: %v", name, f.shape.Size(), len(f.ended),
				f.lazy, c.size, c.kept)
		}
	}
}

// TestFootprintOfResize: a picture in memory is scaled down at once, also along one side; all else waits for its rows.
func TestFootprintOfResize(t *testing.T) {
	for name, c := range map[string]struct {
		to     imaging.Size
		whole  bool
		phases int
		add    terms // what the step adds while it waits
	}{
		"as it is":            {imaging.Size{Width: 40, Height: 30}, true, 0, terms{}},
		"lower":               {imaging.Size{Width: 40, Height: 15}, true, 1, terms{}},
		"narrower":            {imaging.Size{Width: 20, Height: 30}, true, 1, terms{}},
		"rows, lower":         {imaging.Size{Width: 40, Height: 15}, false, 0, terms{"resize.out": 40 * 15 * 3}},
		"rows, narrower":      {imaging.Size{Width: 20, Height: 30}, false, 0, terms{"resize.out": 20 * 16 * 3}},
		"wider":               {imaging.Size{Width: 80, Height: 30}, true, 0, terms{"enlarge.rows": 80 * 16 * 3}},
		"higher, but shorter": {imaging.Size{Width: 30, Height: 31}, true, 0, terms{"enlarge.rows": 30 * 16 * 3}},
	} {
		f := footprint{shape: imaging.Shape{Width: 40, Height: 30, Frames: 1}, bands: 3, whole: c.whole}
		f.begin()
		f.resize(c.to, false)
		if f.shape.Size() != c.to || len(f.ended) != c.phases {
			t.Errorf("%s: %v, %d phases, expected %v, %d", name, f.shape.Size(), len(f.ended), c.to, c.phases)
		}
		for _, rate := range []string{"resize.out", "enlarge.rows"} {
			if f.now[rate] != c.add[rate] {
				t.Errorf("%s: %g of %s, expected %g", name, f.now[rate], rate, c.add[rate])
			}
		}
	}
}

// TestMemoryOfGainMap: the file of a gain map, its decoded part and the result's map count, in a phase of their own.
func TestMemoryOfGainMap(t *testing.T) {
	photo := imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 3e6}
	for path, want := range map[string]float64{
		// decoded at a quarter, which is half the sides of the result
		"fit-in/1000x1000": 200e3 + 500*375*3 + 3*(500*375+3*500*375),
		"trim":             0, // which has no map
	} {
		h := photo
		h.GainMap = imaging.GainMap{Width: 2000, Height: 1500, Bands: 3, Bytes: 200e3}
		p, err := planOf(t, path, h, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		f := footprint{}
		f.begin()
		f.gainMap(p)
		got := 0.0
		for _, phase := range f.ended {
			got += phase["bytes"]
		}
		if fit, ok := gainmap.FitOf(p); got != want {
			t.Errorf("%s: %g bytes, expected %g; %+v, %v", path, got, want, fit, ok)
		}
	}
}

// TestTermsOfFootprint holds single terms of steps, of stills and animations.
func TestTermsOfFootprint(t *testing.T) {
	photo := imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 3e6}
	motion := imaging.Header{
		Format: imaging.GIF, Width: 480, Height: 360, Pages: 5, Bands: 4, Alpha: true, Bytes: 1e5,
	}
	for _, c := range []struct {
		header     imaging.Header
		path, term string
		want       float64
	}{
		{photo, "fit-in/400x300/filters:sharpen(2)", "sharpen", (128 + 18) * (128 + 18) * 3},
		{photo, "fit-in/400x300/filters:sharpen(20)", "sharpen", (128 + 36) * (128 + 36) * 3},
		{photo, "fit-in/400x300/filters:blur(5)", "blur", (128 + 9) * (128 + 9) * 3},
		{photo, "fit-in/400x300/filters:pixelate(5)", "pixelate", 400 * 300 * 3},
		{motion, "100x100/smart", "smart.alpha", 133 * 100 * 4},
	} {
		p, err := planOf(t, c.path, c.header, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		got, f := 0.0, footprintOf(p, 0)
		for _, phase := range f.ended {
			got = max(got, phase[c.term])
		}
		if got != c.want {
			t.Errorf("%s: %s is %g, expected %g", c.path, c.term, got, c.want)
		}
	}
	for format, want := range map[imaging.Format]string{imaging.JPEG: "cmyk.jpeg", imaging.TIFF: "tiff"} {
		p, err := planOf(t, "filters:to_colorspace(cmyk):format("+string(format)+")", photo, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		f := footprint{}
		if got := f.encoder(p, p.Encode[0]); got != want {
			t.Errorf("CMYK as %s has the rates of %s, expected %s", format, got, want)
		}
	}
	f := footprint{bands: 3}
	f.begin()
	f.readRows(imaging.Shape{Width: 500, Height: 375, Frames: 1}, imaging.Size{Width: 300, Height: 225})
	if got, want := f.ended[0]["bytes"], 500*26*3+2*576*26.5+2*8*1500+300*225*3; got != want {
		t.Errorf("rows that are scaled as they are decoded: %g bytes, expected %g", got, want)
	}

	png := imaging.Header{Format: imaging.PNG, Width: 1000, Height: 500, Pages: 1, Bands: 3, Bytes: 1e5}
	p, err := planOf(t, "fit-in/100x100", png, imaging.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := footprintOf(p, 0).ended[0]["bytes"], 1000*500*3+500+2*1e5; got != want {
		t.Errorf("a PNG, its compressed pixels, and rows with a byte for their filter: %g bytes, expected %g", got,
			want)
	}
}

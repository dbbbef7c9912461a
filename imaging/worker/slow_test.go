//go:build linux

package worker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

const emptySVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>`

// TestSlowWorkIsRemembered checks that work which used up its time is refused at once when it comes again: this source
// with these operations only, and for a while only. A job that waited without computing is tried again.
func TestSlowWorkIsRemembered(t *testing.T) {
	p := open(t, func(c *Config) { c.Drawing, c.Grace = 100*time.Millisecond, 50*time.Millisecond })
	ask := func(name, data, path string) error {
		t.Helper()
		limits := imaging.DefaultLimits()
		limits.Timeout = 0
		if name == "hang" {
			limits.Timeout = 100 * time.Millisecond
		}
		_, err := p.Process(t.Context(), source(name, []byte(data)), operations(t, path), limits)
		return err
	}
	for n, c := range []struct {
		name, path    string
		lost, refused uint64 // since the start
	}{
		{"spin", "10x10", 1, 0},
		{"spin", "10x10", 1, 1},
		{"spin", "10x10", 1, 2},
		{"spin", "20x20", 2, 2},
		{"spin again", "10x10", 3, 2},
		{"hang", "10x10", 4, 2},
		{"hang", "10x10", 5, 2},
	} {
		if err := ask(c.name, emptySVG, c.path); fault.CodeOf(err) != fault.Timeout {
			t.Errorf("%d: %s as %s: %v, expected TIMEOUT", n, c.name, c.path, err)
		}
		if lost, refused := p.count(ReasonTimeout), p.Workers().Refused; lost != c.lost || refused != c.refused {
			t.Errorf(
				"%d: %d workers were lost and %d jobs refused, expected %d and %d", n, lost, refused, c.lost,
				c.refused,
			)
		}
	}
	if err := ask("fine", emptySVG, "10x10"); err != nil {
		t.Errorf("another picture: %v", err)
	}
	later := time.Now().Add(p.config.Slow)
	p.slow.mu.Lock()
	p.slow.now = func() time.Time { return later }
	p.slow.mu.Unlock()
	before := p.count(ReasonTimeout)
	if err := ask("spin", emptySVG, "10x10"); fault.CodeOf(err) != fault.Timeout || p.count(ReasonTimeout) != before+1 {
		t.Errorf("after %s: %v, %d workers were lost, expected another one", p.config.Slow, err, p.count(ReasonTimeout))
	}
}

// TestCulprits checks that the whole of a job and of its sources, however long, decides what is remembered of it.
func TestCulprits(t *testing.T) {
	long := strings.Repeat("x", 20_000)
	whole, parts := map[culprit]string{}, map[culprit]string{}
	for name, j := range map[string]job{
		"job":        {kind: kindProcess, src: imaging.Source{Version: long}},
		"kind":       {kind: kindInfo, src: imaging.Source{Version: long}},
		"operations": {kind: kindProcess, src: imaging.Source{Version: long}, ops: imaging.Operations{Width: 1}},
		"filters": {
			kind: kindProcess, src: imaging.Source{Version: long},
			ops: imaging.Operations{Filters: imaging.Filters("label(" + long + ")")},
		},
		"layer": {
			kind: kindProcess,
			src:  imaging.Source{Version: long, Layers: map[string]imaging.Source{"l": {Version: "1"}}},
		},
		"fonts": {
			kind: kindProcess,
			src:  imaging.Source{Version: long, Fonts: []imaging.Font{{Family: "f", Version: "1"}}},
		},
		"source": {kind: kindProcess, src: imaging.Source{Version: long + "y"}},
	} {
		c, alone, err := j.culprits()
		if err != nil || len(alone) != 1+len(j.src.Layers) {
			t.Fatalf("%s: %d parts, %v", name, len(alone), err)
		}
		if other, known := whole[c]; known {
			t.Errorf("%s is taken for %s", name, other)
		}
		whole[c] = name
		for _, c := range alone {
			parts[c] = name
		}
	}
	if len(parts) != 3 {
		t.Errorf("%d sources, expected 3", len(parts))
	}
}

// multipliers are SVGs of a few hundred bytes to some megabytes that have the renderer compute for seconds to minutes
// at 2,000 x 2,000 pixels, by what they multiply.
func multipliers() map[string]string {
	const area = `width="2000" height="2000"`
	rect := func(attributes string) string { return `<rect ` + area + ` ` + attributes + `/>` }
	filter := func(inside string) string {
		return `<filter id="f">` + inside + `</filter>` + rect(`fill="red" filter="url(#f)"`)
	}
	powers := func(first, open, use, shut string) string {
		var b strings.Builder
		b.WriteString(first)
		for n := range 6 {
			fmt.Fprintf(&b, open, n+1)
			b.WriteString(strings.Repeat(fmt.Sprintf(use, n), 3))
			b.WriteString(shut)
		}
		return b.String()
	}
	var zigzag, stops strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&zigzag, "L%d %d", n*7919%2000, n*104729%2000)
		fmt.Fprintf(&stops, `<stop offset="%f" stop-color="#%03x"/>`, float64(n)/20_000, n%4096)
	}
	return map[string]string{
		"fine dashes": `<path d="M0 0L900000 900000" stroke="red" stroke-width="3" stroke-dasharray="0.0001"/>`,
		"dashes of a sheet": `<style>path { stroke: red; stroke-dasharray: 0.01 }</style><path d="M0 0 ` +
			strings.Repeat("C 1 900 900 1 450 450 ", 1000) + `"/>`,
		"deep selectors": `<style>` + strings.Repeat(`g g g > rect:first-child * { fill: red } `, 3_000) + `</style>` +
			strings.Repeat("<g>", 200) + strings.Repeat("<rect/>", 30_000) + strings.Repeat("</g>", 200),
		"segments":    `<path stroke="red" d="M0 0` + strings.Repeat("h1v1", 450_000) + `"/>`,
		"octaves":     filter(`<feTurbulence baseFrequency="0.9" numOctaves="100000"/>`),
		"turbulences": filter(strings.Repeat(`<feTurbulence baseFrequency="0.9" numOctaves="9"/>`, 20)),
		"matrices": filter(
			strings.Repeat(`<feConvolveMatrix order="15" kernelMatrix="`+strings.Repeat("1 ", 225)+`"/>`, 20),
		),
		"a radius": filter(`<feMorphology operator="dilate" radius="1000"/>`),
		"blurs":    filter(strings.Repeat(`<feGaussianBlur stdDeviation="30"/>`, 200)),
		"merges": filter(
			`<feMerge>` + strings.Repeat(`<feMergeNode in="SourceGraphic"/>`, 190) + `</feMerge>`,
		),
		"a displacement": filter(`<feDisplacementMap in2="SourceGraphic" scale="1e9"/>`),
		"named results":  filter(strings.Repeat(`<feOffset dx="1" in="SourceGraphic" result="a"/>`, 200)),
		"a fine light": filter(
			`<feSpecularLighting kernelUnitLength="0.1"><fePointLight z="9"/></feSpecularLighting>`,
		),
		"a table": filter(
			`<feComponentTransfer><feFuncR type="table" tableValues="` +
				strings.Repeat("1 ", 200_000) + `"/></feComponentTransfer>`,
		),
		"tiles": filter(`<feFlood width="0.5" height="0.5"/><feTile/>`),
		"nested filters": `<filter id="f"><feOffset/></filter>` +
			strings.Repeat(`<g filter="url(#f)">`, 60) + rect("") + strings.Repeat(`</g>`, 60),
		"filter functions": rect(`filter="` + strings.Repeat("blur(9px) ", 200) + `"`),
		"filters of CSS":   `<style>g{filter:blur(9px)}</style>` + strings.Repeat(`<g>`+rect("")+`</g>`, 300),
		"filters by use": `<g id="a" filter="blur(9px)">` + rect("") + `</g>` +
			strings.Repeat(`<use href="#a"/>`, 300),
		"pictures of itself": powers(
			`<rect id="e0" `+area+`/>`,
			`<filter id="g%[1]d"><feImage href="#e0"/></filter><g id="e%[1]d" filter="url(#g%[1]d)">`,
			`<use href="#e%d"/>`, `</g>`,
		) + `<use href="#e6"/>`,
		"masks": powers(
			`<mask id="m0">`+rect("")+`</mask>`, `<mask id="m%d">`,
			`<rect `+area+` fill="white" mask="url(#m%d)"/>`, `</mask>`,
		) + rect(`mask="url(#m6)"`),
		"patterns": `<pattern id="a" width="1" height="1" patternUnits="userSpaceOnUse" patternTransform="scale(10000)"><circle r="1"/></pattern>` +
			strings.Repeat(rect(`fill="url(#a)"`), 99),
		"groups": strings.Repeat(`<g opacity="0.9">`, 250) + rect("") + strings.Repeat(`</g>`, 250),
		"blends": strings.Repeat(`<g style="mix-blend-mode:hue">`+rect(`fill="red"`)+`</g>`, 300),
		"markers": `<marker id="m" markerWidth="2000" markerHeight="2000" overflow="visible">` +
			strings.Repeat(rect(`fill-opacity=".1"`), 100) +
			`</marker><path d="M0 0` + strings.Repeat("h1", 10_000) + `" marker-mid="url(#m)"/>`,
		"stops": `<linearGradient id="g">` + stops.String() + `</linearGradient>` +
			strings.Repeat(rect(`fill="url(#g)"`), 1000),
		"rectangles":   strings.Repeat(rect(`fill-opacity=".1"`), 100_000),
		"crossings":    `<path fill="none" stroke="red" stroke-width="40" d="M0 0` + zigzag.String() + `"/>`,
		"round dashes": `<path stroke="red" stroke-width="400" stroke-linecap="round" stroke-dasharray="0.1" d="M0 0H9000V9"/>`,
		"letters": `<text font-size="2000" y="1500" stroke="red" stroke-width="200">` +
			strings.Repeat("@", 20_000) + `</text>`,
		"spans":     `<text y="99">` + strings.Repeat(`<tspan x="1" y="100">W</tspan>`, 30_000) + `</text>`,
		"viewports": strings.Repeat(`<svg `+area+` viewBox="0 0 1 1">`, 60) + rect("") + strings.Repeat(`</svg>`, 60),
		"selectors": `<style>` + strings.Repeat(`:not(g *) ~ * ~ * ~ *{fill:red}`, 900) + `</style>` +
			strings.Repeat(`<rect/>`, 20_000),
	}
}

// TestMultipliers checks that no SVG takes a worker more CPU time than it may, whatever it multiplies: it is drawn,
// refused, or ended; and that one which was ended is refused at once when it is asked for again.
func TestMultipliers(t *testing.T) {
	// the latter is for what the plan of the result is estimated to take, a check of the XML, and the start of a worker
	const drawing, slip = 100 * time.Millisecond, 3 * time.Second
	p := open(t, func(c *Config) { c.Drawing, c.Grace, c.Workers = drawing, 100*time.Millisecond, 1 })
	refused := []fault.Code{fault.Timeout, fault.TooLarge, fault.UnsupportedType, fault.CorruptImage}
	limits := imaging.DefaultLimits()
	limits.Timeout = 0
	list := multipliers()
	names := make([]string, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	if testing.Short() { // another tenth each time
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		names = names[:len(names)/10]
	}
	for _, name := range names {
		src := source(
			name,
			[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000">`+list[name]+`</svg>`),
		)
		before := workersCPU(t, p)
		_, err := p.Process(t.Context(), src, operations(t, "fit-in/2000x2000"), limits)
		spent := workersCPU(t, p) - before
		t.Logf("%-20s %5.2f s %v", name, spent.Seconds(), err)
		if err != nil && !slices.Contains(refused, fault.CodeOf(err)) || spent > drawing+slip {
			t.Errorf("%s took %s of CPU: %v", name, spent, err)
		}
		if fault.CodeOf(err) != fault.Timeout {
			continue
		}
		turned := p.Workers().Refused
		_, again := p.Process(t.Context(), src, operations(t, "fit-in/2000x2000"), limits)
		if again == nil || !strings.HasPrefix(err.Error(), again.Error()) || p.Workers().Refused != turned+1 {
			t.Errorf("%s again: %v, expected to be refused with %v", name, again, err)
		}
	}
}

// workersCPU is the CPU time of all workers, those that ended among them.
func workersCPU(t *testing.T, p *Pool) (sum time.Duration) {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.live {
		sum += cpuTime(c.command.Process.Pid)
	}
	return sum + time.Duration(u.Utime.Nano()+u.Stime.Nano())
}

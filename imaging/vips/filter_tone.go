package vips

// #include "sl_filter.h"
import "C"

import (
	"math"
	"slices"

	"github.com/safelight/safelight/imaging"
)

// tone is one stage of a tone filter. Consecutive stages are composed or computed in float. Only the final result is
// rounded and clipped (docs/reference/operations.md).
type tone struct {
	kind   toneKind
	factor [3]float64 // line: v' = factor * v + add; LCh: of L, C, and degrees added to H
	add    [3]float64
	amount float64      // of a stage whose amounts add up: exposure, highlights, shadows, vibrance
	curves [3]toneShape // of R, G and B
	matrix [9]float64   // matrix for linear RGB, row by row
}

// toneShape maps a value of 0..255 to a new one.
type toneShape func(v float64) float64

type toneKind int

// The kinds of stages.
const (
	toneLine toneKind = iota
	toneLCh
	toneGray
	toneCurves
	toneExposure
	toneHighlights
	toneShadows
	toneWhite
	toneVibrance
)

// The neutral stages.
var (
	sameLine = tone{factor: [3]float64{1, 1, 1}}
	sameLCh  = tone{kind: toneLCh, factor: [3]float64{1, 1, 0}}
)

// toneStages returns the stage for a call of each tone filter, by name.
var toneStages = map[string]func(imaging.Call) tone{
	"brightness": func(c imaging.Call) tone {
		add := 2.55 * c.Float("amount")
		return line(1, add, add, add)
	},
	"contrast": func(c imaging.Call) tone {
		amount := min(max(2.55*c.Float("amount"), -255), 255)
		factor := 259 * (amount + 255) / (255 * (259 - amount))
		add := 128 - 128*factor
		return line(factor, add, add, add)
	},
	"rgb": func(c imaging.Call) tone {
		return line(1, 2.55*c.Float("r"), 2.55*c.Float("g"), 2.55*c.Float("b"))
	},
	"invert":     func(imaging.Call) tone { return line(-1, 255, 255, 255) },
	"grayscale":  func(imaging.Call) tone { return tone{kind: toneGray} },
	"hue":        func(c imaging.Call) tone { return lch(1, 1, c.Float("degrees")) },
	"saturation": func(c imaging.Call) tone { return lch(1, 1+c.Float("amount")/100, 0) },
	"modulate": func(c imaging.Call) tone {
		return lch(1+c.Float("brightness")/100, 1+c.Float("saturation")/100, c.Float("hue"))
	},
	"curve":      curves,
	"exposure":   func(c imaging.Call) tone { return tone{kind: toneExposure, amount: c.Float("stops")} },
	"highlights": func(c imaging.Call) tone { return tone{kind: toneHighlights, amount: c.Float("amount") / 100} },
	"shadows":    func(c imaging.Call) tone { return tone{kind: toneShadows, amount: c.Float("amount") / 100} },
	"vibrance":   func(c imaging.Call) tone { return tone{kind: toneVibrance, amount: c.Float("amount") / 100} },
	"white_balance": func(c imaging.Call) tone {
		return tone{kind: toneWhite, matrix: whiteBalance(c.Float("kelvin"), c.Float("tint"))}
	},
}

// line returns the stage that multiplies by factor and adds r, g and b.
func line(factor, r, g, b float64) tone {
	return tone{factor: [3]float64{factor, factor, factor}, add: [3]float64{r, g, b}}
}

// lch returns the stage that multiplies lightness and chroma and adds degrees to the hue.
func lch(l, c, h float64) tone { return tone{kind: toneLCh, factor: [3]float64{l, c, h}} }

// toneRun returns the number of steps at the start that are tone filters or change nothing.
func toneRun(steps []imaging.Step) (run int) {
	for n, s := range steps {
		if toneStages[s.Call.Name] != nil {
			run = n + 1
		} else if !s.Skip {
			break
		}
	}
	return run
}

// then returns the stage that combines both, if there is one.
func (t tone) then(next tone) (both tone, ok bool) {
	if t.kind != next.kind {
		return t, false
	}
	switch t.kind {
	case toneWhite:
		return t, false
	case toneCurves:
		for b := range 3 {
			t.curves[b] = t.curves[b].then(next.curves[b])
		}
	case toneExposure, toneHighlights, toneShadows, toneVibrance:
		t.amount += next.amount
	case toneLine:
		for b := range 3 {
			t.add[b] = next.factor[b]*t.add[b] + next.add[b]
			t.factor[b] *= next.factor[b]
		}
	case toneLCh:
		t.factor[0], t.factor[1], t.factor[2] = t.factor[0]*next.factor[0], t.factor[1]*next.factor[1],
			t.factor[2]+next.factor[2]
	}
	return t, true
}

// mostTone limits the values in long chains, far beyond visible values. float32 must be able to hold its cube.
const mostTone = 1e6

// bounded returns the value limited to mostTone; 0 for NaN.
func bounded(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -mostTone), mostTone)
}

// flatter returns a line whose coefficients are limited to mostTone, and which crosses 0 at the same value.
func flatter(factor, add float64) (float64, float64) {
	over := max(math.Abs(factor), math.Abs(add)) / mostTone
	if over <= 1 {
		return factor, add
	}
	return factor / over, add / over
}

// composed returns the min number of stages with the same effect. It ignores rounding errors far below one level.
func composed(stages []tone) (list []tone) {
	for _, s := range stages {
		if n := len(list); n > 0 {
			if both, ok := list[n-1].then(s); ok {
				list[n-1] = both
				continue
			}
		}
		list = append(list, s)
	}
	kept := list[:0]
	for _, s := range list {
		if !s.neutral() {
			kept = append(kept, s)
		}
	}
	if len(kept) < len(list) && len(kept) > 1 {
		return composed(kept) // the stage between two of the same kind is gone
	}
	return kept
}

// neutral reports whether the stage changes nothing.
func (t tone) neutral() bool {
	switch t.kind {
	case toneExposure, toneHighlights, toneShadows, toneVibrance:
		return math.Abs(t.amount) < 1e-9
	}
	return t.close(sameLine) || t.close(sameLCh)
}

// close reports whether two stages give the same picture.
func (t tone) close(o tone) bool {
	for b := range 3 {
		if math.Abs(t.factor[b]-o.factor[b]) > 1e-9 || math.Abs(t.add[b]-o.add[b]) > 1e-9 {
			return false
		}
	}
	return t.kind == o.kind
}

// tones runs consecutive tone filters as one. They do not depend on frames.
func (j *job) tones(steps []imaging.Step) error {
	stages := []tone{}
	for _, s := range steps {
		if stage := toneStages[s.Call.Name]; stage != nil && !s.Skip {
			stages = append(stages, stage(s.Call))
		}
	}
	stages = composed(stages)
	if len(stages) == 0 {
		return nil
	}
	return j.apply(func(i *image) (*image, error) { return i.toned(stages) })
}

// toned applies at least one stage to the image. Stages that process each channel separately use a lookup table.
func (i *image) toned(stages []tone) (*image, error) {
	var out *C.VipsImage
	if !slices.ContainsFunc(stages, func(t tone) bool { return t.channels() == nil }) {
		table := channelTable(stages, i.bands())
		return made(&out, C.sl_map(i.v, &out, &table[0]))
	}
	list := toneList{}
	for _, t := range stages {
		list.add(t)
	}
	tables := list.samples()
	return made(&out, C.sl_tones(
		i.v, &out, &list.stages[0], C.int(len(list.stages)), &tables[0], C.int(len(tables)),
	))
}

// channels returns the function that the stage applies to each channel; nil if it also depends on the other channels.
func (t tone) channels() []toneShape {
	switch t.kind {
	case toneCurves:
		return t.curves[:]
	case toneExposure:
		if t.amount > 0 { // compressed channels would lose their hue
			return nil
		}
		darker := exposure(t.amount)
		return []toneShape{darker, darker, darker}
	case toneLine:
		list := make([]toneShape, 3)
		for b := range list {
			list[b] = func(v float64) float64 { return t.factor[b]*v + t.add[b] }
		}
		return list
	}
	return nil
}

// channelTable returns the result of the stages for every value of every band. Alpha does not change.
func channelTable(stages []tone, bands int) []C.uchar {
	table := make([]C.uchar, 256*bands)
	for b := range bands {
		whole := toneShape(func(v float64) float64 { return v })
		for _, t := range stages {
			if b < 3 {
				whole = whole.then(t.channels()[b])
			}
		}
		for v := range 256 {
			table[v*bands+b] = C.uchar(min(max(bounded(whole(float64(v)))+0.5, 0), 255))
		}
	}
	return table
}

// toneList holds stages in the form that filter_tone.c expects.
type toneList struct {
	stages []C.sl_tone
	shapes []toneShape // functions that are sampled to tables
}

// add appends a stage.
func (l *toneList) add(t tone) {
	if shapes := t.channels(); shapes != nil && t.kind != toneLine {
		l.look(C.SL_TONE_CURVES, shapes...)
		return
	}
	switch t.kind {
	case toneLine:
		for b := range 3 {
			t.factor[b], t.add[b] = flatter(t.factor[b], t.add[b])
		}
		l.numbers(C.SL_TONE_LINE, t.factor[0], t.factor[1], t.factor[2], t.add[0], t.add[1], t.add[2])
	case toneLCh:
		sine, cosine := math.Sincos(t.factor[2] * math.Pi / 180)
		l.numbers(C.SL_TONE_LCH, t.factor[0], t.factor[1], cosine, sine)
	case toneGray:
		l.numbers(C.SL_TONE_GREY)
	case toneWhite:
		l.numbers(C.SL_TONE_WHITE, t.matrix[:]...)
	case toneVibrance:
		l.numbers(C.SL_TONE_VIBRANCE, t.amount)
	case toneShadows:
		l.look(C.SL_TONE_RATIO, shadows(t.amount))
	case toneExposure:
		l.look(C.SL_TONE_HUE, exposure(t.amount))
	case toneHighlights:
		l.look(C.SL_TONE_RATIO, highlights(t.amount))
	}
}

func (l *toneList) numbers(kind C.int, numbers ...float64) {
	stage := C.sl_tone{kind: kind}
	for n, v := range numbers {
		stage.n[n] = C.float(bounded(v))
	}
	l.stages = append(l.stages, stage)
}

func (l *toneList) look(kind C.int, shapes ...toneShape) {
	l.stages = append(l.stages, C.sl_tone{kind: kind, table: C.int(len(l.shapes))})
	l.shapes = append(l.shapes, shapes...)
}

// samples returns the shapes as tables, one after the other; at least one number.
func (l *toneList) samples() []C.float {
	tables := make([]C.float, 0, len(l.shapes)*(C.SL_TONE_STEPS+1)+1)
	for _, shape := range l.shapes {
		for n := range C.SL_TONE_STEPS + 1 {
			tables = append(tables, C.float(bounded(shape(255*float64(n)/C.SL_TONE_STEPS))))
		}
	}
	return append(tables, 0)
}

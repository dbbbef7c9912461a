package vips

// #include "filter.h"
import "C"

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// tone is one stage of a tone filter: a straight line for each of R, G and B, or a change in LCh, or gray. Neighboring
// stages are composed, or computed in float: only their end is rounded and clipped (docs/reference/operations.md).
type tone struct {
	kind   toneKind
	factor [3]float64 // line: v' = factor * v + add; lch: of L, C, and degrees added to H
	add    [3]float64
}

type toneKind int

// The kinds of stages, as filter_tone.c numbers them.
const (
	toneLine toneKind = iota
	toneLCh
	toneGray
)

// The neutral stages.
var (
	sameLine = tone{factor: [3]float64{1, 1, 1}}
	sameLCh  = tone{kind: toneLCh, factor: [3]float64{1, 1, 0}}
)

// toneStages are the stages of the tone filters by their names.
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
}

// line returns the stage that multiplies by factor and adds r, g and b.
func line(factor, r, g, b float64) tone {
	return tone{factor: [3]float64{factor, factor, factor}, add: [3]float64{r, g, b}}
}

// lch returns the stage that multiplies lightness and chroma and adds degrees to the hue.
func lch(l, c, h float64) tone { return tone{kind: toneLCh, factor: [3]float64{l, c, h}} }

// toneRun returns how many of the steps, from the first, are tone filters or change nothing.
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

// then returns the stage that does both, if there is one.
func (t tone) then(next tone) (both tone, ok bool) {
	if t.kind != next.kind {
		return t, false
	}
	switch t.kind {
	case toneLine:
		for b := range 3 {
			t.add[b] = next.factor[b]*t.add[b] + next.add[b]
			t.factor[b] *= next.factor[b]
		}
	case toneLCh:
		t.factor[0], t.factor[1], t.factor[2] = t.factor[0]*next.factor[0], t.factor[1]*next.factor[1], t.factor[2]+next.factor[2]
	}
	return t, true
}

// composed returns as few stages as do the same. Rounding errors far below a level count as nothing.
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
		if !s.close(sameLine) && !s.close(sameLCh) {
			kept = append(kept, s)
		}
	}
	if len(kept) < len(list) && len(kept) > 1 {
		return composed(kept) // what stood between two of a kind is gone
	}
	return kept
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

func filterTone(j *job, s imaging.Step) error { return j.tones([]imaging.Step{s}) }

// tones runs tone filters as one. Frames need no care.
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
	if readsApart(stages) && j.image.hasAlpha() && j.image.pages() == 1 { // or all before it would be computed twice
		if err := j.materialise(); err != nil {
			return err
		}
	}
	return j.apply(func(i *image) (*image, error) { return i.toned(stages) })
}

// readsApart reports whether libvips converts colors between spaces, for which it takes alpha out and puts it back.
func readsApart(stages []tone) bool { return len(stages) == 1 && stages[0].kind != toneLine }

// toned returns the image after the stages, of which there is at least one. Single ones take faster ways.
func (i *image) toned(stages []tone) (*image, error) {
	var out *C.VipsImage
	var code C.int
	switch first := stages[0]; {
	case len(stages) > 1:
		list := make([]C.double, 0, 7*len(stages))
		for _, s := range stages {
			list = append(list, C.double(s.kind))
			for b := range 3 {
				list = append(list, C.double(s.factor[b]), C.double(s.add[b]))
			}
		}
		code = C.sl_tones(i.v, &out, &list[0], C.int(len(stages)))
	case first.kind == toneGray:
		code = C.sl_grey(i.v, &out)
	case first.kind == toneLCh:
		code = C.sl_lch(i.v, &out, C.double(first.factor[0]), C.double(first.factor[1]), C.double(first.factor[2]))
	default:
		table := first.table(i.bands())
		code = C.sl_map(i.v, &out, &table[0])
	}
	return made(out, code)
}

// table returns the values of a line for every value of every band; alpha stays.
func (t tone) table(bands int) []C.uchar {
	table := make([]C.uchar, 256*bands)
	for v := range 256 {
		for b := range bands {
			out := float64(v)
			if b < 3 {
				out = min(max(t.factor[b]*out+t.add[b]+0.5, 0), 255)
			}
			table[v*bands+b] = C.uchar(out)
		}
	}
	return table
}

package vips

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// layout is the plan for a picture's size: it is scaled to width x height, and then the window
// is cut out of it.
type layout struct {
	width, height             int
	windowWidth, windowHeight int
}

// crops says whether the window is smaller than the scaled picture.
func (l layout) crops() bool { return l.windowWidth < l.width || l.windowHeight < l.height }

// growth says what upscale() and no_upscale() ask for.
type growth int

const (
	growDefault growth = iota // fit-in does not enlarge, the others do
	growAlways
	growNever
)

// layoutOf plans for a picture of that size, after trim and crop.
func layoutOf(width, height int, ops imaging.Operations, grow growth) layout {
	box := boxOf(width, height, ops)
	boxWidth, boxHeight := box.width, box.height
	scaleX, scaleY := float64(boxWidth)/float64(width), float64(boxHeight)/float64(height)
	switch {
	case boxWidth == 0 && boxHeight == 0:
		return whole(width, height)
	case boxWidth == 0:
		scaleX = scaleY
	case boxHeight == 0:
		scaleY = scaleX
	}
	if ops.Stretch {
		if grow == growNever {
			scaleX, scaleY = min(scaleX, 1), min(scaleY, 1)
		}
		return whole(scaled(width, scaleX), scaled(height, scaleY))
	}
	scale := max(scaleX, scaleY)
	if ops.Fit.In && !ops.Fit.Full {
		scale = min(scaleX, scaleY)
	}
	if grow == growNever || grow == growDefault && ops.Fit.In {
		scale = min(scale, 1)
	}
	l := whole(scaled(width, scale), scaled(height, scale))
	if !ops.Fit.In && boxWidth > 0 && boxHeight > 0 {
		l.windowWidth, l.windowHeight = min(l.width, boxWidth), min(l.height, boxHeight)
	}
	return l
}

// box is the size that was asked for; 0 is from the ratio.
type box struct{ width, height int }

// boxOf returns the box for a picture of that size: adaptive fits turn it with the picture.
func boxOf(width, height int, ops imaging.Operations) box {
	if ops.Fit.In && ops.Fit.Adaptive && (width-height)*(ops.Width-ops.Height) < 0 {
		return box{ops.Height, ops.Width}
	}
	return box{ops.Width, ops.Height}
}

// whole is the layout of that size that cuts nothing.
func whole(width, height int) layout { return layout{width, height, width, height} }

func scaled(side int, scale float64) int {
	return max(1, int(math.Round(float64(side)*scale)))
}

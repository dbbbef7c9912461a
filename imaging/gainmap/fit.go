package gainmap

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// maxPixels is the max number of pixels of a result's map.
const maxPixels = 4 << 20

// Fit says how to convert the map of a source to that of a result. The map is decoded at 1/Shrink. Left, Top, Across
// and Down are the region of it that is needed. X and Y of that region are scaled to Width x Height pixels, which is
// the size before View.Swapped swaps the sides.
type Fit struct {
	View                    View
	Shrink                  int
	Left, Top, Across, Down int
	X, Y                    Interval // in pixels of the region
	Width, Height           int
}

// FitOf returns the fit of the plan's gain map. ok is false if the result has no gain map: if ViewOf returns false, if
// the result's map would have more than 4 million pixels, or if a side of the map is longer than that of its source,
// because a valid map is never finer than its picture.
func FitOf(p imaging.Plan) (f Fit, ok bool) {
	v, ok := ViewOf(p)
	m, source, result := p.Request.Header.GainMap, p.Request.Header, p.Result.Size()
	if !ok || m.Width > source.Width || m.Height > source.Height {
		return f, false
	}
	if v.Swapped {
		result.Width, result.Height = result.Height, result.Width
	}
	f = Fit{
		View:   v,
		Shrink: 1,
		Width:  side(m.Width, source.Width, result.Width, v.X),
		Height: side(m.Height, source.Height, result.Height, v.Y),
	}
	if int64(f.Width)*int64(f.Height) > maxPixels {
		return f, false
	}
	across, down := float64(m.Width)*math.Abs(v.X.Length), float64(m.Height)*math.Abs(v.Y.Length)
	for f.Shrink < 8 && across >= float64(2*f.Shrink*f.Width) && down >= float64(2*f.Shrink*f.Height) {
		f.Shrink *= 2
	}
	f.Left, f.Across, f.X = around(v.X, m.Width/f.Shrink)
	f.Top, f.Down, f.Y = around(v.Y, m.Height/f.Shrink)
	return f, true
}

// side returns the side of a result's map: the number of visible pixels of the source's map, or fewer if scaling by
// the factor of the picture results in fewer, and at most half of the result's side. Phones write maps with a quarter
// of the side, and a map as fine as its picture can cost as much as the picture.
func side(length, source, result int, i Interval) int {
	share := min(float64(length)/float64(source), 0.5)
	return max(min(int(float64(length)*math.Abs(i.Length)), int(math.Round(float64(result)*share))), 1)
}

// around returns the whole pixels, including a margin, that an interval of an axis needs, and the interval relative to
// these pixels. side is the length of the axis.
func around(i Interval, side int) (first, length int, in Interval) {
	const margin = 12 // how far the scaler reads at the remaining scales
	from, to := i.Start*float64(side), (i.Start+i.Length)*float64(side)
	first = min(max(int(math.Floor(min(from, to)))-margin, 0), side-1)
	last := min(max(int(math.Ceil(max(from, to)))+margin, first+1), side)
	return first, last - first, Interval{Start: from - float64(first), Length: to - from}
}

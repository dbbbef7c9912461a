package gainmap

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// maxPixels is how many pixels the map of a result has at most.
const maxPixels = 4 << 20

// Fit is how the map of a source becomes that of a result: decoded at 1/Shrink, of which Left, Top, Across and Down
// are the region that is needed, and scaled from X and Y of that region to Width x Height pixels, which are those of
// the result before View.Swapped swaps its sides.
type Fit struct {
	View                    View
	Shrink                  int
	Left, Top, Across, Down int
	X, Y                    Interval // in pixels of the region
	Width, Height           int
}

// FitOf returns the fit of the plan's gain map. ok is false where the result has none: where ViewOf says so, if a side
// of the map is longer than that of its source, since no map is finer than its picture, and if the result's map would
// have more than 4 million pixels.
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

// side returns the side of a result's map: the pixels of the map that are in view, scaled as the picture is if that
// makes fewer, and at most half of the result's side. Phones write a quarter, and a map as fine as its picture can cost
// as much as the picture.
func side(length, source, result int, i Interval) int {
	share := min(float64(length)/float64(source), 0.5)
	return max(min(int(float64(length)*math.Abs(i.Length)), int(math.Round(float64(result)*share))), 1)
}

// around returns the whole pixels of an axis of that length that an interval of it needs with a margin, and the
// interval in them.
func around(i Interval, side int) (first, length int, in Interval) {
	const margin = 12 // as far as the scaler looks, at the scales that are left
	from, to := i.Start*float64(side), (i.Start+i.Length)*float64(side)
	first = min(max(int(math.Floor(min(from, to)))-margin, 0), side-1)
	last := min(max(int(math.Ceil(max(from, to)))+margin, first+1), side)
	return first, last - first, Interval{Start: from - float64(first), Length: to - from}
}

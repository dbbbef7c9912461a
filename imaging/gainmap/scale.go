package gainmap

import "math"

// Span is a part of an axis of the source that an axis of the result shows: from Start over Length, in pixels; a
// negative length runs backwards.
type Span struct{ Start, Length float64 }

// Scale returns width x height pixels of that part of a picture of bands samples a pixel, row by row: averages where
// the result is smaller, straight lines between pixels elsewhere. Beyond the border the last pixels go on.
func Scale(from []byte, fromWidth, fromHeight, bands int, x, y Span, width, height int) []byte {
	across, down := tapsOf(x, fromWidth, width), tapsOf(y, fromHeight, height)
	line := width * bands
	most := 0
	for _, t := range down {
		most = max(most, len(t.weights))
	}
	// rows of the source that are scaled across, each in the place of its number modulo most
	kept := make([]float32, most*line)
	number := make([]int, most) // 1 more than that of the row that is there
	out := make([]byte, line*height)
	sums := make([]float32, line)
	for row, t := range down {
		clear(sums)
		for k, w := range t.weights {
			n := t.first + k
			scaled := kept[n%most*line:][:line]
			if number[n%most] != n+1 {
				scaleRow(from[n*fromWidth*bands:], bands, across, scaled)
				number[n%most] = n + 1
			}
			for at, v := range scaled {
				sums[at] += w * v
			}
		}
		for at, v := range sums {
			out[row*line+at] = byte(min(max(v+0.5, 0), 255))
		}
	}
	return out
}

// scaleRow scales one row.
func scaleRow(from []byte, bands int, across []taps, out []float32) {
	for n, t := range across {
		for b := range bands {
			var sum float32
			for k, w := range t.weights {
				sum += w * float32(from[(t.first+k)*bands+b])
			}
			out[n*bands+b] = sum
		}
	}
}

// taps are the weights of one pixel of a result, which sum up to 1.
type taps struct {
	first   int
	weights []float32
}

// tapsOf returns those of all pixels of an axis.
func tapsOf(s Span, from, to int) []taps {
	list := make([]taps, to)
	step := s.Length / float64(to)
	reach := max(math.Abs(step), 1)
	for n := range list {
		middle := s.Start + (float64(n)+0.5)*step - 0.5
		low, high := int(math.Ceil(middle-reach)), int(math.Floor(middle+reach))
		first, last := min(max(low, 0), from-1), min(max(high, 0), from-1)
		t := taps{first, make([]float32, last-first+1)}
		var sum float64
		for k := low; k <= high; k++ {
			w := max(1-math.Abs(float64(k)-middle)/reach, 0)
			t.weights[min(max(k, first), last)-first] += float32(w)
			sum += w
		}
		for k := range t.weights {
			t.weights[k] /= float32(sum)
		}
		list[n] = t
	}
	return list
}

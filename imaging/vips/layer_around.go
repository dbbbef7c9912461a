package vips

import (
	"math"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// maxAround is the max number of pixels of a text with what is around it: drawing one takes 13 bytes.
const maxAround = 16 << 20

// drawAround returns the text of a mask with its box, outline and shadow. The result exceeds the mask by their border
// and reach on each side.
func (j *job) drawAround(mask *image, t imaging.TextSpec, colour imaging.Colour) (*image, error) {
	a := t.Around
	for _, c := range []*imaging.Colour{&a.Box, &a.Outline, &a.Shadow} {
		painted, err := j.paint(*c)
		if err != nil {
			return nil, err
		}
		*c = painted
	}
	border, margin := a.Border(), a.Border()+a.Reach()
	width, height := mask.width()+2*margin, mask.height()+2*margin
	if width*height > maxAround {
		return nil, fault.New(fault.TooLarge, "the text, with its box and shadow, has more than %d pixels", maxAround)
	}
	inMemory, err := mask.copyMemory()
	if err != nil {
		return nil, j.failed(err)
	}
	defer inMemory.close()
	ink, ok := inMemory.picture()
	if !ok {
		return nil, j.failed(vipsError())
	}
	empty, err := solid(1, 1, imaging.Colour{})
	if err != nil {
		return nil, j.failed(err)
	}
	defer empty.close()
	return empty.remade(width, height, func(out []byte) error {
		clear(out)
		text := newShade(width, height)
		for y := range ink.Height {
			for x := range ink.Width {
				text.at[(y+margin)*width+x+margin] = float32(ink.Pixels[y*ink.Width+x]) / 255
			}
		}
		shape := text // what casts the shadow
		if a.Outline.A > 0 {
			shape = text.spread(a.OutlineWidth)
		}
		outline, inset := shape, float64(margin-border)
		if a.Box.A > 0 {
			shape = boxShade(width, height, inset+float64(border-a.Padding), a.Radius)
		}
		if a.Shadow.A > 0 {
			shadow := shape.moved(a.ShadowX, a.ShadowY)
			shadow.blur(a.ShadowBlur)
			shadow.over(out, a.Shadow)
		}
		if a.Box.A > 0 {
			shape.over(out, a.Box)
		}
		if a.Outline.A > 0 {
			outline.over(out, a.Outline)
		}
		text.over(out, colour)
		return nil
	})
}

// shade is how much of each pixel something covers, 0..1.
type shade struct {
	width, height int
	at            []float32
}

func newShade(width, height int) shade { return shade{width, height, make([]float32, width*height)} }

// boxShade returns a box with round corners, with that distance to all sides of the shade.
func boxShade(width, height int, inset, radius float64) shade {
	p := newShade(width, height)
	halfX, halfY := float64(width)/2-inset, float64(height)/2-inset
	radius = min(radius, halfX, halfY)
	for y := range height {
		fromY := math.Abs(float64(y)+0.5-float64(height)/2) - halfY + radius
		for x := range width {
			fromX := math.Abs(float64(x)+0.5-float64(width)/2) - halfX + radius
			distance := math.Hypot(max(fromX, 0), max(fromY, 0)) + min(max(fromX, fromY), 0) - radius
			p.at[y*width+x] = float32(min(max(0.5-distance, 0), 1))
		}
	}
	return p
}

// moved returns the shade moved to the right and down.
func (p shade) moved(right, down int) shade {
	out := newShade(p.width, p.height)
	for y := max(down, 0); y < min(p.height, p.height+down); y++ {
		from, to := (y-down)*p.width, y*p.width
		for x := max(right, 0); x < min(p.width, p.width+right); x++ {
			out.at[to+x] = p.at[from+x-right]
		}
	}
	return out
}

// lines calls f with each row, then with each column, as often as the line's place of its first pixel and its step.
func (p shade) lines(f func(first, step, n int)) {
	for y := range p.height {
		f(y*p.width, 1, p.width)
	}
	for x := range p.width {
		f(x, p.width, p.height)
	}
}

// blur blurs the shade by three boxes, which come close to a Gaussian of that sigma (W3C, Filter Effects, 9.9).
func (p shade) blur(sigma float64) {
	half := int(sigma*3*math.Sqrt(2*math.Pi)/4+0.5) / 2
	if half == 0 {
		return
	}
	line := make([]float32, max(p.width, p.height))
	p.lines(func(first, step, n int) {
		for range 3 {
			sum := float32(0)
			for i := range n {
				line[i] = p.at[first+i*step]
			}
			for i := range min(half, n) {
				sum += line[i]
			}
			for i := range n {
				if i+half < n {
					sum += line[i+half]
				}
				if i > half {
					sum -= line[i-half-1]
				}
				p.at[first+i*step] = min(max(sum/float32(2*half+1), 0), 1)
			}
		}
	})
}

// spread returns the shade grown by that many pixels in all directions.
func (p shade) spread(pixels float64) shade {
	out := newShade(p.width, p.height)
	const far = 1e10
	for i, v := range p.at {
		if v < 0.5 {
			out.at[i] = far
		}
	}
	n := max(p.width, p.height)
	line, places, bounds := make([]float32, n), make([]int, n), make([]float32, n+1)
	out.lines(func(first, step, n int) { out.squared(first, step, line[:n], places, bounds) })
	for i, v := range out.at {
		out.at[i] = max(p.at[i], float32(min(max(pixels+0.5-math.Sqrt(float64(v)), 0), 1)))
	}
	return out
}

// squared replaces a line of squared distances by the least of theirs to all pixels of the line
// (Felzenszwalb and Huttenlocher, Distance Transforms of Sampled Functions, 2012).
func (p shade) squared(first, step int, line []float32, places []int, bounds []float32) {
	for i := range line {
		line[i] = p.at[first+i*step]
	}
	meet := func(a, b int) float32 { // where the parabolas of two pixels cross
		return ((line[b] + float32(b*b)) - (line[a] + float32(a*a))) / float32(2*(b-a))
	}
	inf := float32(math.Inf(1))
	k := 0
	places[0], bounds[0], bounds[1] = 0, -inf, inf
	for i := 1; i < len(line); i++ {
		at := meet(places[k], i)
		for at <= bounds[k] {
			k--
			at = meet(places[k], i)
		}
		k++
		places[k], bounds[k], bounds[k+1] = i, at, inf
	}
	k = 0
	for i := range line {
		for bounds[k+1] < float32(i) {
			k++
		}
		d := float32(i - places[k])
		p.at[first+i*step] = d*d + line[places[k]]
	}
}

// over paints the shade in a colour over pixels of four bands.
func (p shade) over(out []byte, c imaging.Colour) {
	for i, v := range p.at {
		alpha := v * float32(c.A) / 255
		if alpha == 0 {
			continue
		}
		pixel := out[4*i : 4*i+4]
		below := float32(pixel[3]) / 255 * (1 - alpha)
		whole := alpha + below
		for band, value := range [3]uint8{c.R, c.G, c.B} {
			pixel[band] = uint8((float32(value)*alpha+float32(pixel[band])*below)/whole + 0.5)
		}
		pixel[3] = uint8(whole*255 + 0.5)
	}
}

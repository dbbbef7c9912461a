package vips

import "C"

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// frameLayer draws the box, outline and shadow around a layer's picture, whose job is child.
func (j *job) frameLayer(child *job, c imaging.Call, l *imaging.LayerPlan) error {
	width, height := child.image.width(), child.image.pageHeight()
	a := imaging.AroundPicture(c, imaging.Size{Width: width, Height: height})
	if a == (imaging.Around{}) {
		return nil
	}
	l.Around, l.Reach = a, a.Reach()
	var mask []C.uchar
	if radius := min(a.Radius, float64(min(width, height))/2); radius > 0 && a.RoundsLayer() {
		mask = roundMask(width, height, radius, radius)
	}
	err := child.perFrame(func(i *image) (*image, error) {
		return i.through([]func(*image) (*image, error){
			(*image).withAlpha,
			func(i *image) (*image, error) {
				if mask == nil {
					return i.ref(), nil
				}
				return i.masked(mask)
			},
			(*image).copyMemory,
			func(i *image) (*image, error) { return j.drawAroundPicture(i, a) },
		})
	})
	if err != nil {
		return err
	}
	child.inMem = false
	return child.materialise()
}

// drawAroundPicture returns a still of four bands that is in memory with what is around it.
func (j *job) drawAroundPicture(i *image, a imaging.Around) (*image, error) {
	p, ok := i.picture()
	if !ok {
		return nil, vipsError()
	}
	ink := pixels.Picture{Pixels: make([]byte, p.Width*p.Height), Width: p.Width, Height: p.Height, Bands: 1}
	for n := range ink.Pixels {
		ink.Pixels[n] = p.Pixels[4*n+3]
	}
	return j.drawAround(ink, a, func(s shade, out []byte, margin int) error { return s.picture(out, p, margin) })
}

// drawAroundText returns the text of a mask in a colour, with what is around it.
func (j *job) drawAroundText(mask *image, a imaging.Around, colour imaging.Colour) (*image, error) {
	inMemory, err := mask.copyMemory()
	if err != nil {
		return nil, j.failed(err)
	}
	defer inMemory.close()
	ink, ok := inMemory.picture()
	if !ok {
		return nil, j.failed(vipsError())
	}
	return j.drawAround(ink, a, func(s shade, out []byte, margin int) error {
		if err := s.letters(ink, margin, margin); err != nil {
			return err
		}
		return s.over(out, colour)
	})
}

// drawAround returns the box, the outline and the shadow of some ink, and what top paints over them, with a margin on
// each side for their border and reach. Besides the ink, drawing takes 8 bytes per pixel: the result and one shade at
// a time.
func (j *job) drawAround(
	ink pixels.Picture, a imaging.Around, top func(s shade, out []byte, margin int) error,
) (*image, error) {
	for _, c := range []*imaging.Colour{&a.Box, &a.Outline, &a.Shadow} {
		painted, err := j.paint(*c)
		if err != nil {
			return nil, err
		}
		*c = painted
	}
	margin := a.Border() + a.Reach()
	width, height := ink.Width+2*margin, ink.Height+2*margin
	if width*height > imaging.MaxAround {
		return nil, fault.New(
			fault.TooLarge, "the layer, with its box and shadow, has more than %d pixels", imaging.MaxAround,
		)
	}
	empty, err := solid(1, 1, imaging.Colour{})
	if err != nil {
		return nil, j.failed(err)
	}
	defer empty.close()
	out, err := empty.remade(width, height, func(out []byte) error {
		clear(out)
		s := shade{width, height, make([]float32, width*height), (*int32)(unsafe.Pointer(j.stop))}
		if err := s.around(out, ink, margin, a); err != nil {
			return err
		}
		return top(s, out, margin)
	})
	return out, j.failed(err)
}

// around paints, from the bottom to the top, the shadow, the box and the outline of the ink, which has that margin on
// each side.
func (s shade) around(out []byte, ink pixels.Picture, margin int, a imaging.Around) error {
	box := func(right, down int) error { return s.box(margin-a.Padding, a.Radius, right, down) }
	outlined := func(right, down int) error { return s.outlined(ink, margin+right, margin+down, a.OutlineWidth) }
	casts := func(right, down int) error { return s.letters(ink, margin+right, margin+down) }
	if a.Outline.A > 0 {
		casts = outlined
	}
	if a.Box.A > 0 {
		casts = box
	}
	shadow := func(int, int) error {
		if err := casts(a.ShadowX, a.ShadowY); err != nil {
			return err
		}
		return s.blur(a.ShadowBlur)
	}
	for _, part := range []struct {
		draw   func(right, down int) error
		colour imaging.Colour
	}{{shadow, a.Shadow}, {box, a.Box}, {outlined, a.Outline}} {
		if part.colour.A == 0 {
			continue
		}
		if err := part.draw(0, 0); err != nil {
			return err
		}
		if err := s.over(out, part.colour); err != nil {
			return err
		}
	}
	return nil
}

// shade is the coverage of each pixel, 0..1. Drawing it ends with pixels.ErrStopped once stop is not 0.
type shade struct {
	width, height int
	at            []float32
	stop          *int32
}

// rows calls f with the place of the first pixel of each row.
func (s shade) rows(f func(first int)) error {
	for y := range s.height {
		if atomic.LoadInt32(s.stop) != 0 {
			return pixels.ErrStopped
		}
		f(y * s.width)
	}
	return nil
}

// lines calls f with each row, then with each column, as often as the line's place of its first pixel and its step.
func (s shade) lines(f func(first, step, n int)) error {
	if err := s.rows(func(first int) { f(first, 1, s.width) }); err != nil {
		return err
	}
	for x := range s.width {
		if atomic.LoadInt32(s.stop) != 0 {
			return pixels.ErrStopped
		}
		f(x, s.width, s.height)
	}
	return nil
}

// inkRow returns the ink of the row with that first pixel, where the ink starts at top; nil for a row without ink.
func (s shade) inkRow(ink pixels.Picture, first, top int) []byte {
	y := first/s.width - top
	if y < 0 || y >= ink.Height {
		return nil
	}
	return ink.Pixels[y*ink.Width : (y+1)*ink.Width]
}

// letters sets the shade to the ink at a position.
func (s shade) letters(ink pixels.Picture, left, top int) error {
	clear(s.at)
	return s.rows(func(first int) {
		for x, v := range s.inkRow(ink, first, top) {
			s.at[first+left+x] = float32(v) / 255
		}
	})
}

// box sets the shade to a box with round corners and the given distance to all sides, moved to the right and down.
func (s shade) box(inset int, radius float64, right, down int) error {
	width, height := float64(s.width), float64(s.height)
	halfX, halfY := width/2-float64(inset), height/2-float64(inset)
	radius = min(radius, halfX, halfY)
	return s.rows(func(first int) {
		y := float64(first/s.width - down)
		fromY := math.Abs(y+0.5-height/2) - halfY + radius
		for x := range s.width {
			fromX := math.Abs(float64(x-right)+0.5-width/2) - halfX + radius
			distance := math.Hypot(max(fromX, 0), max(fromY, 0)) + min(max(fromX, fromY), 0) - radius
			s.at[first+x] = float32(min(max(0.5-distance, 0), 1))
		}
	})
}

// blur blurs the shade by three boxes, which come close to a Gaussian of that sigma (W3C, Filter Effects, 9.9).
func (s shade) blur(sigma float64) error {
	half := int(sigma*3*math.Sqrt(2*math.Pi)/4+0.5) / 2
	if half == 0 {
		return nil
	}
	line := make([]float32, max(s.width, s.height))
	return s.lines(func(first, step, n int) {
		for range 3 {
			sum := float32(0)
			for i := range n {
				line[i] = s.at[first+i*step]
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
				s.at[first+i*step] = min(max(sum/float32(2*half+1), 0), 1)
			}
		}
	})
}

// outlined sets the shade to the ink at a position, expanded by the given number of pixels in all directions.
func (s shade) outlined(ink pixels.Picture, left, top int, grown float64) error {
	const far = 1e10
	err := s.rows(func(first int) {
		row := s.at[first : first+s.width]
		for x := range row {
			row[x] = far
		}
		for x, v := range s.inkRow(ink, first, top) {
			if v >= 128 {
				row[left+x] = 0
			}
		}
	})
	if err != nil {
		return err
	}
	n := max(s.width, s.height)
	line, places, bounds := make([]float64, n), make([]int, n), make([]float64, n+1)
	if err := s.lines(func(first, step, n int) { s.squared(first, step, line[:n], places, bounds) }); err != nil {
		return err
	}
	return s.rows(func(first int) {
		row := s.at[first : first+s.width]
		for x, v := range row {
			row[x] = float32(min(max(grown+0.5-math.Sqrt(float64(v)), 0), 1))
		}
		for x, v := range s.inkRow(ink, first, top) {
			row[left+x] = max(row[left+x], float32(v)/255)
		}
	})
}

// squared replaces a line of squared distances by the least of theirs to all pixels of the line
// (Felzenszwalb and Huttenlocher, Distance Transforms of Sampled Functions, 2012). It computes in float64: the square
// of a place soon exceeds the whole numbers of a float32.
func (s shade) squared(first, step int, line []float64, places []int, bounds []float64) {
	for i := range line {
		line[i] = float64(s.at[first+i*step])
	}
	meet := func(a, b int) float64 { // where the parabolas of two pixels cross
		return ((line[b] + float64(b*b)) - (line[a] + float64(a*a))) / float64(2*(b-a))
	}
	inf := math.Inf(1)
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
		for bounds[k+1] < float64(i) {
			k++
		}
		d := float64(i - places[k])
		s.at[first+i*step] = float32(d*d + line[places[k]])
	}
}

// over paints the shade in a colour over pixels of four bands.
func (s shade) over(out []byte, c imaging.Colour) error {
	return s.rows(func(first int) {
		for i := first; i < first+s.width; i++ {
			paint(out[4*i:4*i+4], c.R, c.G, c.B, s.at[i]*float32(c.A)/255)
		}
	})
}

// picture paints a picture of four bands over pixels of four bands, with the given margin on each side.
func (s shade) picture(out []byte, p pixels.Picture, margin int) error {
	return s.rows(func(first int) {
		y := first/s.width - margin
		if y < 0 || y >= p.Height {
			return
		}
		for x := range p.Width {
			to, from := 4*(first+margin+x), p.Pixels[4*(y*p.Width+x):]
			paint(out[to:to+4], from[0], from[1], from[2], float32(from[3])/255)
		}
	})
}

// paint paints a colour over a pixel of four bands.
func paint(pixel []byte, r, g, b uint8, alpha float32) {
	if alpha == 0 {
		return
	}
	below := float32(pixel[3]) / 255 * (1 - alpha)
	whole := alpha + below
	for band, value := range [3]uint8{r, g, b} {
		pixel[band] = uint8((float32(value)*alpha+float32(pixel[band])*below)/whole + 0.5)
	}
	pixel[3] = uint8(whole*255 + 0.5)
}

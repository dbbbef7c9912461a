package vips

// #include "sl_image.h"
// #include "sl_transform.h"
import "C"

import "github.com/safelight/safelight/imaging"

// stepTurn makes the picture upright as EXIF and orient() say.
func stepTurn(j *job) error {
	t := j.plan.Turn
	if err := j.turn(t.Degrees); err != nil {
		return err
	}
	if t.Mirror {
		if err := j.flip(false); err != nil {
			return err
		}
	}
	return j.turn(clockwise(t.Orient))
}

// stepStraighten rotates the upright picture by any angle, and cuts off the blank corners. Turning reads pixels out of
// order.
func stepStraighten(j *job) error {
	s := j.plan.Straighten
	if s.Angle == 0 {
		return nil
	}
	if err := j.materialise(); err != nil {
		return err
	}
	return j.perFrame(func(i *image) (*image, error) {
		return i.premultiplied(func(i *image) (*image, error) {
			var out *C.VipsImage
			return made(&out, C.sl_straighten(
				i.v, &out, C.double(s.Angle), C.double(s.X), C.double(s.Y), C.int(s.Keep.Width),
				C.int(s.Keep.Height),
			))
		})
	})
}

// stepTrim measures the border of the source and cuts it.
func stepTrim(j *job) error {
	t := j.plan.Trim
	if t == nil {
		return nil
	}
	if err := j.measure(t.Corner, t.Tolerance); err != nil {
		return err
	}
	return j.cut(j.plan.Trim.Keep)
}

// stepCrop keeps the region of the source that the crop segment names.
func stepCrop(j *job) error { return j.cut(j.plan.Crop) }

// stepResize scales the picture, and cuts the window that the box leaves.
func stepResize(j *job) error {
	if err := j.resizePart(j.plan.Part, j.plan.Scaled.Width, j.plan.Scaled.Height); err != nil {
		return err
	}
	w := j.plan.Window
	if w.Pending == imaging.PendingAttention {
		corner, err := j.attention(w.Rect)
		if err != nil {
			return err
		}
		j.plan = j.plan.WithAttention(corner)
	}
	return j.cut(j.plan.Window.Rect)
}

// stepFlip mirrors the picture as the minus signs before its size say.
func stepFlip(j *job) error {
	if j.plan.HFlip {
		if err := j.flip(false); err != nil {
			return err
		}
	}
	if j.plan.VFlip {
		return j.flip(true)
	}
	return nil
}

// clockwise returns the clockwise angle of a counter-clockwise one, as orient() and rotate() count.
func clockwise(degrees int) int { return (360 - degrees) % 360 }

// turn rotates every frame clockwise by a multiple of 90 degrees.
func (j *job) turn(degrees int) error {
	if degrees == 0 {
		return nil
	}
	if err := j.materialise(); err != nil {
		return err
	}
	return j.perFrame(func(i *image) (*image, error) { return i.rotate(degrees) })
}

// flip mirrors every frame, left to right or top to bottom.
func (j *job) flip(vertical bool) error {
	if !vertical { // needs neither memory nor frames
		return j.apply(func(i *image) (*image, error) { return i.flip(false) })
	}
	if err := j.materialise(); err != nil {
		return err
	}
	return j.perFrame(func(i *image) (*image, error) { return i.flip(true) })
}

// cut keeps that region of every frame; the zero Rect is all of it.
func (j *job) cut(r imaging.Rect) error {
	if r.Empty() || r == (imaging.Rect{Width: j.image.width(), Height: j.image.pageHeight()}) {
		return nil
	}
	if out := j.image.cutOut(r); out != nil {
		j.replace(out)
		return nil
	}
	return j.perFrame(func(i *image) (*image, error) { return i.extract(r.Left, r.Top, r.Width, r.Height) })
}

// attention returns the corner of the window that draws the eye on the first frame; the other frames follow it.
func (j *job) attention(window imaging.Rect) (corner imaging.Point, err error) {
	if err := j.materialise(); err != nil {
		return corner, err
	}
	frame, err := j.image.through([]func(*image) (*image, error){
		func(i *image) (*image, error) { return i.frame(0) }, (*image).copyMemory,
	})
	if err != nil {
		return corner, j.failed(err)
	}
	defer frame.close()
	var left, top C.int
	if C.sl_attention(frame.v, C.int(window.Width), C.int(window.Height), &left, &top) != 0 {
		return corner, j.failed(vipsError())
	}
	return imaging.Point{X: int(left), Y: int(top)}, nil
}

// rotate returns the image turned clockwise by 0, 90, 180 or 270 degrees.
func (i *image) rotate(degrees int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_rotate(i.v, &out, C.int(degrees)))
}

// flip returns the image mirrored.
func (i *image) flip(vertical bool) (*image, error) {
	var direction C.int
	if vertical {
		direction = 1
	}
	var out *C.VipsImage
	return made(&out, C.sl_flip(i.v, &out, direction))
}

// measure finds the border that has the colour of that corner of the first frame, as much as all frames allow, and
// plans on with what is left.
func (j *job) measure(corner imaging.Corner, tolerance float64) error {
	if err := j.materialise(); err != nil {
		return err
	}
	r, err := j.content(corner, tolerance)
	if err != nil {
		return err
	}
	return j.replan(j.plan.WithTrim(r))
}

// content returns the smallest region that holds what is not border on any frame.
func (j *job) content(corner imaging.Corner, tolerance float64) (all imaging.Rect, err error) {
	var colour [4]C.double
	for n := range j.image.pages() {
		_, err := j.oneFrame(n, func(i *image) (*image, error) {
			memory := j.image // which materialise left there
			if j.image.pages() > 1 {
				var err error
				if memory, err = i.copyMemory(); err != nil {
					return nil, err
				}
				defer memory.close()
			}
			if n == 0 {
				if err := memory.cornerColour(corner, &colour); err != nil {
					return nil, err
				}
			}
			r, err := memory.content(&colour, tolerance)
			all = all.Union(r)
			return nil, err
		})
		if err != nil {
			return imaging.Rect{}, err
		}
	}
	return all, nil
}

// cornerColour reads the pixel of that corner. The image is in memory.
func (i *image) cornerColour(corner imaging.Corner, colour *[4]C.double) error {
	var x, y C.int
	if corner == imaging.CornerBottomRight {
		x, y = C.int(i.width()-1), C.int(i.height()-1)
	}
	if C.sl_pixel(i.v, x, y, &colour[0]) != 0 {
		return vipsError()
	}
	return nil
}

// content returns the region of the image that differs from the colour. The image is in memory.
func (i *image) content(colour *[4]C.double, tolerance float64) (imaging.Rect, error) {
	var left, top, width, height C.int
	if C.sl_content(i.v, &colour[0], C.double(tolerance), &left, &top, &width, &height) != 0 {
		return imaging.Rect{}, vipsError()
	}
	return imaging.Rect{Left: int(left), Top: int(top), Width: int(width), Height: int(height)}, nil
}

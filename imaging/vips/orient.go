package vips

// #include "geometry.h"
import "C"

// turn is a clockwise rotation, and then a horizontal flip.
type turn struct {
	degrees int
	flip    bool
}

// exifTurns maps EXIF's orientations to what makes the picture upright.
var exifTurns = map[int]turn{
	2: {0, true}, 3: {180, false}, 4: {180, true},
	5: {90, true}, 6: {90, false}, 7: {270, true}, 8: {270, false},
}

// stepOrient makes the picture upright as EXIF says, then turns it as orient() says.
func stepOrient(j *job) error {
	t := exifTurns[j.header.orientation]
	degrees := 0
	if c, ok := j.lastCall("orient"); ok {
		degrees = c.Int("degrees")
	}
	if err := j.turn(t.degrees); err != nil {
		return err
	}
	if t.flip {
		if err := j.flip(false); err != nil {
			return err
		}
	}
	if err := j.turn(degrees); err != nil {
		return err
	}
	j.origin.width, j.origin.height = j.orientedSides()
	j.origin.scaleX = float64(j.image.width()) / float64(j.origin.width)
	j.origin.scaleY = float64(j.image.pageHeight()) / float64(j.origin.height)
	return nil
}

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

// rotate returns the image turned clockwise by 0, 90, 180 or 270 degrees.
func (i *image) rotate(degrees int) (*image, error) {
	var out *C.VipsImage
	code := C.sl_rotate(i.v, &out, C.int(degrees))
	return made(out, code)
}

// flip returns the image mirrored.
func (i *image) flip(vertical bool) (*image, error) {
	var direction C.int
	if vertical {
		direction = 1
	}
	var out *C.VipsImage
	code := C.sl_flip(i.v, &out, direction)
	return made(out, code)
}

package vips

// #include "sl_image.h"
import "C"

import (
	"context"
	"errors"
	gimage "image"
	"io"
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/embedded"
	"github.com/safelight/safelight/imaging/pixels"
)

// Bounds of samples.
const (
	// The ratio of the sides of a picture that is fitted to a small size. Beyond it, the shorter side would have fewer
	// pixels than a perceptual hash needs.
	maxSampleRatio     = 8
	maxThumbnailPixels = 1 << 20 // of a thumbnail that is decoded without libvips; those of cameras have 20,000
)

// errNoThumbnail says that the thumbnail of a picture is left to libvips.
var errNoThumbnail = errors.New("the thumbnail is not looked at without libvips")

// infoOfSample is Info for a JPEG as InfoRequest.Sample says.
func (e *Engine) infoOfSample(
	ctx context.Context,
	src imaging.Source,
	ops imaging.Operations,
	limits imaging.Limits,
) (*imaging.Info, error) {
	limits.MaxResultSide, limits.MaxResultPixels = 0, 0
	width, height, thumbnail := embedded.Find(src.Reader)
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return nil, unreadable(err, nameOf(src))
	}
	plain := ops
	plain.Fit, plain.Width, plain.Height = imaging.Fit{}, 0, 0
	if thumbnail != nil {
		info, err := e.describe(ctx, src, question{Operations: plain, sample: true, thumbnail: thumbnail}, limits)
		if !errors.Is(err, errNoThumbnail) {
			return info, err
		}
	}
	if max(width, height) > maxSampleRatio*min(width, height) || width == 0 {
		ops = plain
	}
	return e.describe(ctx, src, question{Operations: ops, sample: true}, limits)
}

// sample is the picture that metadata filters look at: without alpha, upright, in sRGB, and scaled by pixels.
type sample struct {
	pixels.Picture
	stop   *C.int
	copied *gimage.NRGBA // the copy that placeholders are made of
}

// pixelSample returns what the job sees if pixels can scale it, nil otherwise. It stays as long as the image.
func (i *image) pixelSample(stop *C.int) *sample {
	if i.bands() != 3 || i.interpretation() != C.SL_INTERPRETATION_sRGB || i.format() != C.SL_FORMAT_UCHAR {
		return nil
	}
	p, ok := i.picture()
	if !ok || min(p.Width, p.Height) < phashSide {
		return nil
	}
	return &sample{Picture: p, stop: stop}
}

// thumbnail implements small. Placeholders share the smallest copy, for their waves are much longer than its pixels.
func (g *sample) thumbnail(side int, _ bool) (out *gimage.NRGBA, err error) {
	if isPlaceholder := side <= thumbHashSide; isPlaceholder {
		if g.copied == nil {
			g.copied, err = g.resized(g.within(blurHashSide))
		}
		return g.copied, err
	}
	return g.resized(g.within(side))
}

// within returns the size of a copy with sides of at most that many pixels, to the nearest: of few pixels, cut ones
// would tell another ratio of the sides.
func (g *sample) within(side int) (width, height int) {
	longest := max(g.Width, g.Height)
	if longest <= side {
		return g.Width, g.Height
	}
	return max(1, (g.Width*side+longest/2)/longest), max(1, (g.Height*side+longest/2)/longest)
}

// resized implements small.
func (g *sample) resized(width, height int) (*gimage.NRGBA, error) {
	rgb := g.Pixels
	if width != g.Width || height != g.Height {
		rgb = make([]byte, width*height*3)
		err := pixels.Reduce(g.Picture, g.All(), width, height, rgb, (*int32)(unsafe.Pointer(g.stop)))
		if err != nil {
			return nil, err
		}
	}
	out := gimage.NewNRGBA(gimage.Rect(0, 0, width, height))
	to := out.Pix
	for ; len(rgb) >= 3 && len(to) >= 4; rgb, to = rgb[3:], to[4:] {
		to[0], to[1], to[2], to[3] = rgb[0], rgb[1], rgb[2], 255
	}
	return out, nil
}

// thumbnailSample makes the thumbnail of the job's source the job's image, upright and in sRGB; nil if that is for
// libvips to do: a thumbnail that is not baseline YCbCr, damaged or large, or a picture of another kind.
func (j *job) thumbnailSample(t *embedded.Thumbnail) (*sample, error) {
	header := j.input.spare
	if header == nil || header.bands() != 3 || header.interpretation() != C.SL_INTERPRETATION_sRGB ||
		t.Width*t.Height > maxThumbnailPixels {
		return nil, nil
	}
	img, err := header.remade(t.Width, t.Height, func(out []byte) error {
		scale := pixels.Scale{Shrink: 1, Width: t.Width, Height: t.Height, Pixels: out}
		return pixels.DecodeJPEG(t.Data, 3, []pixels.Scale{scale}, (*int32)(unsafe.Pointer(j.stop)))
	})
	if err != nil {
		return nil, j.ended()
	}
	j.replace(img)
	j.icc = j.input.icc
	if err := stepTurn(j); err != nil {
		return nil, err
	}
	if err := j.shown(); err != nil {
		return nil, err
	}
	return j.image.pixelSample(j.stop), nil
}

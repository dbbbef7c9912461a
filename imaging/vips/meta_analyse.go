package vips

import (
	gimage "image"

	"github.com/safelight/safelight/imaging"
)

// small makes copies of a picture of the size that a metadata filter takes.
type small interface {
	// thumbnail returns the first frame with at most side pixels a side, over black where opaque is asked.
	thumbnail(side int, opaque bool) (*gimage.NRGBA, error)
	// resized returns the first frame at exactly that size, over black.
	resized(width, height int) (*gimage.NRGBA, error)
}

// analyser adds to info what a metadata filter asks for.
type analyser func(s small, c imaging.Call, info *imaging.Info) error

// analysers has the metadata filters that look at small copies. palette is a filter of saving, too.
var analysers = map[string]analyser{
	"blurhash": func(s small, c imaging.Call, info *imaging.Info) (err error) {
		info.BlurHash, err = blurHash(s, c.Int("x"), c.Int("y"))
		return err
	},
	"thumbhash": func(s small, _ imaging.Call, info *imaging.Info) (err error) {
		info.ThumbHash, err = thumbHash(s)
		return err
	},
	"palette": func(s small, c imaging.Call, info *imaging.Info) error {
		n := paletteSize
		if c.Arg("n").Set {
			n = c.Int("n")
		}
		pixels, err := s.thumbnail(paletteSide, false)
		if err == nil {
			_, isSample := s.(*sample)
			info.Palette = paletteOf(pixels, n, isSample)
		}
		return err
	},
	"dominant": func(s small, _ imaging.Call, info *imaging.Info) error {
		pixels, err := s.thumbnail(paletteSide, false)
		if err == nil {
			_, isSample := s.(*sample)
			info.DominantColor = dominantOf(pixels, isSample)
		}
		return err
	},
	"phash": func(s small, _ imaging.Call, info *imaging.Info) (err error) {
		info.PHash, err = perceptualHash(s)
		return err
	},
}

// largeAnalysers has those that look at the picture itself, which is in memory and in sRGB.
var largeAnalysers = map[string]func(*image, *imaging.Info) error{
	"avgcolor": func(i *image, info *imaging.Info) error {
		colour, err := averageColour(i)
		info.AverageColor = &colour
		return err
	},
	"lqip": func(i *image, info *imaging.Info) (err error) {
		info.LQIP, err = placeholder(i)
		return err
	},
}

// analysesPixels reports whether one of the metadata filters takes pixels, and whether one takes all of them.
func (j *job) analysesPixels() (any, all bool) {
	for _, c := range j.plan.Calls {
		large := largeAnalysers[c.Name] != nil
		any, all = any || large || analysers[c.Name] != nil, all || large
	}
	return any, all
}

// describePixels adds to info what the metadata filters ask for that takes pixels.
func (j *job) describePixels(info *imaging.Info, q question) error {
	any, all := j.analysesPixels()
	if !any {
		return nil
	}
	if q.thumbnail != nil {
		g, err := j.thumbnailSample(q.thumbnail)
		if err == nil && (g == nil || all) {
			err = errNoThumbnail
		}
		if err != nil {
			return err
		}
		return j.analyse(g, info)
	}
	if err := j.shown(); err != nil {
		return err
	}
	for name, analyse := range largeAnalysers {
		if _, ok := j.plan.Call(name); ok {
			if err := analyse(j.image, info); err != nil {
				return j.failed(err)
			}
		}
	}
	if q.sample {
		if g := j.image.pixelSample(j.stop); g != nil {
			return j.analyse(g, info)
		}
	}
	return j.analyse(j.image, info)
}

// analyse adds what is found out by small copies.
func (j *job) analyse(s small, info *imaging.Info) error {
	for name, analyse := range analysers {
		c, ok := j.plan.Call(name)
		if !ok {
			continue
		}
		if err := j.ended(); err != nil {
			return err
		}
		if err := analyse(s, c, info); err != nil {
			return j.failed(err)
		}
	}
	return nil
}

// shown makes the job's image what a screen shows: in memory, and in sRGB where the result would be
// in another space.
func (j *job) shown() error {
	if j.icc != nil || j.plan.Colour.Space != "" {
		// A broken profile is no reason to refuse the picture.
		if out, err := j.image.transform("srgb", "srgb"); err == nil {
			j.replace(out)
		}
	}
	j.inMem = false
	return j.materialise()
}

package vips

import (
	gimage "image"

	"github.com/safelight/safelight/imaging"
)

// small makes copies of a picture of the size that a metadata filter takes.
type small interface {
	// thumbnail returns the first frame with at most side pixels per side, over black if opaque is set.
	thumbnail(side int, opaque bool) (*gimage.NRGBA, error)
	// resized returns the first frame at exactly the given size, over black.
	resized(width, height int) (*gimage.NRGBA, error)
}

// analyzer adds to info the result of a metadata filter.
type analyzer func(s small, c imaging.Call, info *imaging.Info) error

// analyzers has the metadata filters that use small copies. palette is also a filter for saving.
var analyzers = map[string]analyzer{
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

// largeAnalyzers has those that need the picture itself, which is in memory and in sRGB.
var largeAnalyzers = map[string]func(*image, *imaging.Info) error{
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

// analyzesPixels reports whether one of the metadata filters needs pixels, and whether one needs all of them.
func (j *job) analyzesPixels() (any, all bool) {
	for _, c := range j.plan.Calls {
		large := largeAnalyzers[c.Name] != nil
		any, all = any || large || analyzers[c.Name] != nil, all || large
	}
	return any, all
}

// describePixels adds to info the results of metadata filters that need pixels.
func (j *job) describePixels(info *imaging.Info, q question) error {
	any, all := j.analyzesPixels()
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
		return j.analyze(g, info)
	}
	if err := j.shown(); err != nil {
		return err
	}
	for name, analyze := range largeAnalyzers {
		if _, ok := j.plan.Call(name); ok {
			if err := analyze(j.image, info); err != nil {
				return j.failed(err)
			}
		}
	}
	if q.sample {
		if g := j.image.pixelSample(j.stop); g != nil {
			return j.analyze(g, info)
		}
	}
	return j.analyze(j.image, info)
}

// analyze adds the results that need only small copies.
func (j *job) analyze(s small, info *imaging.Info) error {
	for name, analyze := range analyzers {
		c, ok := j.plan.Call(name)
		if !ok {
			continue
		}
		if err := j.ended(); err != nil {
			return err
		}
		if err := analyze(s, c, info); err != nil {
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

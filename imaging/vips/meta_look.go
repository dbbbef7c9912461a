package vips

import (
	"slices"

	"github.com/safelight/safelight/imaging"
)

// analyser adds to info what a metadata filter asks for. The picture is in memory and in sRGB.
type analyser func(i *image, c imaging.Call, info *imaging.Info) error

// analysers has the metadata filters that look at pixels. palette is a filter of saving, too.
func analysers() map[string]analyser {
	return map[string]analyser{
		"blurhash":  analyseBlurHash,
		"thumbhash": analyseThumbHash,
		"avgcolor":  analyseAverage,
		"palette":   analysePalette,
		"dominant":  analyseDominant,
		"phash":     analysePHash,
		"lqip":      analyseLQIP,
	}
}

// look adds to info what the metadata filters ask for that takes pixels.
func (j *job) look(info *imaging.Info) error {
	if !slices.ContainsFunc(j.plan.Calls, func(c imaging.Call) bool { return analysers()[c.Name] != nil }) {
		return nil
	}
	if err := j.seen(); err != nil {
		return err
	}
	for name, analyse := range analysers() {
		c, ok := j.plan.Call(name)
		if !ok {
			continue
		}
		if err := j.ended(); err != nil {
			return err
		}
		if err := analyse(j.image, c, info); err != nil {
			return j.failed(err)
		}
	}
	return nil
}

// seen makes the job's image what a screen shows: in memory, and in sRGB where the result would be
// in another space.
func (j *job) seen() error {
	if j.icc != nil || j.plan.Colour.Space != "" {
		// A broken profile is no reason to refuse the picture.
		if out, err := j.image.transform("srgb", "srgb"); err == nil {
			j.replace(out)
		}
	}
	j.inMem = false
	return j.materialise()
}

func analyseBlurHash(i *image, c imaging.Call, info *imaging.Info) (err error) {
	info.BlurHash, err = blurHash(i, c.Int("x"), c.Int("y"))
	return err
}

func analyseThumbHash(i *image, _ imaging.Call, info *imaging.Info) (err error) {
	info.ThumbHash, err = thumbHash(i)
	return err
}

func analyseAverage(i *image, _ imaging.Call, info *imaging.Info) error {
	colour, err := averageColour(i)
	info.AverageColor = &colour
	return err
}

func analysePalette(i *image, c imaging.Call, info *imaging.Info) error {
	n := paletteSize
	if c.Arg("n").Set {
		n = c.Int("n")
	}
	pixels, err := i.thumbnail(paletteSide, false)
	if err == nil {
		info.Palette = paletteOf(pixels, n)
	}
	return err
}

func analyseDominant(i *image, _ imaging.Call, info *imaging.Info) error {
	pixels, err := i.thumbnail(paletteSide, false)
	if err == nil {
		info.DominantColor = dominantOf(pixels)
	}
	return err
}

func analysePHash(i *image, _ imaging.Call, info *imaging.Info) (err error) {
	info.PHash, err = perceptualHash(i)
	return err
}

func analyseLQIP(i *image, _ imaging.Call, info *imaging.Info) (err error) {
	info.LQIP, err = placeholder(i)
	return err
}
